import { afterAll, beforeAll, expect, test } from "vitest";
import type { PlayHouse } from "../../../testing/play-house.ts";
import { eventually, playHouse } from "../../../testing/play-house.ts";

let house: PlayHouse;
beforeAll(async () => {
  house = await playHouse({
    env: {
      NO_DEPOSIT_MS: "2000",
      IDLE_MS: "1000",
      IDLE_COUNT_MS: "2000",
      WAITING_MS: "1000",
      AGENT_AWAY_MS: "1000",
      BONUS_WAITING_MS: "1000",
    },
  });
});
afterAll(async () => await house.end());

let number = 0;
async function atMachine(depositMinor = 10_000) {
  number += 1;
  const id = `pera-${String(number).padStart(2, "0")}`;
  const { machine, agent } = await house.machine(id);
  const player = await house.player(`time.${number}`, depositMinor);
  const page = await house.page(player.token, id);
  await page.init();
  return { id, machine, agent, player, page };
}

async function endedSessionsOf(machineId: string): Promise<number> {
  const rows = await house.db
    .selectFrom("play_session")
    .select("id")
    .where("machine_id", "=", machineId)
    .where("ended_at", "is not", null)
    .execute();
  return rows.length;
}

test("nobody puts money in: 18800 counts, 18801 ends it, the seat is free", async () => {
  const { id, page } = await atMachine();
  expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
  const counted = page.ofMethod("countdown") as { code: string; count: number }[];
  expect(new Set(counted.map(({ code }) => code))).toEqual(new Set(["CODE_18800"]));
  expect(counted.map(({ count }) => count)).toEqual([2, 1, 0]);
  expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801" }]);
  expect(await house.seat(id)).toMatchObject({ state: "free" });
});

test("a player without money cannot keep a seat by saying continue or by coming back", async () => {
  const { id, player, page } = await atMachine();
  let current = page;
  let inits = 1;
  await eventually(async () => {
    await current.peer.request("continue", {});
    current.drop();
    current = await house.page(player.token, id);
    if ((await current.init()).is === "done") inits += 1;
    expect(await endedSessionsOf(id)).toBeGreaterThan(0);
  });
  expect(inits).toBeGreaterThan(2);
});

test("a cash-in ends the first countdown; doing nothing begins the second, which ends with the money in the wallet", async () => {
  const { id, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "idle-cash-in", amount: 3_000 });
  await eventually(() => expect(page.ofMethod("countdown")).toContainEqual({ code: "CODE_18800", count: 0 }));
  await house.inState(id, "idling");
  expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
  expect(page.ofMethod("countdown")).toContainEqual({ code: "CODE_18802", count: 2 });
  expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801" }]);
  expect(await house.balanceOf(player.id)).toEqual({ balance: 10_000 });
});

test("continue, another stake and a game each begin the idle time anew", async () => {
  const { id, machine, agent, page } = await atMachine();
  await page.peer.request("cashIn", { id: "busy-cash-in", amount: 3_000 });
  agent.tellMeters(machine);
  await house.inState(id, "idling");
  expect(await page.peer.request("continue", {})).toMatchObject({ is: "done" });
  await eventually(() => expect(page.ofMethod("countdown")).toContainEqual({ code: "CODE_18802", count: 0 }));
  await house.inState(id, "idling");
  machine.bet = 200;
  agent.tellMeters(machine);
  await house.inState(id, "playing");
  await house.inState(id, "idling");
  machine.play(100);
  await agent.pump();
  await house.inState(id, "playing");
  page.drop();
});

test("a holder who does not come back: all credits go home, during a game only after it", async () => {
  const { id, machine, agent, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "lost-cash-in", amount: 3_000 });
  machine.startGame();
  await agent.pump();
  page.drop();
  await house.inState(id, "draining");
  machine.endGame(700);
  await agent.pump();
  await house.inState(id, "free");
  expect(await house.balanceOf(player.id)).toEqual({ balance: 10_600 });
});

test("a bonus waits for its player longer, then calls for staff, and ends by itself", async () => {
  const { id, machine, agent, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "bonus-cash-in", amount: 3_000 });
  machine.startGame();
  machine.bonus = true;
  machine.happen("bonusStarted");
  await agent.pump();
  page.drop();
  await house.inState(id, "bonusWaiting");
  expect(await house.platform.play.openSessionOf(player.id)).toMatchObject({ machine_status: "in-bonus" });
  await eventually(() =>
    expect(house.lines.some((line) => line.includes('"alarm":"seat"') && line.includes(id))).toBe(true),
  );
  machine.bonus = false;
  machine.happen("bonusEnded");
  machine.endGame(2_000);
  await agent.pump();
  await house.inState(id, "free");
  expect(await house.balanceOf(player.id)).toEqual({ balance: 11_900 });
});

test("an agent away for too long calls for staff; the seat is kept until it is back", async () => {
  const { id, agent, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "away-cash-in", amount: 3_000 });
  await agent.kill();
  await eventually(() =>
    expect(house.lines.some((line) => line.includes('"state":"agentAway"') && line.includes(id))).toBe(true),
  );
  expect(await house.balanceOf(player.id)).toEqual({ balance: 7_000, onMachine: 3_000 });
});

test("an untouched seat is given back even when its agent is gone", async () => {
  const { id, agent, page } = await atMachine();
  await agent.kill();
  await house.inState(id, "agentAway");
  expect(await page.peer.request("leave", {})).toEqual({ is: "done", data: { outcome: "done", amount: 0 } });
  expect(await house.seat(id)).toMatchObject({ state: "free" });
});

test("a ban ends the play session with all credits in the wallet", async () => {
  const { id, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "banned-cash-in", amount: 3_000 });
  await house.platform.auth.end({ playerId: player.id }, "banned");
  expect(await page.closed).toEqual({ code: 4000, reason: "banned" });
  await house.inState(id, "free");
  expect(await house.balanceOf(player.id)).toEqual({ balance: 10_000 });
});
