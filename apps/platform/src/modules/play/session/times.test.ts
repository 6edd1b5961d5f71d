import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";
import type { PlayState } from "../tables.ts";

/* Each time is another number of hours, and over when a test says so: a busy computer may take as long as it likes. */

let venue: PlayVenue;
beforeAll(async () => {
  const hours = (count: number) => String(count * 3_600_000);
  venue = await playVenue({
    env: {
      NO_DEPOSIT_MS: hours(1),
      IDLE_MS: hours(2),
      IDLE_COUNT_MS: hours(3),
      WAITING_MS: hours(4),
      AGENT_AWAY_MS: hours(5),
      BONUS_WAITING_MS: hours(6),
    },
  });
});
afterAll(async () => await venue.end());

let number = 0;
async function atMachine(depositMinor = 10_000, at: PlayVenue = venue) {
  number += 1;
  const id = `pera-${String(number).padStart(2, "0")}`;
  const { machine, agent } = await at.machine(id);
  const player = await at.player(`time.${number}`, depositMinor);
  const page = await at.page(player.token, id);
  await page.init();
  return { id, machine, agent, player, page };
}

/** Begun hours that the seat's state may still last; as long as it should when it has just begun. */
async function hoursLeft(machineId: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select ceil(extract(epoch from due_at - clock_timestamp()) / 3600)::int as left from seat where machine_id = ${machineId}`.execute(
    venue.db,
  );
  return rows[0]?.left ?? Number.NaN;
}

/** The time of this state is over now, if the seat is in it. */
async function endTime(machineId: string, state: PlayState): Promise<void> {
  await sql`update seat set due_at = clock_timestamp() where machine_id = ${machineId} and state = ${state}`.execute(
    venue.db,
  );
}

async function lasts(machineId: string, state: PlayState, hours: number): Promise<void> {
  await venue.inState(machineId, state);
  expect(await hoursLeft(machineId)).toBe(hours);
}

/** The seat is in its state for the hours that the settings say; then they are over, and it is in the next. */
async function lastsUntil(machineId: string, state: PlayState, hours: number, next: PlayState): Promise<void> {
  await lasts(machineId, state, hours);
  await eventually(async () => {
    await endTime(machineId, state);
    expect((await venue.seat(machineId)).state).toBe(next);
  });
}

async function endedSessionsOf(machineId: string): Promise<number> {
  const rows = await venue.db
    .selectFrom("play_session")
    .select("id")
    .where("machine_id", "=", machineId)
    .where("ended_at", "is not", null)
    .execute();
  return rows.length;
}

test("nobody puts money in: 18800 counts, 18801 ends it, the seat is free", async () => {
  const quick = await playVenue({ env: { NO_DEPOSIT_MS: "2000" } });
  try {
    const { id, page } = await atMachine(10_000, quick);
    expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
    const counted = page.ofMethod("countdown") as { code: string; count: number }[];
    expect(new Set(counted.map(({ code }) => code))).toEqual(new Set(["CODE_18800"]));
    // Each second once, down to none; one that passes while the computer does something else is left out.
    const counts = counted.map(({ count }) => count);
    expect(counts).toEqual([2, 1, 0].filter((count) => counts.includes(count)));
    expect(counts.at(-1)).toBe(0);
    expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801" }]);
    expect(await quick.seat(id)).toMatchObject({ state: "free" });
  } finally {
    await quick.end();
  }
});

test("a player without money cannot keep a seat by saying continue or by coming back", async () => {
  const { id, player, page } = await atMachine();
  const { deposit_until: until } = await venue.seat(id);
  expect(until).not.toBeNull();
  let current = page;
  for (let time = 0; time < 3; time += 1) {
    await current.peer.request("continue", {});
    current.drop();
    current = await venue.page(player.token, id);
    expect(await current.init()).toMatchObject({ is: "done" });
    expect(await venue.seat(id)).toMatchObject({ state: "seated", due_at: until });
  }
  await lasts(id, "seated", 1);
  await endTime(id, "seated");
  expect(await current.closed).toEqual({ code: 4000, reason: "ended" });
  expect(await endedSessionsOf(id)).toBe(1);
});

test("a cash-in ends the first countdown; doing nothing begins the second, which ends with the money in the wallet", async () => {
  const { id, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "idle-cash-in", amount: 3_000 });
  await eventually(() => expect(page.ofMethod("countdown")).toContainEqual({ code: "CODE_18800", count: 0 }));
  await lastsUntil(id, "playing", 2, "idling");
  const counted = () => (page.ofMethod("countdown") as { code: string; count: number }[]).at(-1);
  await eventually(() => expect(counted()).toMatchObject({ code: "CODE_18802" }));
  expect(Math.ceil((counted()?.count ?? 0) / 3_600)).toBe(3);
  await lasts(id, "idling", 3);
  await endTime(id, "idling");
  expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
  expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801" }]);
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
});

test("continue, another stake and a game each begin the idle time anew", async () => {
  const { id, machine, agent, page } = await atMachine();
  await page.peer.request("cashIn", { id: "busy-cash-in", amount: 3_000 });
  agent.tellMeters(machine);
  await lastsUntil(id, "playing", 2, "idling");
  expect(await page.peer.request("continue", {})).toMatchObject({ is: "done" });
  await eventually(() => expect(page.ofMethod("countdown")).toContainEqual({ code: "CODE_18802", count: 0 }));
  await lastsUntil(id, "playing", 2, "idling");
  machine.bet = 200;
  agent.tellMeters(machine);
  await lastsUntil(id, "playing", 2, "idling");
  machine.play(100);
  await agent.pump();
  await lasts(id, "playing", 2);
  page.drop();
});

test("a holder who does not come back: all credits go home, during a game only after it", async () => {
  const { id, machine, agent, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "lost-cash-in", amount: 3_000 });
  machine.startGame();
  await agent.pump();
  page.drop();
  await lastsUntil(id, "waiting", 4, "draining");
  machine.endGame(700);
  await agent.pump();
  await venue.inState(id, "free");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_600 });
});

/** Whether staff was called for this seat, with this word. */
const wasCalled = (id: string, word: string) => venue.lines.some((line) => line.includes(word) && line.includes(id));

test("a bonus waits for its player longer, then calls for staff, and ends by itself", async () => {
  const { id, machine, agent, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "bonus-cash-in", amount: 3_000 });
  machine.startGame();
  machine.bonus = true;
  machine.happen("bonusStarted");
  await agent.pump();
  page.drop();
  await lasts(id, "bonusWaiting", 6);
  expect(await venue.platform.play.sessions.openSessionOf(player.id)).toMatchObject({ machine_status: "in-bonus" });
  expect(wasCalled(id, '"alarm":"seat"')).toBe(false);
  await endTime(id, "bonusWaiting");
  await eventually(() => expect(wasCalled(id, '"alarm":"seat"')).toBe(true));
  machine.bonus = false;
  machine.happen("bonusEnded");
  machine.endGame(2_000);
  await agent.pump();
  await venue.inState(id, "free");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 11_900 });
});

test("an agent away for too long calls for staff; the seat is kept until it is back", async () => {
  const { id, agent, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "away-cash-in", amount: 3_000 });
  await agent.kill();
  await lasts(id, "agentAway", 5);
  await endTime(id, "agentAway");
  await eventually(() => expect(wasCalled(id, '"state":"agentAway"')).toBe(true));
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 7_000, onMachine: 3_000 });
});

test("an untouched seat is given back even when its agent is gone", async () => {
  const { id, agent, page } = await atMachine();
  await agent.kill();
  await venue.inState(id, "agentAway");
  expect(await page.peer.request("leave", {})).toEqual({ is: "done", data: { outcome: "done", amount: 0 } });
  expect(await venue.seat(id)).toMatchObject({ state: "free" });
});

test("a ban ends the play session with all credits in the wallet", async () => {
  const { id, player, page } = await atMachine();
  await page.peer.request("cashIn", { id: "banned-cash-in", amount: 3_000 });
  await venue.platform.auth.end({ playerId: player.id }, "banned");
  expect(await page.closed).toEqual({ code: 4000, reason: "banned" });
  await venue.inState(id, "free");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
});
