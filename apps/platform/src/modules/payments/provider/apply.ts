import type { ProviderStatus } from "@longarm/contract/payment-provider";
import type { PaymentState } from "@longarm/contract/payments";
import { OPEN_PAYMENTS } from "@longarm/contract/payments";
import type { Ledger } from "@longarm/ledger/ledger";
import { owedAccount, playerAccount, providerAccount } from "@longarm/ledger/rules/address";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { lockLimits } from "../../protection/limits/index.ts";
import type { PaymentRow, ProviderRow } from "../book/index.ts";
import {
  changePayment,
  endPayment,
  holdOf,
  lockPayment,
  providerRow,
  setTrouble,
  setUrl,
  setWants,
  wantBack,
} from "../book/index.ts";
import { paymentProblem } from "../may-move.ts";

/*
 * What becomes of a payment by what its provider says: in an answer, in a report, in answer to a question, in any order and any number of times
 * (record 0236). A state only ever goes forward, so what is old or repeated changes nothing, and money moves in the transaction that changes it.
 */

type Applied = {
  readonly trx: AnyDb;
  readonly ledger: Ledger;
  readonly row: PaymentRow;
  readonly own: ProviderRow;
  /** Its state here when the provider was queried; undefined: the provider said it unasked, perhaps long ago. */
  readonly queried: PaymentState | undefined;
};

/** Applies what a provider says of one of its payments. Undefined: it has none of this id. `changed`: the payment's state is another now. */
export async function applyStatus(
  trx: AnyDb,
  ledger: Ledger,
  {
    way,
    status,
    queried,
  }: { readonly way: string; readonly status: ProviderStatus } & Partial<Pick<Applied, "queried">>,
): Promise<{ readonly playerId: string; readonly changed: boolean } | undefined> {
  const row = await lockPayment(trx, status.id);
  if (row === undefined || row.way !== way) return undefined;
  const own = await providerRow(trx, row.id);
  if (own === undefined) return undefined;
  const parts = { trx, ledger: ledger.within(trx), row, own, queried };
  const changed = row.kind === "deposit" ? await applyDeposit(parts, status) : await applyWithdrawal(parts, status);
  return { playerId: row.playerId, changed };
}

/** A state that an end can still follow on. */
const isUndecided = ({ state }: PaymentRow): boolean => state === "requested" || state === "authorised";
const isEnded = ({ state }: PaymentRow): boolean => !(OPEN_PAYMENTS as readonly string[]).includes(state);
const by = ({ row }: Applied): string => `provider:${row.way}`;

/**
 * Another amount or currency than was requested: never booked, and a person looks at it. A payment that is at its end is not watched any more,
 * so its provider is queried once: what it then says is booked, if it fits.
 */
async function differs(
  { trx, row, own, queried }: Applied,
  { amount, currency, state }: ProviderStatus,
): Promise<boolean> {
  if (amount === row.amount && currency === own.currency) return false;
  await setTrouble(trx, row.id, "differs", `${state}: ${amount} ${currency}`);
  if (isEnded(row)) await setWants(trx, row.id, queried === row.state ? null : (own.wants ?? "watch"));
  return true;
}

/**
 * It cannot follow on what is known here. Perhaps it is only old, and was overtaken: the provider is queried once more. Only what it still says then, of
 * a payment that has not changed here since, calls a person. True: it does.
 */
async function contradicts({ trx, row, own, queried }: Applied, { state }: ProviderStatus): Promise<boolean> {
  if (queried !== row.state) {
    await setWants(trx, row.id, own.wants ?? "watch");
    return false;
  }
  await setTrouble(trx, row.id, "contradicts", `${state} after ${row.state}`);
  if (isEnded(row)) await setWants(trx, row.id, null);
  return true;
}

async function applyDeposit(parts: Applied, status: ProviderStatus): Promise<boolean> {
  const { trx, row, own } = parts;
  switch (status.state) {
    case "open":
      if (!isUndecided(row)) return await overtaken(parts, status);
      if (status.url !== undefined) await setUrl(trx, row.id, status.url);
      if (own.wants === "deposit") await setWants(trx, row.id, "watch");
      return false;
    case "authorised":
      return await authorised(parts, status);
    case "captured":
      return await captured(parts, status);
    case "refused":
      if (row.state === "captured") return await overtaken(parts, status);
      return await over(parts, "refused", status.reason ?? null);
    case "reversed":
    case "chargedBack":
      if (row.state !== "captured") return await over(parts, "reversed", status.reason ?? null);
      return (await differs(parts, status)) ? false : await wentBack(parts, status.state, status.reason);
    default:
      return await overtaken(parts, status);
  }
}

async function overtaken(parts: Applied, status: ProviderStatus): Promise<false> {
  await contradicts(parts, status);
  return false;
}

/** The rules of the player hold now: else the provider gives it back, and the player reads why. Null: they let it through. */
async function keptOut({ trx, row }: Applied): Promise<string | null> {
  // Two deposits at the same moment count each other.
  await lockLimits(trx.withTables<LimitsTables>(), row.playerId);
  const player = await findPlayer(trx.withTables<PlayersTables>(), row.playerId);
  if (player === undefined || player.banned_at !== null) return "auth.banned";
  return (await paymentProblem(trx, row.playerId, { kind: "deposit", amount: row.amount }))?.name ?? null;
}

async function authorised(parts: Applied, status: ProviderStatus): Promise<boolean> {
  const { trx, row, own } = parts;
  if (!isUndecided(row)) return await overtaken(parts, status);
  if (own.wants === "reverse" || (await differs(parts, status))) return false;
  if (row.state === "requested") {
    const problem = await keptOut(parts);
    if (problem !== null) {
      await wantBack(trx, row.id, "refused", problem);
      return false;
    }
    await changePayment(trx, row, { to: "authorised", by: by(parts) });
  }
  await setWants(trx, row.id, "capture");
  return row.state === "requested";
}

async function captured(parts: Applied, status: ProviderStatus): Promise<boolean> {
  const { trx, ledger, row, own } = parts;
  if (row.state === "captured") {
    await setWants(trx, row.id, null);
    return false;
  }
  if (!isUndecided(row)) {
    // It is over here. What was taken all the same, and never booked, goes back.
    if (own.wants !== "reverse" && (await contradicts(parts, status)) && row.transferId === null)
      await wantBack(trx, row.id, "refused", null);
    return false;
  }
  if (own.wants === "reverse" || (await differs(parts, status))) return false;
  const problem = await keptOut(parts);
  if (problem !== null) {
    await wantBack(trx, row.id, "refused", problem);
    return false;
  }
  const transferId = `in:${row.id}`;
  const done = await ledger.transfer({
    ...{ id: transferId, kind: "deposit", from: providerAccount(row.way), to: playerAccount(row.playerId) },
    ...{ amountMinor: row.amount, about: { actor: by(parts), payment: row.id } },
  });
  if (done.is === "refused") throw new Error(`the deposit ${row.id} could not be booked: ${done.problem.detail}`);
  await changePayment(trx, row, { to: "captured", by: by(parts), moved: { amount: row.amount, transferId } });
  await setWants(trx, row.id, null);
  return true;
}

/** Nothing of it was booked, and nothing will be. */
async function over(parts: Applied, to: "refused" | "reversed", said: string | null): Promise<boolean> {
  const { trx, ledger, row, own } = parts;
  await setWants(trx, row.id, null);
  if (!isUndecided(row)) return false;
  const reason = own.endAs === null ? said : own.endReason;
  const change = { by: own.endAs === null ? by(parts) : "platform", ...(reason !== null && { reason }) };
  const end = own.endAs ?? to;
  if (end === "reversed") return await changePayment(trx, row, { to: end, ...change });
  return await endPayment(trx, ledger, row, { to: end, ...change });
}

/** How often the wallet is read again while its player moves money. */
const TRIES = 5;

/**
 * Booked money is gone: the wallet gives what it has free, and the rest is owed, so that no wallet is ever below zero and no machine is touched. The
 * player neither plays nor withdraws until a person looked.
 */
async function wentBack(parts: Applied, to: "reversed" | "chargedBack", reason = "no reason given"): Promise<boolean> {
  const { trx, ledger, row } = parts;
  const actor = by(parts);
  const taken = await takeBack(parts, { id: `back:${row.id}`, amount: row.amount, reason: `${to}: ${reason}` });
  if (taken < row.amount) {
    const owed = await ledger.transfer({
      ...{ id: `owe:${row.id}`, kind: "chargeBack", from: owedAccount(row.playerId), to: providerAccount(row.way) },
      ...{ amountMinor: row.amount - taken, about: { actor, payment: row.id, reason: to } },
    });
    if (owed.is === "refused") throw new Error(`what ${row.id} owes could not be booked: ${owed.problem.detail}`);
  }
  await changePayment(trx, row, { to, by: actor, reason });
  await setWants(trx, row.id, null);
  await setTrouble(trx, row.id, "wentBack", to);
  return true;
}

/** Gives the provider what the wallet has free, at most the amount; answers how much that was. */
async function takeBack(
  parts: Pick<Applied, "ledger" | "row">,
  {
    id,
    amount,
    reason,
    actor,
  }: { readonly id: string; readonly amount: number; readonly reason: string; readonly actor?: string },
): Promise<number> {
  const { ledger, row } = parts;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { availableMinor } = await ledger.account(playerAccount(row.playerId));
    const amountMinor = Math.min(availableMinor, amount);
    if (amountMinor <= 0) return 0;
    const done = await ledger.correct({
      ...{ id, transferId: row.transferId ?? "", amountMinor, reason },
      actor: actor ?? `provider:${row.way}`,
      about: { payment: row.id },
    });
    if (done.is === "done") return amountMinor;
    if (done.problem.name !== "wallet.insufficient_funds")
      throw new Error(`the deposit ${row.id} could not be taken back: ${done.problem.detail}`);
  }
  return 0;
}

/** What is still owed of a payment that went back: what its provider has not got out of the wallet, minor units. */
export async function owedOf(
  db: AnyDb,
  { transferId, amount }: Pick<PaymentRow, "transferId" | "amount">,
): Promise<number> {
  if (transferId === null) return 0;
  const { rows } = await sql<{ taken: number }>`
    select coalesce(sum(amount_minor), 0)::bigint as taken from ledger.transfers where corrects = ${transferId}`.execute(
    db,
  );
  return amount - (rows[0]?.taken ?? 0);
}

/** Takes what the wallet has by now towards what is still owed of a payment; answers what remains owed by its player. */
export async function collectOwed(
  trx: AnyDb,
  books: Ledger,
  row: PaymentRow,
  { id, actor, reason }: { readonly id: string; readonly actor: string; readonly reason: string },
): Promise<number> {
  const ledger = books.within(trx);
  const owed = owedAccount(row.playerId);
  if (row.state !== "reversed" && row.state !== "chargedBack") return 0;
  const debt = await owedOf(trx, row);
  if (debt === 0) return 0;
  const taken = await takeBack({ ledger, row }, { id: `back:${id}`, amount: debt, reason, actor });
  if (taken === 0) return debt;
  const paid = await ledger.transfer({
    ...{ id: `owe:${id}`, kind: "chargeBack", from: providerAccount(row.way), to: owed, amountMinor: taken },
    about: { actor, payment: row.id, reason: "paid" },
  });
  if (paid.is === "refused") throw new Error(`what is owed of ${row.id} could not be paid: ${paid.problem.detail}`);
  return debt - taken;
}

async function applyWithdrawal(parts: Applied, status: ProviderStatus): Promise<boolean> {
  const { trx, ledger, row, own } = parts;
  if (row.state !== "sent" && row.state !== "paid" && row.state !== "failed") {
    // It was never sent.
    await setTrouble(trx, row.id, "contradicts", `${status.state} after ${row.state}`);
    return false;
  }
  switch (status.state) {
    case "open":
      if (row.state !== "sent") return await overtaken(parts, status);
      if (own.wants === "withdraw") await setWants(trx, row.id, "watch");
      return false;
    case "paid": {
      if (row.state === "failed") return await overtaken(parts, status);
      if (row.state === "paid") await setWants(trx, row.id, null);
      if (row.state === "paid" || (await differs(parts, status))) return false;
      const transferId = `out:${row.id}`;
      const about = { actor: by(parts), payment: row.id };
      const done = await ledger.post(holdOf(row.id), { id: transferId, amountMinor: row.amount, about });
      if (done.is === "refused") throw new Error(`the withdrawal ${row.id} could not be booked: ${done.problem.name}`);
      await changePayment(trx, row, { to: "paid", by: by(parts), moved: { amount: row.amount, transferId } });
      await setWants(trx, row.id, null);
      return true;
    }
    case "failed":
    case "refused":
    case "reversed": {
      const change = {
        to: "failed",
        by: by(parts),
        ...(status.reason !== undefined && { reason: status.reason }),
      } as const;
      if (row.state === "sent") await endPayment(trx, ledger, row, change);
      else if (row.state === "paid") {
        if (await differs(parts, status)) return false;
        await changePayment(trx, row, change);
        const back = await ledger.correct({
          ...{ id: `back:${row.id}`, transferId: row.transferId ?? "", amountMinor: row.amount },
          ...{ reason: "the bank sent it back", actor: by(parts), about: { payment: row.id } },
        });
        if (back.is === "refused")
          throw new Error(`the withdrawal ${row.id} could not come back: ${back.problem.name}`);
      }
      await setWants(trx, row.id, null);
      return row.state !== "failed";
    }
    default:
      return await overtaken(parts, status);
  }
}
