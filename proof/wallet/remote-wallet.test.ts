import { prove } from "@longarm/platform/modules/play/reconciliation/index";
import { longarmOf } from "@longarm/platform/testing/longarm";
import { eventually, sharePlayVenue } from "@longarm/platform/testing/play-venue";
import { addSystem, signedCall } from "@longarm/platform/testing/signed-call";
import { staffMember } from "@longarm/platform/testing/staff-client";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { WalletFault } from "../../rig/simulated-wallet/server.ts";
import { serveSimulatedWallet, WALLET_FAULTS } from "../../rig/simulated-wallet/server.ts";
import { SimulatedWallet } from "../../rig/simulated-wallet/wallet.ts";

/* A venue whose players' money is in the operator's own wallet (record 0243), beside a wallet that we do not share a line with. */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const wallet = new SimulatedWallet();
/** Faults of the next calls, by kind. */
const faults = new Map<string, WalletFault[]>();
/** Players whose calls the wallet accepts and never answers. */
const unanswered = new Set<string>();
const operator = await serveSimulatedWallet({
  wallet,
  secret: SECRET,
  fault: (call, player = "") => (unanswered.has(player) ? "silent" : faults.get(call)?.shift()),
});
const venue = sharePlayVenue({
  sooner: 4,
  env: { WALLET_URL: operator.url, WALLET_SECRETS: SECRET, STAFF_PORT: "0", INTEGRATION_PORT: "0" },
});
afterAll(async () => {
  const { checks } = await prove(venue.database.kysely, { is: "all" });
  expect(checks.filter(({ breaches }) => breaches.length > 0)).toEqual([]);
  await operator.close();
});
beforeEach(() => {
  faults.clear();
  unanswered.clear();
});

let number = 0;
/** A player with so much in the operator's wallet, seated. */
async function seated(balance = 100_000) {
  number += 1;
  const machineId = `far-${number}`;
  const { machine } = await venue.machine(machineId);
  const player = await venue.player(`far.${number}`);
  wallet.setBalance(player.id, balance);
  const page = await venue.page(player.token, machineId);
  expect(await page.init()).toMatchObject({ is: "done" });
  const cashIn = (amount: number, id = `${machineId}-in-${operator.calls.length}`) =>
    page.peer.request("cashIn", { id, amount });
  const cashOut = () => page.peer.request("cashOut", { id: `${machineId}-out-${operator.calls.length}` });
  return { machineId, machine, player, page, cashIn, cashOut };
}
const movements = async (playerId: string) =>
  (
    await sql<{
      id: string;
      kind: string;
      amount: number;
      state: string;
    }>`select id, kind, amount, state from remote_move
      where player_id = ${playerId} order by made_at, id`.execute(venue.db)
  ).rows;
/** Everything is at rest: nothing is open, and nothing of the player's is here. */
const settled = (playerId: string, balance: number) =>
  eventually(async () => {
    for (const { state } of await movements(playerId)) expect(["refused", "booked", "undone", "done"]).toContain(state);
    expect(await venue.ledgerOf(`player:${playerId}`)).toBe(0);
    expect(wallet.balanceOf(playerId)).toBe(balance);
  });

test("money comes for a cash-in, is on the machine alone, and goes back when it is cashed out", async () => {
  const { player, machineId, cashIn, cashOut } = await seated();
  expect(await cashIn(40_000)).toMatchObject({ is: "done" });
  expect(wallet.balanceOf(player.id)).toBe(60_000);
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
  expect(await venue.ledgerOf(`machine:${machineId}`)).toBe(40_000);
  expect(await venue.balanceOf(player.id)).toMatchObject({ balance: 60_000, onMachine: 40_000 });
  expect(await cashOut()).toMatchObject({ is: "done" });
  await settled(player.id, 100_000);
  expect(await movements(player.id)).toMatchObject([
    { kind: "debit", amount: 40_000, state: "booked" },
    { kind: "credit", amount: 40_000, state: "done" },
  ]);
});

test("the balance is the operator's, queried when its player looks", async () => {
  const { player } = await seated(77_700);
  const look = async () => (await venue.get("/v1/player/balance", player.token)).json();
  await look();
  await eventually(async () => expect(await look()).toMatchObject({ balance: 77_700 }));
});

test("staff sees whose the wallet is, what it said last and what moved; the desk neither takes nor pays money", async () => {
  const selin = await staffMember({ platform: venue.platform, db: venue.database }, "selin", ["cashier"]);
  expect((await selin.get("me")).body).toMatchObject({ venue: { operatorWallet: true } });
  const { machineId, player, cashIn, cashOut } = await seated();
  const seen = async () => (await selin.get(`players/${player.id}`)).body["operatorWallet"];
  expect(await seen()).toEqual({ said: null, moves: [] });
  faults.set("debit", ["lost"]);
  const lost = Array.from({ length: 20 }, () => "lost" as const);
  faults.set("undo", [...lost]);
  await cashIn(30_000);
  expect(await seen()).toMatchObject({ moves: [{ direction: "out", amount: 30_000, state: "unknown" }] });
  faults.clear();
  await settled(player.id, 100_000);
  expect(await cashIn(200_000)).toMatchObject({ is: "refused" });
  expect(await cashIn(40_000)).toMatchObject({ is: "done" });
  faults.set("credit", [...lost]);
  expect(await cashOut()).toMatchObject({ is: "done" });
  await eventually(async () =>
    expect(await seen()).toMatchObject({
      said: { balance: 60_000 },
      moves: [{ direction: "back", amount: 40_000, state: "unknown" }, {}, {}, {}],
    }),
  );
  faults.clear();
  await settled(player.id, 100_000);
  expect(await seen()).toEqual({
    said: { balance: 100_000, at: expect.any(String) },
    moves: [
      { id: expect.any(String), at: expect.any(String), direction: "back", amount: 40_000, state: "sent" },
      expect.objectContaining({ direction: "out", amount: 40_000, state: "booked" }),
      expect.objectContaining({ amount: 200_000, state: "refused" }),
      expect.objectContaining({ amount: 30_000, state: "undone" }),
    ],
  });
  await selin.act("openShift", {}, { desk: "Cage 1", float: 100_000 });
  for (const way of ["deposit", "withdraw"] as const)
    for (const dryRun of [true, false]) {
      const answer = await selin.act(
        way,
        { id: player.id },
        { amount: 500, reason: "cash", ...(dryRun && { dryRun }) },
      );
      expect(answer).toMatchObject({ status: 409, body: { problem: "wallet.operators" } });
    }
  const system = { platform: venue.platform, db: venue.database };
  const key = await addSystem(system, "cashier");
  const link = { externalId: "crm-1", username: machineId.replace("-", ".") };
  expect(await signedCall(system, key, ["links", link])).toMatchObject({ status: 200 });
  const { url } = venue.database;
  const longarm = longarmOf(venue, { environment: { DATABASE_URL: url, WALLET_URL: operator.url } });
  for (const way of ["deposit", "withdraw"])
    expect(
      await longarm(
        "wallets",
        way,
        link.username,
        "5.00",
        "--reason",
        "cash",
        ...(way === "withdraw" ? ["--yes"] : []),
      ),
    ).toMatchObject({
      code: 3,
      complained: expect.stringContaining("operator's wallet"),
    });
  expect(await longarm("load", "--dry-run")).toMatchObject({
    ...{ code: 3, complained: expect.stringContaining("operator's wallet") },
  });
  expect(await signedCall(system, key, ["players/crm-1/balance", undefined])).toMatchObject({
    body: { wallet: "operator" },
  });
  for (const call of ["deposits", "withdrawals"])
    expect(await signedCall(system, key, [`players/crm-1/${call}`, { amount: 500, reason: "card" }])).toMatchObject({
      status: 409,
      body: { problem: "wallet.operators" },
    });
  expect(await movements(player.id)).toHaveLength(4);
});

describe("a debit", () => {
  test("that the operator refuses is a refusal, and moves nothing", async () => {
    const { player, cashIn } = await seated(1_000);
    expect(await cashIn(40_000)).toMatchObject({ is: "refused", refusal: { name: "wallet.insufficient_funds" } });
    wallet.lock(player.id);
    // A repeat has the reason of the first answer.
    for (let times = 0; times < 2; times += 1)
      expect(await cashIn(500, `locked-${player.id}`)).toMatchObject({ refusal: { name: "wallet.refused" } });
    await settled(player.id, 1_000);
  });

  test("that the seat would refuse is never requested", async () => {
    const { player, cashIn } = await seated();
    expect(await cashIn(1)).toMatchObject({ is: "refused", refusal: { name: "transfer.amount_outside_limits" } });
    expect(await movements(player.id)).toEqual([]);
  });

  test.each(WALLET_FAULTS.filter((fault) => fault !== "refused" && fault !== "late"))(
    "whose call is %s is undone, whether or not it was done, and the next one is as good as the first",
    async (fault) => {
      const { player, machineId, cashIn } = await seated();
      faults.set("debit", [fault]);
      expect(await cashIn(40_000)).toMatchObject({ is: "refused", refusal: { name: "wallet.unreachable" } });
      await settled(player.id, 100_000);
      expect(await cashIn(40_000)).toMatchObject({ is: "done" });
      expect(await venue.ledgerOf(`machine:${machineId}`)).toBe(40_000);
      expect(wallet.balanceOf(player.id)).toBe(60_000);
    },
  );

  test("that arrives after its own undo takes nothing", async () => {
    const { player, cashIn } = await seated();
    faults.set("debit", ["late"]);
    expect(await cashIn(40_000)).toMatchObject({ is: "refused", refusal: { name: "wallet.unreachable" } });
    const [id] = (await movements(player.id)).map(({ id }) => id);
    const came = () => operator.calls.filter((call) => call.id === id).map(({ call }) => call);
    await settled(player.id, 100_000);
    expect(await cashIn(40_000)).toMatchObject({ is: "done" });
    await eventually(() => expect(came()).toEqual(["undo", "debit"]));
    expect(wallet.balanceOf(player.id)).toBe(60_000);
  });

  test("is repeated by its page without a second debit", async () => {
    const { player, cashIn } = await seated();
    expect(await cashIn(40_000, `same-${player.id}`)).toMatchObject({ is: "done" });
    expect(await cashIn(40_000, `same-${player.id}`)).toMatchObject({ is: "done" });
    expect(wallet.balanceOf(player.id)).toBe(60_000);
  });

  test("of a machine that takes nothing comes back", async () => {
    const { player, machine, cashIn } = await seated();
    machine.mood = "refuses";
    expect(await cashIn(40_000)).toMatchObject({ is: "refused" });
    await settled(player.id, 100_000);
  });
});

describe("an undo and a credit", () => {
  test("are requested until the operator's wallet has them, each once", async () => {
    const [one, other] = [await seated(), await seated()];
    await other.cashIn(30_000);
    faults.set("debit", ["lostAnswer"]);
    faults.set("undo", ["lostAnswer", "brokenAfter", "garbage"]);
    expect(await one.cashIn(40_000)).toMatchObject({ is: "refused" });
    // The session has ended for the wallet, which refuses what it may not refuse.
    faults.set("credit", ["lostAnswer", "refused", "brokenAfter"]);
    expect(await other.cashOut()).toMatchObject({ is: "done" });
    await Promise.all([settled(one.player.id, 100_000), settled(other.player.id, 100_000)]);
    expect([...faults.values()].flat()).toEqual([]);
  });

  test("outlive a platform that is killed between grant and booking", async () => {
    const { player } = await seated();
    await sql`insert into remote_move (id, player_id, kind, amount, state) values (${`left-${player.id}`}, ${player.id}, 'debit', 500, 'requested')`.execute(
      venue.db,
    );
    wallet.take("debit", { id: `left-${player.id}`, player: player.id, amount: 500 });
    await sql`alter table remote_move disable trigger all`.execute(venue.db);
    await sql`update remote_move set changed_at = changed_at - interval '1 minute' where id = ${`left-${player.id}`}`.execute(
      venue.db,
    );
    await sql`alter table remote_move enable trigger all`.execute(venue.db);
    await settled(player.id, 100_000);
  });

  test("of a player who is locked meanwhile goes home all the same", async () => {
    const { player, cashIn, cashOut } = await seated();
    await cashIn(40_000);
    wallet.lock(player.id);
    await cashOut();
    await settled(player.id, 100_000);
  });
});

const BY_STAFF = { actor: "staff:test", reason: "test" };
describe("what fails for one player keeps no other from their turn", () => {
  const deposit = (id: string, to: string, amountMinor: number) =>
    venue.ledger.transfer({ id, kind: "deposit", from: "cage", to: `player:${to}`, amountMinor, about: BY_STAFF });

  test("a wallet that accepts a player's calls and never answers them", async () => {
    const silent = await seated();
    const other = await seated();
    await silent.cashIn(40_000);
    await other.cashIn(40_000);
    unanswered.add(silent.player.id);
    await silent.cashOut();
    await other.cashOut();
    await settled(other.player.id, 100_000);
    expect(wallet.balanceOf(silent.player.id)).toBe(60_000);
    unanswered.clear();
    await settled(silent.player.id, 100_000);
  });

  test("a wallet that answers no call: a look with more movements than it tries at once comes to its end", async () => {
    const ids = await Promise.all(Array.from({ length: 45 }, (_, at) => venue.addPlayer(`silent.${at}`)));
    for (const id of ids) unanswered.add(id);
    const before = operator.calls.length;
    await Promise.all(ids.map((id) => deposit(`silent-${id}`, id, 500)));
    await eventually(() => expect(operator.calls.length).toBeGreaterThanOrEqual(before + 20));
    // Only a further look writes this one down.
    const late = await venue.addPlayer("silent.late");
    await deposit(`silent-${late}`, late, 500);
    await eventually(async () => expect(await movements(late)).toHaveLength(1));
    unanswered.clear();
    for (const id of [...ids, late]) await settled(id, 500);
  });

  test("a player whose money cannot be sent at all", async () => {
    // An account without its player: no movement can be written down for it.
    await deposit("stray-in", "p_0_stray", 700);
    await eventually(() => expect(venue.lines.join("")).toMatch(/"alarm":"wallet"[^\n]*p_0_stray/));
    const after = await venue.addPlayer("far.after");
    await deposit("after-in", after, 500);
    await settled(after, 500);
    const back = { kind: "withdraw", from: "player:p_0_stray", to: "cage", amountMinor: 700 } as const;
    await venue.ledger.transfer({ id: "stray-out", ...back, about: BY_STAFF });
  });
});

test("every call is signed, and a copy of one is refused", async () => {
  const answer = await fetch(`${operator.url}credit`, { method: "POST", body: "{}" });
  expect(answer.status).toBe(401);
});
