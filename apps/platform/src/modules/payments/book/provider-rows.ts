import type { PaymentKind, PaymentState, PaymentWait } from "@longarm/contract/payments";
import { DESK, OPEN_PAYMENTS } from "@longarm/contract/payments";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseIn } from "../../../database-time.ts";
import type { AnyDb } from "../../../deps.ts";

/* What a provider and the platform have said about a payment, as rows (record 0236). */

type Wants = "deposit" | "capture" | "withdraw" | "reverse" | "watch";
/** `differs`: another amount or currency. `contradicts`: it cannot follow on what was said. `wentBack`: after it was booked. */
type Trouble = "differs" | "contradicts" | "wentBack";
/** `late`: the provider answers, and comes to no end. */
type Need = Trouble | "late";
type EndAs = Extract<PaymentState, "refused" | "cancelled" | "expired">;

export type ProviderRow = {
  readonly currency: string;
  readonly wants: Wants | null;
  readonly endAs: EndAs | null;
  readonly endReason: string | null;
};

/** One that is due: what the provider is to do next. */
export type Due = ProviderRow & {
  readonly id: string;
  readonly playerId: string;
  readonly way: string;
  readonly amount: number;
  /** When it was taken for this try. */
  readonly state: PaymentState;
  /** A call of it may have gone out before, and has no answer. */
  readonly unsure: boolean;
  readonly returnUrl: string;
  /** A deposit that its player left alone. */
  readonly isAbandoned: boolean;
};

/** Writes down that a payment goes through a provider, with the payment. */
export async function addProviderRow(
  trx: AnyDb,
  row: { readonly id: string; readonly currency: string; readonly wants: Wants | null; readonly returnUrl: string },
): Promise<void> {
  await sql`insert into provider_payment (payment_id, currency, wants, return_url)
    values (${row.id}, ${row.currency}, ${row.wants}, ${row.returnUrl.slice(0, 2_000)})`.execute(trx);
}

/** Of a payment that is locked. */
export async function providerRow(trx: AnyDb, id: string): Promise<ProviderRow | undefined> {
  const { rows } = await sql<ProviderRow>`select currency, wants, end_as as "endAs", end_reason as "endReason"
    from provider_payment where payment_id = ${id} for update`.execute(trx);
  return rows[0];
}

/** What the provider is to do from now on. A repeat of the same changes nothing. */
export async function setWants(trx: AnyDb, id: string, wants: Wants | null): Promise<void> {
  await sql`update provider_payment set wants = ${wants}, wants_at = clock_timestamp(), tries = 0, next_at = clock_timestamp(),
      silent_at = case when ${wants}::text is null then null else silent_at end
    where payment_id = ${id} and wants is distinct from ${wants}`.execute(trx);
}

export async function setUrl(trx: AnyDb, id: string, url: string): Promise<void> {
  await sql`update provider_payment set url = ${url} where payment_id = ${id} and url is distinct from ${url}`.execute(
    trx,
  );
}

/** The provider gives it back; once it has, the payment is over so. The first reason stays. */
export async function wantBack(trx: AnyDb, id: string, endAs: EndAs, reason: string | null): Promise<void> {
  await sql`update provider_payment set end_as = coalesce(end_as, ${endAs}), end_reason = coalesce(end_reason, ${reason?.slice(0, 200) ?? null})
    where payment_id = ${id}`.execute(trx);
  await setWants(trx, id, "reverse");
}

/** Calls for a person. The first trouble stays until somebody looked; what went back is never hidden by another one. */
export async function setTrouble(trx: AnyDb, id: string, trouble: Trouble, answer: string): Promise<void> {
  await sql`update provider_payment set trouble = ${trouble}, trouble_at = clock_timestamp(), looked_by = null, looked_at = null,
      last_answer = ${answer.slice(0, 200)}
    where payment_id = ${id} and (trouble is null or (trouble <> ${trouble} and trouble <> 'wentBack'))`.execute(trx);
}

/** A person has looked. False: no person needs to. */
export async function setLooked(trx: AnyDb, id: string, by: string): Promise<boolean> {
  const done = await sql`update provider_payment set looked_by = ${by.slice(0, 100)}, looked_at = clock_timestamp()
    where payment_id = ${id} and trouble is not null and looked_at is null`.execute(trx);
  return done.numAffectedRows === 1n;
}

/** A deposit that its player left alone for so long is given back, ms. */
const ABANDONED_MS = 3_600_000;

/** Providers of which something is due, also those that are not configured any more. */
export async function dueWays(db: AnyDb): Promise<string[]> {
  const { rows } = await sql<{
    way: string;
  }>`select distinct p.way from provider_payment r join payment p on p.id = r.payment_id
    where r.wants is not null and r.next_at <= clock_timestamp()`.execute(db);
  return rows.map(({ way }) => way);
}

/**
 * Takes what is due for one try, or one payment now: no other node takes it meanwhile. From here on a call may have gone out, whatever becomes of
 * this process.
 */
export async function takeDue(
  db: AnyDb,
  {
    meanwhileMs,
    limit,
    ...of
  }: { readonly meanwhileMs: number; readonly limit: number } & ({ way: string } | { id: string }),
): Promise<Due[]> {
  const which = "id" in of ? sql`r.payment_id = ${of.id}` : sql`r.next_at <= clock_timestamp() and p.way = ${of.way}`;
  const { rows } = await sql<Due>`with due as (
      select r.payment_id, r.unsure from provider_payment r join payment p on p.id = r.payment_id where r.wants is not null and ${which}
        order by r.next_at limit ${limit} for update of r skip locked),
    taken as (
      update provider_payment r set tries = tries + 1, unsure = r.unsure or r.wants <> 'watch',
        next_at = clock_timestamp() + ${meanwhileMs}::double precision * interval '1 millisecond'
        from due where r.payment_id = due.payment_id
        returning r.*, due.unsure as was_unsure)
    select t.payment_id as id, p.player_id as "playerId", p.way, p.amount, p.state, t.currency, t.wants, t.end_as as "endAs", t.end_reason as "endReason",
      t.was_unsure as unsure, t.return_url as "returnUrl",
      p.kind = 'deposit' and p.state = 'requested'
        and p.made_at < clock_timestamp() - ${ABANDONED_MS}::double precision * interval '1 millisecond' as "isAbandoned"
    from taken t join payment p on p.id = t.payment_id`.execute(db);
  return rows;
}

/** The longest time between two calls, s. */
const WAIT_S_MAX = 60;
const later = sql`clock_timestamp() + least(power(2, greatest(1, least(tries, 10)) - 1), ${WAIT_S_MAX}) * interval '1 second'`;

/** There was no answer: the provider is called after 1, 2, 4 … seconds, for as long as it takes. */
export async function noAnswer(db: AnyDb, id: string, why: string): Promise<void> {
  await sql`update provider_payment set last_answer = ${why.slice(0, 200)}, silent_at = coalesce(silent_at, clock_timestamp()), next_at = ${later}
    where payment_id = ${id} and wants is not null`.execute(db);
}

/**
 * There was an answer. `isNext`: it said how far the payment is, so that what is wanted can be said now; else it is called again after a while, in case
 * nothing is reported meanwhile. What is wanted since the answer is said at once.
 */
export async function answered(
  trx: AnyDb,
  id: string,
  { isNext, inMs }: { readonly isNext: boolean; readonly inMs?: number },
): Promise<void> {
  const wait = inMs === undefined ? later : databaseIn(inMs);
  await sql`update provider_payment set unsure = false, silent_at = null,
      next_at = case when wants <> 'watch' and (${isNext} or tries = 0) then clock_timestamp() else ${wait} end
    where payment_id = ${id}`.execute(trx);
}

/** A provider that does not answer for so long is called out, ms. */
const SILENT_MS = 60_000;

/** Providers that have not answered for long, with how many payments wait and since when. */
export async function silentProviders(
  db: AnyDb,
): Promise<{ readonly way: string; readonly count: number; readonly oldest: Date }[]> {
  const { rows } = await sql<{ way: string; count: number; oldest: Date }>`
    select p.way, count(*)::int as count, min(r.silent_at) as oldest from provider_payment r join payment p on p.id = r.payment_id
      where r.silent_at < clock_timestamp() - ${SILENT_MS}::double precision * interval '1 millisecond' group by p.way order by p.way`.execute(
    db,
  );
  return rows;
}

/** How long a bank may take to pay, and a provider to do everything else, ms: then a person is called, though the provider answers. */
const [PAYS_MS, DOES_MS] = [86_400_000, 900_000];
const lateAt = sql<Date>`r.wants_at + case when r.wants = 'watch' then ${PAYS_MS} else ${DOES_MS} end::double precision * interval '1 millisecond'`;
// A withdrawal that was never said to its provider waits here; a silent provider is called out as a whole.
const isLate = sql<boolean>`(r.wants is not null and (r.unsure or r.wants <> 'withdraw') and r.silent_at is null
  and ${lateAt} < clock_timestamp())`;
const isTroubled = sql<boolean>`(r.trouble is not null and r.looked_at is null)`;
/** Of `provider_payment r`: whether a person has to look at it now. */
export const needsPerson = sql<boolean>`(${isTroubled} or ${isLate})`;

type TroubledPayment = {
  readonly id: string;
  readonly playerId: string;
  readonly amount: number;
  readonly way: string;
  readonly trouble: Need;
  readonly since: Date;
};

/** What a person has to look at, the oldest first. */
export async function troubledPayments(db: AnyDb, limit: number): Promise<TroubledPayment[]> {
  const { rows } = await sql<TroubledPayment>`
    select p.id, p.player_id as "playerId", p.amount, p.way, case when ${isTroubled} then r.trouble else 'late' end as trouble,
        case when ${isTroubled} then r.trouble_at else ${lateAt} end as since
      from provider_payment r join payment p on p.id = r.payment_id
      where ${needsPerson} order by since limit ${limit}`.execute(db);
  return rows;
}

export type ProviderPart = {
  readonly url: string | null;
  readonly endsBack: boolean;
  /** There was no answer to the last call. */
  readonly isSilent: boolean;
  /** What went wrong with it, also when somebody looked. */
  readonly trouble: Trouble | null;
  /** What a person has to look at now; null: nothing. */
  readonly need: Need | null;
};

/** What staff and player see of these payments beside the payment itself. */
export async function providerPartsOf(db: AnyDb, ids: readonly string[]): Promise<ReadonlyMap<string, ProviderPart>> {
  const { rows } = await sql<ProviderPart & { id: string }>`
    select payment_id as id, url, wants is not distinct from 'reverse' as "endsBack", silent_at is not null as "isSilent", trouble,
        case when ${isTroubled} then r.trouble when ${isLate} then 'late' end as need
      from provider_payment r where payment_id = any(${[...ids]}::text[])`.execute(db);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

type Known = {
  /** Of a payment that goes through a provider. */
  readonly part: Pick<ProviderPart, "url" | "endsBack" | "isSilent" | "need"> | undefined;
  /** An approval of it waits for a second signature. */
  readonly isRequested: boolean;
  /** Money of its player went back to a provider, and no person has looked at it. */
  readonly isInDispute: boolean;
};

/** What a payment waits for; null: it is over, and needs nothing. */
export function waitsFor(
  { way, kind, state }: { readonly way: string; readonly kind: PaymentKind; readonly state: PaymentState },
  { part, isRequested, isInDispute }: Known,
): PaymentWait | null {
  if (part !== undefined && part.need !== null) return "person";
  if (!(OPEN_PAYMENTS as readonly string[]).includes(state)) return null;
  if (way === DESK) return state === "requested" ? "desk" : "secondPerson";
  if (state === "inReview") return isRequested ? "secondPerson" : "review";
  if (part?.isSilent === true) return "silent";
  if (part?.endsBack === true) return "givingBack";
  if (state === "approved" && isInDispute) return "dispute";
  return kind === "deposit" && state === "requested" && part !== undefined && part.url !== null ? "player" : "provider";
}

type ProviderCalls = {
  readonly wants: Wants | null;
  readonly tries: number;
  readonly nextAt: Date;
  readonly silentAt: Date | null;
  readonly lastAnswer: string | null;
  readonly lookedBy: string | null;
  readonly lookedAt: Date | null;
};

/** What the provider of a payment is to do, how often it was called, and what came of it. Undefined: the payment has no provider. */
export async function providerCalls(db: AnyDb, id: string): Promise<ProviderCalls | undefined> {
  const { rows } = await sql<ProviderCalls>`select wants, tries, next_at as "nextAt", silent_at as "silentAt",
      last_answer as "lastAnswer", looked_by as "lookedBy", looked_at as "lookedAt"
    from provider_payment where payment_id = ${id}`.execute(db);
  return rows[0];
}

/**
 * For queries of other rooms: whether money of the player of the column `id` went back to a provider, and no person has looked at it yet: no play and no
 * withdrawal until then.
 */
export const isInDispute = (id: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from provider_payment r join payment p on p.id = r.payment_id
    where r.trouble = 'wentBack' and r.looked_at is null and p.player_id = ${sql.ref(id)})`;

/** Which of these players are in such a dispute. */
export async function disputedOf(db: AnyDb, playerIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ playerId: string }>`
    select distinct p.player_id as "playerId" from provider_payment r join payment p on p.id = r.payment_id
      where r.trouble = 'wentBack' and r.looked_at is null and p.player_id = any(${[...playerIds]}::text[])`.execute(
    db,
  );
  return new Set(rows.map(({ playerId }) => playerId));
}

/** The same of one player. */
export const hasOpenDispute = async (db: AnyDb, playerId: string): Promise<boolean> =>
  (await disputedOf(db, [playerId])).has(playerId);

/**
 * Payments that went back and that no person has looked at yet, while their players owe something and their wallets have something: credits that came
 * from a machine.
 */
export async function collectable(db: AnyDb, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from provider_payment r join payment p on p.id = r.payment_id
      join ledger.accounts o on o.address = 'owed:' || p.player_id and o.balance_minor < 0
      join ledger.accounts w on w.address = 'player:' || p.player_id and w.balance_minor > w.held_minor
      where r.trouble = 'wentBack' and r.looked_at is null order by r.trouble_at limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** What of providers and ledger does not fit: rows of `subject` and `detail`. */
export const providerBreaches = (inPeriod: (column: string) => RawBuilder<boolean>) => sql<{
  subject: string;
  detail: string;
}>`
  with owed as materialized (
      select t.about ->> 'payment' as id, sum(case when f.address like 'owed:%' then t.amount_minor else -t.amount_minor end) as amount
        from ledger.transfers t join ledger.accounts f on f.id = t.from_account where t.kind = 'chargeBack' group by 1),
    corrected as materialized (
      select corrects as id, sum(amount_minor) as amount from ledger.transfers where corrects is not null group by 1)
  select p.id as subject, format('a deposit of %s is %s, and %s went back', p.moved, p.state, coalesce(c.amount, 0) + coalesce(o.amount, 0)) as detail
    from payment p left join corrected c on c.id = p.transfer_id left join owed o on o.id = p.id
    where p.kind = 'deposit' and p.way <> 'desk' and p.transfer_id is not null and ${inPeriod("p.made_at")}
      and coalesce(c.amount, 0) + coalesce(o.amount, 0) <> case when p.state in ('reversed', 'chargedBack') then p.moved else 0 end
  union all
  select t.id, format('%s between %s and %s belongs to no payment', t.kind, f.address, o.address)
    from ledger.transfers t join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
      left join payment a on a.transfer_id = t.id left join payment b on b.transfer_id = t.corrects left join payment c on c.id = t.about ->> 'payment'
    where (f.address like 'provider:%' or o.address like 'provider:%') and ${inPeriod("t.created_at")}
      and a.id is null and b.id is null and c.id is null`;
