import { sql } from "kysely";
import { expect, test } from "vitest";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { setLimit } from "../../protection/limits/index.ts";
import { revokeAgent } from "../agents/index.ts";
import { prove } from "../reconciliation/index.ts";

/* An enrolled agent that does not tell the truth. */

const venue = sharePlayVenue();

/** Says that it moved a hundred times what it did. */
class Boaster extends FakeMachine {
  override money(...order: Parameters<FakeMachine["money"]>) {
    const answer = super.money(...order);
    return typeof answer === "object" ? { ...answer, amount: answer.amount * 100 } : answer;
  }
}

test("a machine that says it gave more than it was asked for is paid what was asked, and staff is called", async () => {
  const { machine } = await venue.machine("lie-01", new Boaster("lie-01"));
  const player = await venue.player("lucky.one", 10_000);
  const page = await venue.page(player.token, "lie-01");
  await page.init();
  expect(await page.peer.request("cashIn", { id: "lie-cash-in", amount: 5_000 })).toMatchObject({
    data: { outcome: "done", amount: 5_000 },
  });
  expect(await page.peer.request("cashOut", { id: "lie-cash-out", amount: 1_000 })).toMatchObject({
    data: { outcome: "done", amount: 1_000 },
  });
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 6_000, onMachine: 4_000 });
  expect(machine.credit).toBe(4_000);
  const alarms = venue.lines.filter((line) => line.includes('"alarm":"transfer"') && line.includes("lie-01"));
  expect(alarms).toHaveLength(2);
  expect(await differencesOf("lie-01")).toMatchObject([
    { kind: "claim", ledger_amount: 5_000, machine_amount: 500_000 },
    { kind: "claim", ledger_amount: 1_000, machine_amount: 100_000 },
  ]);
  // Until a person has explained them, no more money goes onto that machine and nobody new sits down; what is on it comes home.
  expect(await page.peer.request("cashIn", { id: "lie-again-in", amount: 500 })).toMatchObject({ is: "refused" });
  await explainAll("lie-01");
  expect(await page.peer.request("cashIn", { id: "lie-third-in", amount: 500 })).toMatchObject({ is: "done" });
});

/** Moves the money, gives no clear answer, and has lost its record when it is read. */
class Forgetful extends FakeMachine {
  override record(transferId: string) {
    const known = super.record(transferId);
    return known.record === "done" ? { record: "lost" as const, amount: known.amount } : known;
  }
}

test("a machine that has lost its record of a transfer: nothing is booked, and a person explains what moved", async () => {
  const { machine } = await venue.machine("lost-01", new Forgetful("lost-01"));
  const player = await venue.player("lost.one", 10_000);
  const page = await venue.page(player.token, "lost-01");
  await page.init();
  machine.mood = "fails";
  expect(await page.peer.request("cashIn", { id: "lost-cash-in", amount: 5_000 })).toMatchObject({
    data: { outcome: "unknown" },
  });
  await eventually(async () => expect(await differencesOf("lost-01")).toHaveLength(1));
  expect(await differencesOf("lost-01")).toMatchObject([
    { kind: "claim", ledger_amount: 0, machine_amount: 5_000, about: { lost: true, direction: "cashIn" } },
  ]);
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000, onMachine: 0 });
  machine.mood = "well";
  // Until then no more money goes onto that machine.
  expect(await page.peer.request("cashIn", { id: "lost-again-in", amount: 500 })).toMatchObject({ is: "refused" });
});

const differencesOf = (machineId: string) =>
  venue.db.selectFrom("discrepancy").selectAll().where("machine_id", "=", machineId).orderBy("id").execute();

async function explainAll(machineId: string): Promise<void> {
  await sql`update discrepancy set explained_at = now(), explained_by = 'eva', explanation = 'a liar'
    where machine_id = ${machineId} and explained_at is null`.execute(venue.db);
}

async function atMachine(id: string, made: FakeMachine = new FakeMachine(id)) {
  const { machine, agent } = await venue.machine(id, made);
  const player = await venue.player(`player.of.${id}`, 10_000);
  const page = await venue.page(player.token, id);
  await page.init();
  await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: 4_000 });
  return { machine: machine as typeof made, agent, player, page };
}

/** Says that it gave far more than was on it, when everything is asked for. */
class Mint extends FakeMachine {
  override money(...order: Parameters<FakeMachine["money"]>) {
    const answer = super.money(...order);
    return order[0] === "cashOut" && typeof answer === "object" ? { ...answer, amount: 7_000_000 } : answer;
  }
  override record(transferId: string) {
    const record = super.record(transferId);
    return record.record === "done" ? { ...record, amount: 7_000_000 } : record;
  }
}

test("a cash-out of everything that claims millions brings home what is known to be there, and the machine is closed to players", async () => {
  const { player, page } = await atMachine("lie-10", new Mint("lie-10"));
  await page.peer.request("leave", {});
  await venue.inState("lie-10", "free");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
  expect(await venue.ledgerOf("machine:lie-10")).toBe(0);
  expect(await differencesOf("lie-10")).toMatchObject([
    { kind: "claim", ledger_amount: 4_000, machine_amount: 7_000_000 },
  ]);
  const lobby = await venue.platform.play.sessions.machinesFor(player.id);
  expect(lobby.find(({ id }) => id === "lie-10")).toMatchObject({ status: 0 });
  const next = await venue.page(player.token, "lie-10");
  expect(await next.init()).toMatchObject({ is: "refused" });
  await explainAll("lie-10");
  expect(await (await venue.page(player.token, "lie-10")).init()).toMatchObject({ is: "done" });
});

test("what games that are not told yet have won is credited once they are told, and never on hope", async () => {
  const { machine, agent, player, page } = await atMachine("lie-11");
  machine.play(2_600);
  expect(await page.peer.request("cashOut", { id: "before-its-game" })).toMatchObject({ data: { outcome: "unknown" } });
  expect(machine.credit).toBe(0);
  expect(await venue.balanceOf(player.id)).toMatchObject({ balance: 6_000, pending: 4_000 });
  await agent.pump();
  await eventually(async () => expect(await venue.balanceOf(player.id)).toEqual({ balance: 12_500, onMachine: 0 }));
  // Told behind the money.
  await eventually(() =>
    expect(page.ofMethod("transfer")).toEqual([{ id: "before-its-game", outcome: "done", amount: 6_500 }]),
  );
  await page.peer.request("leave", {});
  await venue.inState("lie-11", "free");
  expect(await differencesOf("lie-11")).toEqual([]);
});

/** Takes money and says that it did not. */
class Thief extends FakeMachine {
  steals = false;
  override money(...order: Parameters<FakeMachine["money"]>) {
    const answer = super.money(...order);
    const hides = this.steals && order[0] === "cashIn";
    return hides ? { outcome: "refused" as const, amount: 0, reason: "door open" } : answer;
  }
}

test("a machine that took money and says it did not is found by its own meters when the play session ends", async () => {
  const machine = new Thief("lie-12");
  const { player, page } = await atMachine("lie-12", machine);
  machine.steals = true;
  expect(await page.peer.request("cashIn", { id: "hidden-cash-in", amount: 1_000 })).toMatchObject({ is: "refused" });
  expect(machine.credit).toBe(5_000);
  await page.peer.request("leave", {});
  await venue.inState("lie-12", "free");
  // The player gets what is known; the thousand that the machine gave above it waits for a person.
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
  const found = await differencesOf("lie-12");
  expect(found.map(({ kind }) => kind)).toEqual(["claim", "meters"]);
  expect(found[1]?.about).toMatchObject({
    lines: expect.arrayContaining([
      { name: "cashIn", expected: 4_000, found: 5_000 },
      { name: "cashOut", expected: 4_000, found: 5_000 },
    ]),
  });
});

test("credits that were put onto a machine beside the platform are found, whoever has the seat", async () => {
  const { machine, player, page } = await atMachine("lie-13");
  machine.credit += 900;
  if (machine.totals) machine.totals.otherIn += 900;
  await page.peer.request("leave", {});
  await venue.inState("lie-13", "free");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
  const found = await differencesOf("lie-13");
  expect(found.map(({ kind }) => kind)).toEqual(["claim", "meters"]);
  expect(found[1]?.about).toMatchObject({
    lines: expect.arrayContaining([{ name: "otherIn", expected: 0, found: 900 }]),
  });
});

test("games that a journal lost are noted with their numbers, and their machine is closed to players", async () => {
  const { machine, agent, page } = await atMachine("lie-14");
  machine.play(0);
  machine.journal.length = 0;
  machine.seq -= 2;
  machine.play(0);
  await agent.pump();
  await page.peer.request("leave", {});
  await venue.inState("lie-14", "free");
  const found = await differencesOf("lie-14");
  expect(found[0]).toMatchObject({ kind: "games", about: { from: 1, to: 1 } });
  expect(found[1]).toMatchObject({ kind: "settle", ledger_amount: 100 });
  expect(await venue.ledgerOf("suspense")).toBe(100);
});

test("a game whose credits do not add up is noted with its numbers, and a person can explain it", async () => {
  const { machine, agent, page } = await atMachine("lie-17");
  machine.play(300);
  for (const { data } of machine.journal) if ("phase" in data && data.phase === "ended") data.game.after += 7;
  await agent.pump();
  await page.peer.request("leave", {});
  await venue.inState("lie-17", "free");
  expect(await differencesOf("lie-17")).toMatchObject([
    {
      kind: "games",
      ledger_amount: 4_200,
      machine_amount: 4_207,
      transfer_id: null,
      about: { gameNumber: 1, win: 300 },
    },
  ]);
  const bent = async () => {
    const { checks } = await prove(venue.database.kysely, { is: "all" });
    return checks.find(({ name }) => name === "games add up")?.breaches.map(({ subject }) => subject);
  };
  expect(await bent()).toContain("lie-17 game 1");
  await explainAll("lie-17");
  expect(await bent()).not.toContain("lie-17 game 1");
});

test("an agent that tells no running meters is compared by games and credit alone", async () => {
  const silent = new FakeMachine("lie-15");
  silent.totals = undefined;
  const { machine, agent, player, page } = await atMachine("lie-15", silent);
  machine.play(300);
  await agent.pump();
  await page.peer.request("leave", {});
  await venue.inState("lie-15", "free");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_200 });
  const { rows } = await sql<{
    names: string[];
  }>`select array(select l ->> 'name' from jsonb_array_elements(lines) l) as names
    from reconciliation where machine_id = 'lie-15' and play_session_id is not null`.execute(venue.db);
  expect(rows).toEqual([{ names: ["ledger account", "games"] }]);
});

test("while a play session runs, no other agent gets its machine, whoever is away", async () => {
  const { machine, agent } = await venue.machine("lie-02");
  const player = await venue.player("robbed.one", 10_000);
  const page = await venue.page(player.token, "lie-02");
  await page.init();
  await page.peer.request("cashIn", { id: "rob-cash-in", amount: 5_000 });
  await agent.kill();
  await venue.inState("lie-02", "agentAway");
  const thief = await venue.agent([new FakeMachine("lie-02")], "a thief");
  expect(await thief.hello()).toMatchObject({
    is: "refused",
    refusal: { reason: expect.stringMatching(/lie-02 is another agent's/) },
  });
  const back = await venue.agent([machine], "agent of lie-02");
  await eventually(async () => expect(await back.hello()).toMatchObject({ is: "done" }));
  await eventually(async () =>
    expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 5_000 } }),
  );
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
});

test("a free machine may move to another agent, and staff is told unless it took the old one's key away", async () => {
  const { machine, agent } = await venue.machine("lie-03");
  await agent.kill();
  const next = await venue.agent([machine], "the next box");
  await eventually(async () => expect(await next.hello()).toMatchObject({ is: "done" }));
  const told = (id: string) => venue.lines.filter((line) => line.includes('"alarm":"moved"') && line.includes(id));
  expect(told("lie-03")).toHaveLength(1);
  const { machine: moved, agent: old } = await venue.machine("lie-08");
  await revokeAgent(venue.db, "agent of lie-08");
  await old.kill();
  const third = await venue.agent([moved], "the third box");
  await eventually(async () => expect(await third.hello()).toMatchObject({ is: "done" }));
  expect(told("lie-08")).toEqual([]);
});

test("numbers at the edge of what can be told break nothing for anybody else", async () => {
  const huge = Number.MAX_SAFE_INTEGER;
  const made = new FakeMachine("lie-04");
  // As its game will tell: the money of an empty machine that nobody has is put aside whenever somebody looks.
  made.credit = 9_000_000_000_000;
  const { machine, agent } = await venue.machine("lie-04", made);
  const head = { machineId: "lie-04", at: "9999-12-31T23:59:59.999Z", meters: machine.meters() };
  const game = { stake: 0, win: 9_000_000_000_000, before: 0, after: 9_000_000_000_000, handPaid: 0, bonus: false };
  const time = { startedAt: "0001-01-01T00:00:00.000Z", endedAt: "9999-12-31T23:59:59.999Z" };
  const told = [
    await agent.peer.request("game", {
      ...head,
      seq: 1,
      phase: "ended",
      game: { ...game, ...time, gameNumber: huge, freeSpins: 1_000_000 },
    }),
    // Sums of these are read back as whole numbers.
    await agent.peer.request("game", {
      ...head,
      seq: 2,
      phase: "ended",
      game: { ...game, ...time, gameNumber: huge, freeSpins: 1_000_001 },
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
  expect(told.map(({ is }) => is)).toEqual(["done", "refused", "refused", "refused", "done"]);
  // What is on a machine is never more than a meter can show, or one liar would use up what the platform's account can hold.
  const again = { ...game, ...time, gameNumber: huge - 1, freeSpins: 0 };
  await sql`update machine set taken_game = 5 where id = 'lie-04'`.execute(venue.db);
  const second = { ...head, seq: 3, phase: "ended" as const, game: again };
  expect(await agent.peer.request("game", second)).toMatchObject({ is: "refused" });
  expect(await venue.ledgerOf("machine:lie-04")).toBe(9_000_000_000_000);
  agent.peer.notify("meters", {
    machineId: "lie-04",
    meters: { ...machine.meters(), credit: 9_000_000_000_000, freeSpins: huge },
  });
  agent.peer.notify("jackpots", { machineId: "lie-04", jackpots: [{ name: "\u0000", amount: 1 }] });
  await venue.machine("lie-05");
  const player = await venue.player("calm.one", 10_000);
  const page = await venue.page(player.token, "lie-05");
  expect(await page.init()).toMatchObject({ is: "done" });
  const lobby = await venue.platform.play.sessions.machinesFor(player.id);
  expect(lobby.map(({ id }) => id)).toContain("lie-05");
});

test("a seat number that no platform gave is refused: the seat could not be taken any more", async () => {
  const machine = new FakeMachine("lie-06");
  machine.epoch = Number.MAX_SAFE_INTEGER;
  const agent = await venue.agent([machine], "agent of lie-06");
  expect(await agent.hello()).toMatchObject({
    is: "refused",
    refusal: { reason: expect.stringContaining("seat number") },
  });
  machine.epoch = 7;
  expect(await agent.hello()).toMatchObject({ is: "done" });
  const player = await venue.player("sits.anyway", 1_000);
  expect(await (await venue.page(player.token, "lie-06")).init()).toMatchObject({ is: "done" });
  expect((await venue.seat("lie-06")).epoch).toBe(8);
});

test("a loss that is dated back counts against its player's limit all the same", async () => {
  const { machine, agent, page, player } = await atMachine("lie-21");
  machine.play(0);
  for (const { data } of machine.journal)
    if ("game" in data)
      Object.assign(data.game, { startedAt: "2001-01-01T00:00:00Z", endedAt: "2001-01-01T00:00:03Z" });
  await agent.pump();
  await page.peer.request("leave", {});
  await venue.inState("lie-21", "free");
  const limit = { playerId: player.id, kind: "loss", owner: "player", value: machine.bet, by: "eva" } as const;
  await setLimit(venue.db.withTables<LimitsTables>(), limit);
  expect(await (await venue.page(player.token, "lie-21")).init()).toMatchObject({ refusal: { code: 60061 } });
});

test("credits that came and went while nobody played are found when the agent is back", async () => {
  const { machine, agent, page } = await atMachine("lie-16");
  await page.peer.request("leave", {});
  await venue.inState("lie-16", "free");
  await agent.pump();
  expect(await differencesOf("lie-16")).toEqual([]);
  await agent.kill();
  if (machine.totals) {
    machine.totals.cashIn += 700;
    machine.totals.cashOut += 700;
  }
  const back = await venue.agent([machine], "agent of lie-16");
  await eventually(async () => expect(await back.hello()).toMatchObject({ is: "done" }));
  await eventually(async () =>
    expect(await differencesOf("lie-16")).toMatchObject([{ kind: "meters", ledger_amount: 0, machine_amount: 700 }]),
  );
});
