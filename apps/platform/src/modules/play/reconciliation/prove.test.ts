import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FakeMachine } from "../../../testing/fake-machine.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";
import type { Scope } from "./prove.ts";
import { prove, proveWithin } from "./prove.ts";

/* A whole evening of one player, and then every way to bend its books: each is found and named. */

let venue: PlayVenue;
let session: string;
beforeAll(async () => {
  venue = await playVenue({ env: { ORPHAN_SWEEP_MS: "30000" } });
  const { machine, agent } = await venue.machine("proof-01");
  const player = await venue.player("paula.proof", 20_000);
  const page = await venue.page(player.token, "proof-01");
  await page.init();
  await page.peer.request("cashIn", { id: "proof-cash-in", amount: 5_000 });
  machine.play(0);
  machine.play(700);
  await agent.pump();
  await page.peer.request("cashOut", { id: "proof-cash-out", amount: 600 });
  await handPay(machine, agent.pump);
  await page.peer.request("leave", {});
  session = (await venue.db.selectFrom("play_session").select("id").executeTakeFirstOrThrow()).id;
});
afterAll(async () => await venue.end());

async function handPay(machine: FakeMachine, pump: () => Promise<void>): Promise<void> {
  machine.startGame();
  machine.handPay = { id: "hp-1", amount: 90_000, kind: "win" };
  machine.lockup = "handPay";
  machine.endGame(90_000, 90_000);
  machine.happen("handPayPending", { handPay: machine.handPay });
  await pump();
  await venue.inState("proof-01", "handPay");
  await venue.sessions.confirmHandPay({ machineId: "proof-01", handPayId: "hp-1", staff: "eva" });
  await venue.inState("proof-01", "playing");
}

const hour = 3_600_000;
const today = (): Scope => ({ is: "period", from: new Date(Date.now() - hour), to: new Date(Date.now() + hour) });
const scopes = (): Scope[] => [{ is: "all" }, today(), { is: "session", id: session }];
const wrongIn = (proof: Awaited<ReturnType<typeof prove>>) =>
  proof.checks.filter(({ count }) => count > 0).map(({ name }) => name);

test("an evening adds up: all of it, its hour, its play session; and a time before it has nothing to prove", async () => {
  for (const scope of scopes()) {
    const proof = await prove(venue.database.kysely, scope);
    expect(proof.checks.flatMap(({ breaches }) => breaches)).toEqual([]);
    expect(proof).toMatchObject({ agrees: true, figures: { sessions: 1, games: 3 } });
    expect(proof.checks.length).toBeGreaterThan(10);
  }
  const before = { is: "period", from: null, to: new Date(Date.now() - hour) } as const;
  expect(await prove(venue.database.kysely, before)).toMatchObject({
    agrees: true,
    figures: { transfers: 0, games: 0 },
  });
});

test("the end of the play session compared the machine's meters with the books, line by line", async () => {
  const { rows } = await sql<{ agrees: boolean; lines: { name: string; expected: number; found: number }[] }>`
    select agrees, lines from reconciliation where play_session_id = ${session}`.execute(venue.db);
  expect(rows).toMatchObject([{ agrees: true }]);
  const lines = Object.fromEntries(
    (rows[0]?.lines ?? []).map(({ name, expected, found }) => [name, [expected, found]]),
  );
  expect(lines).toEqual({
    "ledger account": [0, 0],
    games: [3, 3],
    wagered: [300, 300],
    won: [90_700, 90_700],
    machinePaid: [700, 700],
    cashIn: [5_000, 5_000],
    cashOut: [5_400, 5_400],
    handPaid: [90_000, 90_000],
    otherIn: [0, 0],
    otherOut: [0, 0],
    billsIn: [0, 0],
    cancelledOut: [0, 0],
    "credit meter": [0, 0],
  });
});

/** What is bent, by which statement, and which check must name it. `all`: only a proof of everything can see it. */
const bends: readonly [string, string, string, "all"?][] = [
  [
    "an account has more than its postings",
    "update ledger.accounts set balance_minor = balance_minor + 1 where address = 'house'",
    "sum zero",
  ],
  [
    "a posting is gone",
    "delete from ledger.postings where transfer_id = 'game:proof-01:1' and amount_minor > 0",
    "postings",
  ],
  [
    "a posting was changed",
    "update ledger.postings set balance_minor = balance_minor + 7 where transfer_id = 'game:proof-01:2'",
    "postings",
  ],
  ["a cash-in of nobody", "delete from machine_transfer where direction = 'cashIn'", "transfers of play"],
  [
    "a cash-out of another amount",
    "update machine_transfer set amount = amount + 1 where direction = 'cashOut'",
    "transfers with machines",
  ],
  [
    "a hold that is open although its transfer is done",
    "update ledger.holds set status = 'open', posted_minor = null, resolved_at = null",
    "transfers with machines",
  ],
  ["a game that won more", "update game set win = win + 5 where game_number = 2", "games in the ledger"],
  ["a game that the history lost", "delete from game where game_number = 2", "games without gaps"],
  ["a game transfer of no game", "update game set game_number = 9 where game_number = 3", "transfers of games"],
  [
    "a game whose credit does not follow",
    "update game set credit_after = credit_after + 1 where game_number = 1",
    "games add up",
  ],
  ["a hand pay of another amount", "update hand_pay set amount = amount - 1", "hand pays"],
  ["a hand pay that was confirmed and not paid", "delete from ledger.transfers where kind = 'handPay'", "hand pays"],
  ["a deposit of nobody", "update ledger.transfers set about = '{}' where kind = 'deposit'", "operators", "all"],
  [
    "a wallet's history with another amount",
    "update wallet_entry set amount = amount + 1 where entry_number = 1",
    "history of wallets",
    "all",
  ],
  ["a session that says it got more", "update play_session set cashed_in = cashed_in + 1", "sums of sessions"],
  [
    "a session that did not give all back",
    "update play_session set cashed_out = cashed_out - 1",
    "sessions that are over",
  ],
  ["a session without a seat", "update play_session set ended_at = null, end_reason = null", "open sessions"],
  [
    "a machine that took money beside the platform",
    "update meter_reading set totals = jsonb_set(totals, '{cashIn}', '5900') where number = 2",
    "machines' meters",
  ],
  [
    "a meter that fell",
    "update meter_reading set totals = jsonb_set(totals, '{wagered}', '-300') where number = 2",
    "machines' meters",
  ],
  [
    "running sums that are not those of the rows",
    "update machine_books set cash_in = cash_in + 1",
    "books of machines",
    "all",
  ],
  [
    "a difference nobody has explained",
    "insert into discrepancy (machine_id, play_session_id, ledger_amount, machine_amount) select machine_id, id, 5, 0 from play_session",
    "open differences",
  ],
  [
    "money in suspense without a difference",
    "update ledger.transfers set kind = 'suspense' where kind = 'game'",
    "suspense",
  ],
];

/** The names of the checks that fail in each scope after this statement, which is taken back. */
async function wrongAfter(statement: string, within = scopes()): Promise<string[][]> {
  class Back extends Error {}
  const seen: string[][] = [];
  const bent = venue.database.kysely.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql.raw(statement).execute(trx);
    for (const scope of within) seen.push(wrongIn(await proveWithin(trx, scope)));
    throw new Back();
  });
  await expect(bent).rejects.toThrow(Back);
  return seen;
}

const withoutHold = (state: string, amount: number): string => `
  insert into machine_transfer
  select (jsonb_populate_record(m, '${JSON.stringify({
    ...{ id: "proof-broken-off", state, amount },
    ...(state === "refused" && { refusal: "other", reason: "the command broke off" }),
  })}')).* from machine_transfer m where direction = 'cashIn'`;

test("a cash-in that broke off before its hold adds up, and none that is done adds up without one", async () => {
  expect(await wrongAfter(withoutHold("refused", 0))).toEqual([[], [], []]);
  for (const wrong of await wrongAfter(withoutHold("done", 700))) expect(wrong).toContain("transfers with machines");
});

test.each(bends)("%s is found", async (_what, statement, check, only) => {
  const seen = await wrongAfter(statement, only ? [{ is: "all" }] : scopes());
  // What only the whole ledger shows is not seen in a part of it, and the other way round.
  expect(seen.flat()).toContain(check);
  for (const wrong of seen) expect(wrong.length).toBeGreaterThan(0);
});

test("a day is proved once, by one node, and what was found is kept", async () => {
  await eventually(async () => {
    const { rows } = await sql`select agrees, made_by from reconciliation where scope = 'day'`.execute(venue.db);
    expect(rows).toEqual([{ agrees: true, made_by: "main" }]);
  });
});
