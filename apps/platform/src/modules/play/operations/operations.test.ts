import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { eventually, playVenue, sharePlayVenue } from "../../../testing/play-venue.ts";
import { wishMode } from "../control/index.ts";
import type { OperationAnswer } from "./index.ts";
import { askOperation } from "./index.ts";

/* What staff asks from another process: once, by the right node, never too late, and kept. */

const venue = sharePlayVenue();

const askDeps = () => ({ db: venue.database.kysely, random: systemRandom, pause: (ms: number) => pause(ms) });

function simulate(machineId: string, what: "door" | "jackpot" | "tilt" = "door", beginWithinMs = 60_000) {
  return askOperation(askDeps(), { kind: "simulate", machineId, body: { what }, by: "ayse", beginWithinMs });
}

const confirm = (machineId: string): Promise<OperationAnswer> =>
  askOperation(askDeps(), { kind: "confirmHandPay", machineId, body: {}, by: "ayse", beginWithinMs: 60_000 });

type Kept = { kind: string; asked_by: string; taken_by: string | null; answer: OperationAnswer | null };
async function keptOf(machineId: string): Promise<Kept[]> {
  const { rows } = await sql<Kept>`
    select kind, asked_by, taken_by, answer from operator_command where machine_id = ${machineId} order by asked_at`.execute(
    venue.db,
  );
  return rows;
}

test("the node with the machine's agent asks it, and the answer comes back; who asked what is kept", async () => {
  const { agent } = await venue.machine("op-01");
  expect(await simulate("op-01")).toEqual({ is: "done", sentence: "door at op-01" });
  expect(agent.asked.filter((one) => one.startsWith("egm.simulate"))).toEqual(["egm.simulate op-01 door"]);
  expect(await simulate("op-01", "jackpot")).toEqual({
    is: "refused",
    sentence: 'The machine "op-01" has no jackpots.',
  });
  const kept = await keptOf("op-01");
  expect(kept).toMatchObject([
    { kind: "simulate", asked_by: "ayse", taken_by: "main", answer: { is: "done" } },
    { answer: { is: "refused" } },
  ]);
});

test("many at once are each done once", async () => {
  const { agent } = await venue.machine("op-02");
  const answers = await Promise.all(Array.from({ length: 30 }, () => simulate("op-02", "tilt")));
  expect(new Set(answers.map(({ is }) => is))).toEqual(new Set(["done"]));
  expect(agent.asked.filter((one) => one === "egm.simulate op-02 tilt")).toHaveLength(30);
});

test("an unknown machine, and one whose agent is away, are refused, and nothing happens later", async () => {
  for (const stranger of ["op-nowhere", "", "zero\0", "x".repeat(300), "a b", "'; drop table seat; --"])
    expect(await simulate(stranger)).toMatchObject({ is: "refused", sentence: expect.stringContaining("no machine") });
  const { machine, agent } = await venue.machine("op-03");
  await agent.kill();
  expect(await simulate("op-03", "door", 300)).toMatchObject({
    is: "refused",
    sentence: expect.stringContaining("Nothing was done"),
  });
  const back = await venue.agent([machine], "agent of op-03");
  await back.hello();
  expect(await simulate("op-03", "tilt")).toMatchObject({ is: "done" });
  expect(back.asked.filter((one) => one.startsWith("egm.simulate"))).toEqual(["egm.simulate op-03 tilt"]);
  expect(await keptOf("op-03")).toMatchObject([{ taken_by: null, answer: { is: "refused" } }, { taken_by: "main" }]);
});

test("a machine that cannot be disabled is closed to players, and staff reads that its own buttons work", async () => {
  const { machine } = await venue.machine("op-11");
  machine.disables = false;
  await venue.database.kysely
    .transaction()
    .execute((trx) => wishMode(trx.withTables(), "op-11", "disabled", { by: "ayse", reason: "bill jam" }));
  const carryOut = { kind: "carryOut", machineId: "op-11", body: {}, by: "ayse", beginWithinMs: 60_000 } as const;
  const { is, sentence } = await askOperation(askDeps(), carryOut);
  expect(is).toBe("done");
  expect(sentence).toContain("use its own switch, its buttons work as they did");
});

test("a hand pay is paid once, whoever asks how often, and the machine is reset", async () => {
  const { machine, agent } = await venue.machine("op-04");
  const player = await venue.player("hande.pay", 1_000);
  const page = await venue.page(player.token, "op-04");
  await page.init();
  await page.peer.request("cashIn", { id: "hande-pay-in", amount: 1_000 });
  expect(await confirm("op-04")).toMatchObject({ is: "refused", sentence: "The machine op-04 owes no hand pay." });
  machine.startGame();
  machine.handPay = { id: "HP1", amount: 6_000, kind: "win" };
  machine.lockup = "handPay";
  machine.endGame(6_000, 6_000);
  machine.happen("handPayPending", { handPay: machine.handPay, amount: 6_000 });
  await agent.pump();
  await venue.inState("op-04", "handPay");
  const answers = await Promise.all([confirm("op-04"), confirm("op-04"), confirm("op-04")]);
  expect(answers.map(({ is }) => is)).toContain("done");
  // Of those that were answered at the same time one says that it paid.
  const said = answers.map(({ sentence }) => sentence);
  expect(said.filter((one) => one.startsWith("The hand pay HP1 of 60.00 is paid,"))).toHaveLength(1);
  await venue.inState("op-04", "playing");
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(6_000);
  expect(await confirm("op-04")).toMatchObject({ is: "refused" });
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(6_000);
  await page.peer.request("leave", {});
});

test("a hand pay whose winner is unknown is confirmed, and the answer says that no wallet was paid", async () => {
  const { machine, agent } = await venue.machine("op-10");
  machine.handPay = { id: "HP1", amount: 6_000, kind: "win" };
  machine.lockup = "handPay";
  machine.happen("handPayPending", { handPay: machine.handPay, amount: 6_000 });
  await agent.pump();
  expect(await confirm("op-10")).toMatchObject({ is: "done", sentence: expect.stringContaining("no wallet was paid") });
});

test("without its agent a hand pay is paid all the same, and the machine is reset by asking again", async () => {
  const { machine, agent } = await venue.machine("op-05");
  const player = await venue.player("away.pay", 1_000);
  const page = await venue.page(player.token, "op-05");
  await page.init();
  await page.peer.request("cashIn", { id: "away-pay-in", amount: 1_000 });
  machine.startGame();
  machine.handPay = { id: "HP1", amount: 6_000, kind: "win" };
  machine.lockup = "handPay";
  machine.endGame(6_000, 6_000);
  machine.happen("handPayPending", { handPay: machine.handPay, amount: 6_000 });
  await agent.pump();
  await venue.inState("op-05", "handPay");
  await agent.kill();
  await venue.inState("op-05", "agentAway");
  expect(await confirm("op-05")).toMatchObject({ is: "done", sentence: expect.stringContaining("could not be reset") });
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(6_000);
  const back = await venue.agent([machine], "agent of op-05");
  await back.hello();
  await venue.inState("op-05", "handPay");
  expect(await confirm("op-05")).toMatchObject({ is: "done", sentence: expect.stringContaining("was paid before") });
  await venue.inState("op-05", "playing");
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(6_000);
  await page.peer.request("leave", {});
});

test("what this version does not know is refused, and a record can be neither changed nor removed", async () => {
  await venue.machine("op-06");
  const put = (id: string, kind: string, body: string) =>
    sql`insert into operator_command (id, kind, machine_id, body, asked_by, expires_at)
      values (${id}, ${kind}, 'op-06', ${body}, 'newer', clock_timestamp() + interval '1 minute')`.execute(venue.db);
  await put("op_k", "toString", "{}");
  await put("op_b", "simulate", '{"what":"explosion"}');
  await put("op_n", "simulate", "null");
  await eventually(async () =>
    expect((await keptOf("op-06")).map(({ answer }) => answer?.is)).toEqual(["refused", "refused", "refused"]),
  );
  for (const change of [
    sql`update operator_command set asked_by = 'me' where id = 'op_k'`,
    sql`update operator_command set answer = '{"is":"done"}' where id = 'op_k'`,
    sql`update operator_command set taken_by = 'me' where id = 'op_k'`,
    sql`delete from operator_command where id = 'op_k'`,
  ])
    await expect(change.execute(venue.db)).rejects.toThrow(/operator command op_k/);
});

test("a command whose time is over before a node sees it is never begun", async () => {
  const { agent } = await venue.machine("op-07");
  await sql`insert into operator_command (id, kind, machine_id, body, asked_by, expires_at)
    values ('op_late', 'simulate', 'op-07', '{"what":"door"}', 'slow', clock_timestamp())`.execute(venue.db);
  expect(await simulate("op-07", "tilt")).toMatchObject({ is: "done" });
  expect(agent.asked.filter((one) => one.startsWith("egm.simulate"))).toEqual(["egm.simulate op-07 tilt"]);
});

test("of two nodes only the one with the agent's link takes a command", async () => {
  const other = await playVenue({ database: venue.database, env: { NODE_ID: "second" } });
  try {
    await venue.machine("op-08");
    await other.machine("op-09");
    await Promise.all([simulate("op-08"), simulate("op-09"), simulate("op-08"), simulate("op-09")]);
    expect((await keptOf("op-08")).map(({ taken_by }) => taken_by)).toEqual(["main", "main"]);
    expect((await keptOf("op-09")).map(({ taken_by }) => taken_by)).toEqual(["second", "second"]);
  } finally {
    await other.end(true);
  }
});
