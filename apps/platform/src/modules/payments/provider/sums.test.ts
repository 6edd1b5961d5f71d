import type { PaymentKind } from "@longarm/contract/payments";
import type { ProviderSums } from "@longarm/contract/staff-reports";
import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import type { AnyDb } from "../../../deps.ts";
import { systemRandom } from "../../../random.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { addPayment, addProviderRow, changePayment, endPayment, lockPayment, readProviderSums } from "../book/index.ts";
import { applyStatus, collectOwed } from "./apply.ts";

/* What the report of payments by provider counts, beside payments that are applied as providers say them. */

const venue = sharePlayVenue({});
const db = (): AnyDb => venue.database.kysely as AnyDb;
const DAY_MS = 86_400_000;
let from: Date;
let to: Date;
beforeAll(async () => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db());
  const now = rows[0]?.now.getTime() ?? 0;
  from = new Date(now - DAY_MS / 2);
  to = new Date(now + DAY_MS / 2);
});

let number = 0;
/** A payment as it was requested; a withdrawal has gone to its provider, or waits for a review. */
async function added(
  playerId: string,
  kind: PaymentKind,
  amount: number,
  { way = "acme", isReviewed = false } = {},
): Promise<string> {
  number += 1;
  const wish = { playerId, kind, way, amount, requestId: `request-${number}`, forMs: null };
  return await runTransaction(db(), async (trx) => {
    const id = await addPayment(trx, { random: systemRandom, ledger: venue.ledger }, wish);
    if (id === undefined) throw new Error("the wallet has less than that");
    const wants = kind === "deposit" ? kind : "withdraw";
    await addProviderRow(trx, { id, currency: "TRY", wants, returnUrl: "https://play.example.org/wallet" });
    if (isReviewed) await changePayment(trx, { id, kind, state: "requested" }, { to: "inReview", by: "platform" });
    else if (kind === "withdrawal") {
      await changePayment(trx, { id, kind, state: "requested" }, { to: "approved", by: "platform" });
      await changePayment(trx, { id, kind, state: "approved" }, { to: "sent", by: `provider:${way}` });
    }
    return id;
  });
}
type Said = "captured" | "refused" | "reversed" | "chargedBack" | "paid" | "failed";
async function says(id: string, amount: number, ...states: readonly Said[]): Promise<void> {
  for (const state of states)
    await runTransaction(db(), async (trx) => {
      const row = await lockPayment(trx, id);
      await applyStatus(trx, venue.ledger, { way: row?.way ?? "", status: { id, state, amount, currency: "TRY" } });
    });
}
const sumsOf = async (provider: string, period = { from, to }): Promise<ProviderSums | undefined> =>
  (await readProviderSums(db(), period)).find((row) => row.provider === provider);
const of = (count: number, amount: number) => ({ count, amount });
const none = of(0, 0);

/** As if the states of a payment and its transfers were of the day before. */
async function moveBack(ids: readonly string[]): Promise<void> {
  const day = sql`interval '1 day'`;
  await runTransaction(db(), async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`update payment set made_at = made_at - ${day} where id in (${sql.join(ids)})`.execute(trx);
    await sql`update payment_step set at = at - ${day} where payment_id in (${sql.join(ids)})`.execute(trx);
    await sql`update ledger.transfers set created_at = created_at - ${day} where about ->> 'payment' in (${sql.join(ids)})`.execute(
      trx,
    );
  });
}

describe("the sums of a provider", () => {
  test("count each payment by what became of it, and fit the provider's account", async () => {
    const player = await venue.player("sums.one");
    const deposit = (amount: number) => added(player.id, "deposit", amount);
    const withdrawal = (amount: number) => added(player.id, "withdrawal", amount);
    await says(await deposit(50_000), 50_000, "captured");
    await says(await deposit(10_000), 10_000, "captured", "reversed");
    await says(await deposit(7_000), 7_000, "refused");
    await says(await deposit(6_000), 6_000, "reversed");
    await deposit(5_000);
    await says(await withdrawal(20_000), 20_000, "paid");
    await says(await withdrawal(9_000), 9_000, "failed");
    await says(await withdrawal(8_000), 8_000, "paid", "failed");
    await withdrawal(3_000);
    const left = await added(player.id, "withdrawal", 2_000, { isReviewed: true });
    await runTransaction(db(), async (trx) => {
      const row = await lockPayment(trx, left);
      if (row !== undefined) await endPayment(trx, venue.ledger, row, { to: "cancelled", by: `player:${player.id}` });
    });
    await venue.ledger.transfer({
      ...{ id: "at-the-desk", kind: "deposit", from: "cage", to: `player:${player.id}`, amountMinor: 1_000 },
      about: { actor: "staff:test" },
    });
    const sums = await sumsOf("acme");
    expect(sums).toEqual({
      provider: "acme",
      deposits: {
        ...{ captured: of(2, 60_000), refused: of(1, 7_000), ended: of(1, 6_000) },
        ...{ reversed: of(1, 10_000), chargedBack: none, underWay: of(1, 5_000) },
      },
      withdrawals: {
        ...{ paid: of(2, 28_000), refused: of(1, 9_000), ended: of(1, 2_000) },
        ...{ reversed: of(1, 8_000), underWay: of(1, 3_000) },
      },
      account: { before: 0, byPayments: -30_000, other: 0, after: -30_000 },
      owed: 0,
    });
    expect((await venue.ledger.account("provider:acme")).balanceMinor).toBe(-30_000);
  });

  test("show a charge-back on its own day, what is owed until it is there, and what was booked by hand", async () => {
    const player = await venue.player("sums.two");
    const id = await added(player.id, "deposit", 40_000, { way: "bank" });
    await says(id, 40_000, "captured");
    await moveBack([id]);
    const yesterday = { from: new Date(from.getTime() - DAY_MS), to: from };
    const wasCaptured = {
      deposits: { captured: of(1, 40_000), chargedBack: none, underWay: none },
      account: { before: 0, byPayments: -40_000, other: 0, after: -40_000 },
    };
    expect(await sumsOf("bank", yesterday)).toMatchObject({ ...wasCaptured, owed: 0 });
    await venue.ledger.transfer({
      ...{ id: "onto-a-machine", kind: "cashIn", from: `player:${player.id}`, to: "machine:m1", amountMinor: 30_000 },
      about: { actor: "staff:test" },
    });
    await says(id, 40_000, "chargedBack");
    const wentBack = {
      deposits: { captured: none, chargedBack: of(1, 40_000) },
      account: { before: -40_000, after: 0 },
    };
    expect(await sumsOf("bank")).toMatchObject({ ...wentBack, owed: 30_000 });
    expect(await sumsOf("bank", yesterday)).toMatchObject({ ...wasCaptured, owed: 0 });
    await venue.ledger.transfer({
      ...{ id: "back-again", kind: "cashOut", from: "machine:m1", to: `player:${player.id}`, amountMinor: 12_000 },
      about: { actor: "staff:test" },
    });
    await runTransaction(db(), async (trx) => {
      const row = await lockPayment(trx, id);
      if (row !== undefined)
        await collectOwed(trx, venue.ledger, row, { id: "cl_1", actor: "platform", reason: "it is owed" });
    });
    // What is collected goes to the provider's account and from there to what is owed: the account is as it was.
    expect(await sumsOf("bank")).toMatchObject({ account: { byPayments: 40_000, other: 0, after: 0 }, owed: 18_000 });
    const mistake = await added(player.id, "deposit", 500, { way: "bank" });
    await says(mistake, 500, "captured");
    await venue.ledger.correct({
      ...{ id: "by-hand", transferId: `in:${mistake}`, amountMinor: 500, reason: "typed twice", actor: "staff:test" },
    });
    expect(await sumsOf("bank")).toMatchObject({ account: { byPayments: 39_500, other: 500, after: 0 } });
  });

  test("say what was under way when a day ended, whatever became of it later", async () => {
    const player = await venue.player("sums.three");
    const id = await added(player.id, "deposit", 1_500, { way: "later" });
    await moveBack([id]);
    await says(id, 1_500, "captured");
    const yesterday = { from: new Date(from.getTime() - DAY_MS), to: from };
    expect(await sumsOf("later", yesterday)).toMatchObject({
      ...{ deposits: { captured: none, underWay: of(1, 1_500) }, account: { before: 0, after: 0 } },
    });
    expect(await sumsOf("later")).toMatchObject({ deposits: { captured: of(1, 1_500), underWay: none } });
    const before = { from: new Date(from.getTime() - 2 * DAY_MS), to: new Date(from.getTime() - DAY_MS) };
    expect(await sumsOf("later", before)).toMatchObject({ deposits: { underWay: none } });
  });
});
