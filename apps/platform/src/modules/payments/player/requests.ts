import { DESK, PAYMENT_KINDS } from "@longarm/contract/payments";
import type { PaymentsAnswer, paymentCalls } from "@longarm/contract/player-payments";
import type { Problem } from "@longarm/contract/problems";
import { runTransaction } from "@longarm/database/run-transaction";
import type * as z from "zod/mini";
import type { AnyDb, PlatformDeps } from "../../../deps.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import { repeatLook } from "../../../repeat-look.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { lockLimits } from "../../protection/limits/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { rulesOf } from "../../protection/markets/index.ts";
import type { PaymentRow } from "../book/index.ts";
import {
  addPayment,
  addProviderRow,
  changePayment,
  countedOf,
  endPayment,
  findPayment,
  lockPayment,
  overdue,
  wantBack,
} from "../book/index.ts";
import { paymentProblem } from "../may-move.ts";

/* What a player requests, from its first check to its end without a cashier. */

/** A player has so many of a kind under way. */
export const PAYMENTS_OPEN_MAX = 3;
/** Each is a row for ever. */
export const PAYMENTS_OF_DAY_MAX = 50;
const DAY_S = 86_400;
const MINUTE_MS = 60_000;

type RequestParts = Pick<PlatformDeps, "random" | "ledger" | "config"> & {
  /** ISO 4217. */
  readonly currency: () => string;
};
type Wish = z.output<typeof paymentCalls.requestPayment.body>;

/** The ways that are open now, and what each does. A desk is where staff has a console. */
export function waysOf({ config }: Pick<RequestParts, "config">): PaymentsAnswer["ways"] {
  const hasDesk = config.staff.portNumber !== null && config.play.DESK_CODE_MIN > 0;
  const names = [...(hasDesk ? [DESK] : []), ...config.providers.map(({ name }) => name)];
  return names.map((name) => ({ name, kinds: [...PAYMENT_KINDS] }));
}

/** What became of a wish: why it may not be; else, of a new one that goes through a provider, its id. */
type Requested = { readonly problem: Problem | null; readonly isNewAt?: string };

/** A repeat changes nothing. `returnUrl`: where a provider sends the player at the end. Problems: transfer.id_conflict, payment.way_off, payment.open, request.too_many, wallet.insufficient_funds, those of `paymentProblem`. */
export async function requestOnce(
  parts: RequestParts,
  trx: AnyDb,
  playerId: string,
  wish: Wish & { readonly returnUrl: string },
): Promise<Requested> {
  const refused = (problem: Problem | null): Requested => ({ problem });
  const { id: requestId, kind, way, amount } = wish;
  // Two requests at the same moment count each other.
  await lockLimits(trx.withTables<LimitsTables>(), playerId);
  const known = await findPayment(trx, { playerId, requestId });
  if (known !== undefined) {
    const isSame = known.kind === kind && known.way === way && known.amount === amount;
    return refused(isSame ? null : { name: "transfer.id_conflict" });
  }
  if (!waysOf(parts).some((one) => one.name === way && one.kinds.includes(kind)))
    return refused({ name: "payment.way_off" });
  const { open, ofDay } = await countedOf(trx, playerId, kind);
  if (open >= PAYMENTS_OPEN_MAX) return refused({ name: "payment.open" });
  if (ofDay >= PAYMENTS_OF_DAY_MAX) return refused({ name: "request.too_many", params: { seconds: DAY_S } });
  const problem = await paymentProblem(trx, playerId, { kind, amount });
  if (problem !== null) return refused(problem);
  const endsByItself = way === DESK && (kind === "deposit" || (await mayTakeBack(trx, playerId)));
  const forMs = endsByItself ? parts.config.play.DESK_CODE_MIN * MINUTE_MS : null;
  const id = await addPayment(trx, parts, { playerId, requestId, kind, way, amount, forMs });
  if (id === undefined) return refused({ name: "wallet.insufficient_funds" });
  if (way === DESK) return refused(null);
  await sendToProvider(parts, trx, { id, kind, amount, returnUrl: wish.returnUrl });
  return { problem: null, isNewAt: id };
}

/** The provider is to do it; a large withdrawal after staff looked at it. */
async function sendToProvider(
  { config, currency }: RequestParts,
  trx: AnyDb,
  { id, kind, amount, returnUrl }: Pick<PaymentRow, "id" | "kind" | "amount"> & { readonly returnUrl: string },
): Promise<void> {
  const isReviewed = kind === "withdrawal" && amount >= config.play.WITHDRAWAL_REVIEW;
  const sends = isReviewed ? null : "withdraw";
  await addProviderRow(trx, { id, currency: currency(), wants: kind === "deposit" ? kind : sends, returnUrl });
  if (kind === "withdrawal")
    await changePayment(
      trx,
      { id, kind, state: "requested" },
      { to: isReviewed ? "inReview" : "approved", by: "platform" },
    );
}

/** A withdrawal whose code ends is taken back too: where the market forbids that, its code stays good. */
export const mayTakeBack = async (db: AnyDb, playerId: string): Promise<boolean> =>
  (await rulesOf(db.withTables<MarketTables>(), { playerId })).withdrawalTakeBack;

/** False: it cannot be ended by the player any more. Undefined: the player has no such payment. */
export async function cancelOwn(
  { ledger }: Pick<RequestParts, "ledger">,
  trx: AnyDb,
  playerId: string,
  id: string,
): Promise<boolean | undefined> {
  const row = await lockPayment(trx, id);
  if (row?.playerId !== playerId) return undefined;
  if (row.state === "cancelled") return true;
  if (!mayCancel(row, await mayTakeBack(trx, playerId))) return false;
  if (row.way !== DESK && row.kind === "deposit") {
    // Only the provider knows whether money is on its way: it gives it back, and then the payment is over.
    await wantBack(trx, id, "cancelled", null);
    return true;
  }
  return await endPayment(trx, ledger, row, { to: "cancelled", by: `player:${playerId}` });
}

export const mayCancel = ({ kind, state, way }: PaymentRow, takesBack: boolean): boolean =>
  kind === "deposit" ? state === "requested" : takesBack && state === (way === DESK ? "requested" : "inReview");

const LOOK_MS = 5_000;
const AT_ONCE = 100;

type EndsParts = Pick<PlatformDeps, "ledger" | "bus" | "clock"> & {
  readonly db: AnyDb;
  readonly log: Pick<PlatformDeps["log"], "warn">;
};

/** Ends payments whose time is over, by the database's clock, so that held money is in the wallet again. Any node does it. */
export function createPaymentEnds({ db, ledger, bus, clock, log }: EndsParts): RepeatedLook {
  const failed = "payments whose time is over could not be ended, the next look tries again";
  return repeatLook({ clock, log, everyMs: LOOK_MS, failed }, async (isClosed) => {
    let ended = 0;
    for (const id of await overdue(db, AT_ONCE)) {
      if (isClosed()) break;
      const playerId = await runTransaction(db, async (trx) => {
        const row = await lockPayment(trx, id);
        if (row?.isOver !== true) return undefined;
        return (await endPayment(trx, ledger, row, { to: "expired", by: "platform" })) ? row.playerId : undefined;
      });
      if (playerId === undefined) continue;
      ended += 1;
      bus.publish("balance.changed", { playerId });
    }
    return ended;
  });
}
