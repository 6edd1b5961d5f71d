import type { PaymentKind, PaymentState } from "@longarm/contract/payments";
import { CODE_LENGTH, codeOf, DESK, OPEN_PAYMENTS } from "@longarm/contract/payments";
import type { Ledger } from "@longarm/ledger/ledger";
import type { AccountAddress } from "@longarm/ledger/rules/address";
import { playerAccount, providerAccount } from "@longarm/ledger/rules/address";
import type { ColumnType, Generated, Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseIn } from "../../../database-time.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { needsPerson } from "./provider-rows.ts";

/* Payments as rows, and the money of a withdrawal that is held until it is decided (record 0238). */

type StoredAt = ColumnType<Date, never, never>;

/** `migrations/payments/0001`: what a payment is about never changes, a state that ends it is final. */
type PaymentTables = {
  payment: {
    id: string;
    player_id: string;
    request_id: string;
    kind: PaymentKind;
    way: string;
    /** Minor units. */
    amount: number;
    state: ColumnType<PaymentState, never, PaymentState>;
    code: string | null;
    made_at: StoredAt;
    expires_at: ColumnType<Date | null, RawBuilder<Date> | null, RawBuilder<Date> | null>;
    moved: ColumnType<number | null, never, number>;
    transfer_id: ColumnType<string | null, never, string>;
    reason: ColumnType<string | null, never, string | null>;
    changed_by: string;
  };
  /** Written by a trigger. */
  payment_step: {
    id: Generated<number>;
    payment_id: string;
    state: PaymentState;
    at: StoredAt;
    changed_by: string;
    reason: string | null;
  };
};

type Follows = Readonly<Partial<Record<PaymentState, readonly PaymentState[]>>>;

/** What may follow on what; every other change is refused. */
const FOLLOWS: Readonly<Record<PaymentKind, Follows>> = {
  deposit: {
    requested: ["authorised", "captured", "refused", "cancelled", "expired", "reversed"],
    authorised: ["authorised", "captured", "refused", "cancelled", "expired", "reversed"],
    captured: ["reversed", "chargedBack"],
  },
  withdrawal: {
    requested: ["inReview", "approved", "paid", "refused", "cancelled", "expired"],
    inReview: ["inReview", "approved", "paid", "refused", "cancelled", "expired"],
    approved: ["sent", "refused"],
    sent: ["paid", "failed"],
    paid: ["failed"],
  },
};

/** Whether a payment of this kind may come from one state into another. */
export const mayFollow = (kind: PaymentKind, from: PaymentState, to: PaymentState): boolean =>
  FOLLOWS[kind][from]?.includes(to) ?? false;

/** The desk may pay it. */
export const AT_DESK = ["requested", "authorised", "inReview"] as const satisfies PaymentState[];

const tablesOf = (db: AnyDb): Kysely<PaymentTables> => db.withTables<PaymentTables>();

export type PaymentRow = {
  readonly id: string;
  readonly playerId: string;
  readonly requestId: string;
  readonly kind: PaymentKind;
  readonly way: string;
  readonly amount: number;
  readonly state: PaymentState;
  readonly code: string | null;
  readonly madeAt: Date;
  /** When it came into its state. */
  readonly at: Date;
  readonly expiresAt: Date | null;
  /** Its time is over, whether or not it was ended. */
  readonly isOver: boolean;
  readonly moved: number | null;
  readonly transferId: string | null;
  readonly reason: string | null;
  readonly changedBy: string;
};

const lastStep = sql<Date>`(select max(s.at) from payment_step s where s.payment_id = p.id)`;

const rows = (db: AnyDb) =>
  tablesOf(db)
    .selectFrom("payment as p")
    .select(["p.id", "p.player_id as playerId", "p.request_id as requestId", "p.kind", "p.way", "p.amount", "p.state"])
    .select(["p.code", "p.made_at as madeAt", "p.expires_at as expiresAt", "p.moved", "p.reason"])
    .select(["p.changed_by as changedBy", "p.transfer_id as transferId", lastStep.as("at")])
    .select(sql<boolean>`coalesce(p.expires_at <= clock_timestamp(), false)`.as("isOver"));

/** A player's newest payments; open ones are never left out. */
export async function paymentsOf(db: AnyDb, playerId: string, limit: number): Promise<PaymentRow[]> {
  return await rows(db)
    .where("p.player_id", "=", playerId)
    .orderBy(sql`p.state in (${sql.join(OPEN_PAYMENTS.map((state) => sql.lit(state)))})`, "desc")
    .orderBy("p.made_at", "desc")
    .orderBy("p.id", "desc")
    .limit(limit)
    .execute();
}

/** Those that a person has to look at. */
const needsLook = sql`select r.payment_id from provider_payment r where ${needsPerson}`;

type Listed = {
  readonly state: "open" | "troubled" | "all";
  readonly way?: string | undefined;
  readonly kind?: PaymentKind | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Payments of all players: open ones the oldest first, all of them the newest first. `after`: the id of the last one of the page before. */
export async function listPayments(db: AnyDb, { state, way, kind, after, limit }: Listed): Promise<PaymentRow[]> {
  const last = sql`(select l.made_at, l.id from payment l where l.id = ${after ?? ""})`;
  const order = state === "open" ? "asc" : "desc";
  const behind: RawBuilder<boolean> =
    state === "open" ? sql`(p.made_at, p.id) > ${last}` : sql`(p.made_at, p.id) < ${last}`;
  return await rows(db)
    .$if(state === "open", (query) => query.where("p.state", "in", OPEN_PAYMENTS))
    .$if(state === "troubled", (query) => query.where(sql<boolean>`p.id in (${needsLook})`))
    .$if(way !== undefined, (query) => query.where("p.way", "=", way ?? ""))
    .$if(kind !== undefined, (query) => query.where("p.kind", "=", kind ?? "deposit"))
    .$if(after !== undefined, (query) => query.where(behind))
    .orderBy("p.made_at", order)
    .orderBy("p.id", order)
    .limit(limit)
    .execute();
}

/** Ways with open payments, also those that are configured no more. */
export async function openWays(db: AnyDb): Promise<string[]> {
  const found = await tablesOf(db)
    .selectFrom("payment")
    .select("way")
    .distinct()
    .where("state", "in", OPEN_PAYMENTS)
    .execute();
  return found.map(({ way }) => way);
}

type Step = { readonly state: PaymentState; readonly at: Date; readonly by: string; readonly reason: string | null };

/** The newest steps that one answer has. */
const STEPS_MAX = 100;

/** The states that a payment had, the oldest first. */
export async function stepsOf(db: AnyDb, id: string): Promise<Step[]> {
  const found = await tablesOf(db)
    .selectFrom("payment_step")
    .select(["state", "at", "changed_by as by", "reason"])
    .where("payment_id", "=", id)
    .orderBy("id", "desc")
    .limit(STEPS_MAX)
    .execute();
  return found.toReversed();
}

type Wanted =
  | { readonly id: string }
  | { readonly code: string }
  | { readonly playerId: string; readonly requestId: string };

/** One payment. By its code only while the desk may pay it. */
export async function findPayment(db: AnyDb, wanted: Wanted): Promise<PaymentRow | undefined> {
  let query = rows(db);
  if ("id" in wanted) query = query.where("p.id", "=", wanted.id);
  else if ("code" in wanted) query = query.where("p.code", "=", wanted.code).where("p.state", "in", AT_DESK);
  else query = query.where("p.player_id", "=", wanted.playerId).where("p.request_id", "=", wanted.requestId);
  return await query.executeTakeFirst();
}

/** The same, locked until the transaction ends. */
export async function lockPayment(trx: AnyDb, id: string): Promise<PaymentRow | undefined> {
  const locked = await tablesOf(trx)
    .selectFrom("payment")
    .select("id")
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return locked && (await findPayment(trx, { id }));
}

/** How many of a kind are open, and how many of any kind were requested within a day. */
export async function countedOf(
  db: AnyDb,
  playerId: string,
  kind: PaymentKind,
): Promise<{ readonly open: number; readonly ofDay: number }> {
  const open = sql.join(OPEN_PAYMENTS.map((state) => sql.lit(state)));
  return await tablesOf(db)
    .selectFrom("payment")
    .select(sql<number>`count(*) filter (where kind = ${kind} and state in (${open}))`.as("open"))
    .select(sql<number>`count(*) filter (where made_at > clock_timestamp() - interval '1 day')`.as("ofDay"))
    .where("player_id", "=", playerId)
    .executeTakeFirstOrThrow();
}

export type NewPayment = Pick<PaymentRow, "playerId" | "requestId" | "kind" | "way" | "amount"> & {
  /** Null: nothing ends it by itself. */
  readonly forMs: number | null;
};

/** Where money of a way comes from and goes to. */
export const accountOf = (way: string): AccountAddress => (way === DESK ? "cage" : providerAccount(way));

/** The hold of a withdrawal has the id of its payment. */
export const holdOf = (paymentId: string): string => `pay:${paymentId}`;
const TRIES = 5;

/**
 * Writes a payment down, and holds the money of a withdrawal. Undefined: the wallet has less than that.
 * @throws the database's refusal of a request id that is used.
 */
export async function addPayment(
  trx: AnyDb,
  { random, ledger }: { readonly random: Random; readonly ledger: Ledger },
  { playerId, requestId, kind, way, amount, forMs }: NewPayment,
): Promise<string | undefined> {
  const id = newId(random, "pm");
  const actor = `player:${playerId}`;
  if (kind === "withdrawal") {
    const held = await ledger.within(trx).hold({
      ...{ id: holdOf(id), kind: "withdraw", from: playerAccount(playerId), to: accountOf(way), amountMinor: amount },
      about: { payment: id, actor },
    });
    if (held.is === "refused") return undefined;
  }
  await tablesOf(trx)
    .insertInto("payment")
    .values({
      ...{ id, kind, way, amount, player_id: playerId, request_id: requestId, changed_by: actor },
      code: way === DESK ? await freeCode(trx, random) : null,
      expires_at: forMs === null ? null : databaseIn(forMs),
    })
    .execute();
  return id;
}

/** A code that no payment has that can be paid. The index decides; of twenty million codes few are in use. */
async function freeCode(trx: AnyDb, random: Random): Promise<string> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const code = codeOf(chosenBy(random));
    if ((await findPayment(trx, { code })) === undefined) return code;
  }
  throw new Error("no code is free");
}

/** Even chances: what a byte has beyond a multiple of 29 is thrown away. */
function chosenBy(random: Random): number[] {
  const chosen: number[] = [];
  while (chosen.length < CODE_LENGTH - 1) chosen.push(...Array.from(random.bytes(8)).filter((byte) => byte < 29 * 8));
  return chosen;
}

export type Change = {
  readonly to: PaymentState;
  /** `player:…`, `staff:…`, `platform`, `provider:…`. */
  readonly by: string;
  readonly reason?: string;
  readonly moved?: { readonly amount: number; readonly transferId: string };
  /** If its time ends, then no sooner than in so many ms. */
  readonly atLeastMs?: number;
};

/** Brings a locked payment into another state. False: that may not follow on its state. */
export async function changePayment(
  trx: AnyDb,
  row: Pick<PaymentRow, "id" | "kind" | "state">,
  { to, by, reason, moved, atLeastMs }: Change,
): Promise<boolean> {
  if (!mayFollow(row.kind, row.state, to)) return false;
  await tablesOf(trx)
    .updateTable("payment")
    .set({
      ...{ state: to, changed_by: by.slice(0, 100) },
      ...(reason !== undefined && { reason }),
      ...(moved && { moved: moved.amount, transfer_id: moved.transferId }),
      ...(atLeastMs !== undefined && {
        // `greatest` leaves out a null: what has no end gets none.
        expires_at: sql<Date>`case when expires_at is not null then greatest(expires_at, ${databaseIn(atLeastMs)}) end`,
      }),
    })
    .where("id", "=", row.id)
    .execute();
  return true;
}

/** Ends a locked payment of which nothing moved; held money is in the wallet again. False: it is decided already. */
export async function endPayment(
  trx: AnyDb,
  ledger: Ledger,
  row: Pick<PaymentRow, "id" | "kind" | "state">,
  change: Change & { readonly to: "refused" | "cancelled" | "expired" | "failed" },
): Promise<boolean> {
  if (!(await changePayment(trx, row, change))) return false;
  if (row.kind === "deposit") return true;
  const freed = await ledger.within(trx).void(holdOf(row.id), change.reason ?? `the withdrawal is ${change.to}`);
  if (freed.is === "refused") throw new Error(`the hold of ${row.id} is not free: ${freed.problem.name}`);
  return true;
}

/** The ids of those at the desk whose time is over, the oldest first. */
export async function overdue(db: AnyDb, limit: number): Promise<string[]> {
  const found = await tablesOf(db)
    .selectFrom("payment")
    .select("id")
    .where("way", "=", DESK)
    .where("state", "in", AT_DESK)
    .where("expires_at", "<=", sql<Date>`clock_timestamp()`)
    .orderBy("expires_at")
    .limit(limit)
    .execute();
  return found.map(({ id }) => id);
}

/** A text that changes whenever a payment changes its state, or needs a person, or a provider falls silent or answers again. */
export async function paymentMark(db: AnyDb): Promise<string> {
  const { rows: marks } = await sql<{
    mark: string;
  }>`select concat_ws(' ', (select coalesce(max(id), 0) from payment_step),
    (select count(*) from provider_payment where trouble is not null and looked_at is null),
    (select count(*) from provider_payment where silent_at is not null)) as mark`.execute(db);
  return marks[0]?.mark ?? "";
}

/** What of payments and ledger does not fit: rows of `subject` and `detail`. `inPeriod`: of the payments that are looked at, by a column of time. */
export const paymentBreaches = (inPeriod: (column: string) => RawBuilder<boolean>) => sql<{
  subject: string;
  detail: string;
}>`
  select p.id as subject, format('%s %s, and its transfer moved %s', p.kind, p.state, coalesce(t.amount_minor::text, 'nothing')) as detail
    from payment p left join ledger.transfers t on t.id = p.transfer_id
      left join ledger.accounts f on f.id = t.from_account left join ledger.accounts o on o.id = t.to_account
    where p.transfer_id is not null and ${inPeriod("p.made_at")}
      and (t.amount_minor, case p.kind when 'deposit' then o.address else f.address end, case p.kind when 'deposit' then f.address else o.address end)
        is distinct from (p.moved, 'player:' || p.player_id, case p.way when 'desk' then 'cage' else 'provider:' || p.way end)
  union all
  select p.id, format('a withdrawal is %s, and its hold is %s', p.state, coalesce(h.status, 'missing'))
    from payment p left join ledger.holds h on h.id = 'pay:' || p.id
    where p.kind = 'withdrawal' and ${inPeriod("p.made_at")} and h.status is distinct from
      case when p.state in ('requested', 'inReview', 'approved', 'sent') then 'open' when p.transfer_id is not null then 'posted' else 'void' end
  union all
  select h.id, 'money is held for no withdrawal' from ledger.holds h
    where h.kind = 'withdraw' and ${inPeriod("h.created_at")} and not exists (select from payment p where h.id = 'pay:' || p.id)`;
