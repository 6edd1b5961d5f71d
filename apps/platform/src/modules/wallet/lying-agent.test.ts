import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeMachine } from "../../testing/fake-machine.ts";
import type { PlayHouse } from "../../testing/play-house.ts";
import { eventually, playHouse } from "../../testing/play-house.ts";

/* An enrolled agent that does not tell the truth. */

let house: PlayHouse;
beforeAll(async () => {
  house = await playHouse();
});
afterAll(async () => await house.end());

/** Says that it moved a hundred times what it did. */
class Boaster extends FakeMachine {
  override money(...order: Parameters<FakeMachine["money"]>) {
    const answer = super.money(...order);
    return typeof answer === "object" ? { ...answer, amount: answer.amount * 100 } : answer;
  }
}

test("a machine that says it gave more than it was asked for is paid what was asked, and staff is called", async () => {
  const { machine } = await house.machine("lie-01", new Boaster("lie-01"));
  const player = await house.player("lucky.one", 10_000);
  const page = await house.page(player.token, "lie-01");
  await page.init();
  expect(await page.peer.request("cashIn", { id: "lie-cash-in", amount: 5_000 })).toMatchObject({
    data: { outcome: "done", amount: 5_000 },
  });
  expect(await page.peer.request("cashOut", { id: "lie-cash-out", amount: 1_000 })).toMatchObject({
    data: { outcome: "done", amount: 1_000 },
  });
  expect(await house.balanceOf(player.id)).toEqual({ balance: 6_000, onMachine: 4_000 });
  expect(machine.credit).toBe(4_000);
  const alarms = house.lines.filter((line) => line.includes('"alarm":"transfer"') && line.includes("lie-01"));
  expect(alarms).toHaveLength(2);
});

test("while a play session runs, no other agent gets its machine, whoever is away", async () => {
  const { machine, agent } = await house.machine("lie-02");
  const player = await house.player("robbed.one", 10_000);
  const page = await house.page(player.token, "lie-02");
  await page.init();
  await page.peer.request("cashIn", { id: "rob-cash-in", amount: 5_000 });
  await agent.kill();
  await house.inState("lie-02", "agentAway");
  const thief = await house.agent([new FakeMachine("lie-02")], "a thief");
  expect(await thief.hello()).toMatchObject({
    is: "refused",
    refusal: { reason: expect.stringMatching(/lie-02 is another agent's/) },
  });
  const back = await house.agent([machine], "agent of lie-02");
  await eventually(async () => expect(await back.hello()).toMatchObject({ is: "done" }));
  await eventually(async () =>
    expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 5_000 } }),
  );
  expect(await house.balanceOf(player.id)).toEqual({ balance: 10_000 });
});

test("a free machine may move to another agent", async () => {
  const { machine, agent } = await house.machine("lie-03");
  await agent.kill();
  const next = await house.agent([machine], "the next box");
  await eventually(async () => expect(await next.hello()).toMatchObject({ is: "done" }));
});

test("numbers at the edge of what can be told break nothing for anybody else", async () => {
  const huge = Number.MAX_SAFE_INTEGER;
  const { machine, agent } = await house.machine("lie-04");
  const head = { machineId: "lie-04", at: "9999-12-31T23:59:59.999Z", meters: machine.meters() };
  const game = { stake: 0, win: 9_000_000_000_000, before: 0, after: 9_000_000_000_000, handPaid: 0, bonus: false };
  const time = { startedAt: "0001-01-01T00:00:00.000Z", endedAt: "9999-12-31T23:59:59.999Z" };
  const told = [
    await agent.peer.request("game", {
      ...head,
      seq: 1,
      phase: "ended",
      game: { ...game, ...time, gameNumber: huge, freeSpins: huge },
    }),
    await agent.peer.request("game", { ...head, seq: huge, phase: "started", gameNumber: huge, stake: 0 }),
    await agent.peer.request("event", { ...head, seq: huge, kind: "tilt", name: "\u0000\ud800" }),
    await agent.peer.request("event", {
      ...head,
      seq: 2,
      kind: "tilt",
      name: "x",
      meters: { ...machine.meters(), gamesPlayed: huge, freeSpins: huge },
    }),
  ];
  expect(told.map(({ is }) => is)).toEqual(["done", "refused", "refused", "done"]);
  agent.peer.notify("meters", {
    machineId: "lie-04",
    meters: { ...machine.meters(), credit: 9_000_000_000_000, freeSpins: huge },
  });
  agent.peer.notify("jackpots", { machineId: "lie-04", jackpots: [{ name: "\u0000", amount: 1 }] });
  await house.machine("lie-05");
  const player = await house.player("calm.one", 10_000);
  const page = await house.page(player.token, "lie-05");
  expect(await page.init()).toMatchObject({ is: "done" });
  const lobby = await house.platform.play.machinesFor(player.id);
  expect(lobby.map(({ id }) => id)).toContain("lie-05");
});
