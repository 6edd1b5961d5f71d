import { OwnId } from "@longarm/contract/ids";
import { DESK, readCode } from "@longarm/contract/payments";
import type { PaymentWhole, PaymentRow as ShownPayment } from "@longarm/contract/staff-payments";
import { playerAccount } from "@longarm/ledger/rules/address";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { AnyDb } from "../../../deps.ts";
import { newId } from "../../../random.ts";
import type { PaymentRow } from "../../payments/book/index.ts";
import {
  changePayment,
  disputedOf,
  endPayment,
  findPayment,
  listPayments,
  lockPayment,
  openWays,
  providerCalls,
  providerPartsOf,
  setLooked,
  setWants,
  stepsOf,
  waitsFor,
  wantBack,
} from "../../payments/book/index.ts";
import { collectOwed, owedOf } from "../../payments/provider/index.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import { staffActor } from "../../records/audit/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps } from "./desk.ts";
import { idIn } from "./floor.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** `providers`: those that the server is configured with. */
type WithProviders = { readonly providers: readonly { readonly name: string }[] };

/** Money that players add and withdraw: the payment of a code, lists, and what staff decides about one. */
export function paymentHandlers(deps: ActsDeps & WithProviders): Handlers {
  const { db, source, ledger, bus } = deps;
  return {
    paymentOfCode: async ({ params }) => {
      const code = readCode(params["code"] ?? "");
      const row = code === null ? undefined : await findPayment(source, { code });
      if (row === undefined || row.isOver) throw new Refused("thing.unknown", { kind: "code" });
      return await shownOne(deps, row);
    },
    payments: async ({ query: { after, ...query } }) => {
      if (after !== undefined && !z.safeParse(OwnId, after).success)
        throw new Refused("request.invalid", { where: "after" });
      const rows = await listPayments(source, { ...query, after });
      const all = await shown(deps, rows);
      const ways = new Set([DESK, ...deps.providers.map(({ name }) => name), ...(await openWays(source))]);
      return {
        ...(await listed(db, all, rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null)),
        ways: [...ways],
      };
    },
    payment: async ({ params }) => {
      const row = await findPayment(source, { id: idIn(params, "payment") });
      if (row === undefined) throw new Refused("thing.unknown", { kind: "payment" });
      const steps = await stepsOf(source, row.id);
      return {
        ...(await shownOne(deps, row)),
        steps: steps.map(({ at, ...step }) => ({ ...step, at: at.toISOString() })),
        transfer: row.transferId,
        approval: (await requestedOf(deps, [row.id])).get(row.id) ?? null,
        provider: await providerOf(deps, row),
      };
    },
    refusePayment: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const row = await lockKnown(wholeOf(trx), idIn(params, "payment"));
        const change = { to: "refused", by: staffActor(caller().username), reason: body.reason } as const;
        if (!(await refuse(deps, wholeOf(trx), row, change)))
          throw new Refused("act.refused", { sentence: "It is decided already." });
        after.push(async () => bus.publish("balance.changed", { playerId: row.playerId }));
        return {};
      }),
    ...reviews(deps),
    settlePayment: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const row = await lockKnown(wholeOf(trx), idIn(params, "payment"));
        const by = staffActor(caller().username);
        const known = (await providerPartsOf(wholeOf(trx), [row.id])).get(row.id);
        if (known?.trouble == null) throw new Refused("act.refused", { sentence: "Nothing of it needs a person." });
        const owed = await collectOwed(wholeOf(trx), ledger, row, {
          id: newId(deps.random, "cl"),
          actor: by.slice(0, 100),
          reason: body.reason,
        });
        await setLooked(wholeOf(trx), row.id, by);
        after.push(async () => bus.publish("balance.changed", { playerId: row.playerId }));
        return { owed };
      }),
  };
}

async function lockKnown(trx: AnyDb, id: string): Promise<PaymentRow> {
  const row = await lockPayment(trx, id);
  if (row === undefined) throw new Refused("thing.unknown", { kind: "payment" });
  return row;
}

/** Only a provider knows whether money of a deposit is on its way: it gives it back, and then the payment is over. */
export async function refuse(
  { ledger }: Pick<ActsDeps, "ledger">,
  trx: AnyDb,
  row: PaymentRow,
  change: Parameters<typeof endPayment>[3],
): Promise<boolean> {
  if (row.way !== DESK && row.kind === "deposit") {
    if (row.state !== "requested" && row.state !== "authorised") return false;
    await wantBack(trx, row.id, "refused", change.reason ?? null);
    return true;
  }
  if (!(await endPayment(trx, ledger, row, change))) return false;
  if (row.way !== DESK) await setWants(trx, row.id, null);
  return true;
}

/** What a second signature lets go to a provider. */
export const ReviewContent = z.strictObject({ payment: z.string(), provider: z.string(), amount: z.int() });

/** Lets a reviewed withdrawal go. @throws Refused: it is another one by now. */
export async function approveReviewed(
  trx: AnyDb,
  { payment, amount }: z.output<typeof ReviewContent>,
  by: string,
): Promise<void> {
  const row = await lockPayment(trx, payment);
  if (row === undefined || row.amount !== amount || row.way === DESK || row.state !== "inReview")
    throw new Refused("approval.changed");
  await changePayment(trx, row, { to: "approved", by });
  await setWants(trx, row.id, "withdraw");
}

function reviews(deps: ActsDeps): Pick<Handlers, "approvePayment"> {
  const { random, ledger, secondPerson } = deps;
  return {
    approvePayment: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const row = await lockKnown(wholeOf(trx), idIn(params, "payment"));
        if (row.way === DESK || row.state !== "inReview")
          throw new Refused("act.refused", { sentence: "It does not wait for a review." });
        const content = { payment: row.id, provider: row.way, amount: row.amount };
        if (!secondPerson) {
          await approveReviewed(wholeOf(trx), content, staffActor(caller().username));
          return {};
        }
        const player = await findPlayer(wholeOf(trx).withTables<PlayersTables>(), row.playerId);
        // What is held has left the wallet for its player, and is still in it for the ledger.
        const { balanceMinor } = await ledger.within(trx).account(playerAccount(row.playerId));
        return await requestApproval(trx, random, caller(), {
          kind: "wallet.withdrawal",
          subject: `player:${row.playerId}`,
          amount: row.amount,
          reason: body.reason,
          content,
          evidence: [
            { label: "player", value: player?.username ?? row.playerId },
            { label: "before", value: null, amount: balanceMinor },
            { label: "after", value: null, amount: balanceMinor - row.amount },
          ],
          would: {},
        });
      }),
  };
}

/** The approvals that wait for a second signature, by the payments that they are about. */
async function requestedOf(
  { source }: Pick<ActsDeps, "source">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{
    payment: string;
    approval: string;
  }>`select content ->> 'payment' as payment, id as approval from approval
    where decided_at is null and expires_at > clock_timestamp() and content ->> 'payment' = any(${[...ids]}::text[])`.execute(
    source,
  );
  return new Map(rows.map(({ payment, approval }) => [payment, approval]));
}

async function providerOf(
  { source, providers }: Pick<ActsDeps, "source"> & WithProviders,
  { id, way }: PaymentRow,
): Promise<z.input<typeof PaymentWhole>["provider"]> {
  const calls = way === DESK ? undefined : await providerCalls(source, id);
  if (calls === undefined) return null;
  const { wants, tries, nextAt, silentAt, lastAnswer, lookedBy, lookedAt } = calls;
  return {
    ...{ configured: providers.some(({ name }) => name === way), wants, tries, lastAnswer },
    nextAt: wants === null ? null : nextAt.toISOString(),
    silentSince: silentAt?.toISOString() ?? null,
    looked: lookedBy === null || lookedAt === null ? null : { by: lookedBy, at: lookedAt.toISOString() },
  };
}

async function shownOne(deps: Pick<ActsDeps, "source">, row: PaymentRow): Promise<z.input<typeof ShownPayment>> {
  const [one] = await shown(deps, [row]);
  if (one === undefined) throw new Error("one payment is shown as one");
  return one;
}

async function shown(
  deps: Pick<ActsDeps, "source">,
  rows: readonly PaymentRow[],
): Promise<z.input<typeof ShownPayment>[]> {
  const { source } = deps;
  const ids = rows.map(({ id }) => id);
  const parts = await providerPartsOf(source, ids);
  const requested = await requestedOf(deps, ids);
  const disputed = await disputedOf(source, [...new Set(rows.map(({ playerId }) => playerId))]);
  return await Promise.all(
    rows.map(async (row) => {
      const { id, kind, way, amount, moved, state, reason, playerId } = row;
      const player = await findPlayer(source.withTables<PlayersTables>(), playerId);
      const part = way === DESK ? undefined : parts.get(id);
      const hasGone = state === "reversed" || state === "chargedBack";
      const known = { part, isRequested: requested.has(id), isInDispute: disputed.has(playerId) };
      return {
        ...{ id, kind, way, amount, moved, state, reason },
        player: { id: playerId, username: player?.username ?? playerId },
        name: player === undefined ? null : `${player.name} ${player.lastname}`.trim() || null,
        madeAt: row.madeAt.toISOString(),
        at: row.at.toISOString(),
        until: row.expiresAt?.toISOString() ?? null,
        waits: waitsFor(row, known),
        by: row.changedBy,
        trouble: part?.need ?? null,
        owed: hasGone ? await owedOf(source, row) : 0,
      };
    }),
  );
}
