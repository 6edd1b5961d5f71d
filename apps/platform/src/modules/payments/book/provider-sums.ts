import { DESK, OPEN_PAYMENTS } from "@longarm/contract/payments";
import type { PaymentSum, ProviderSums } from "@longarm/contract/staff-reports";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";

/* Sums of payments by provider, and what the ledger says of the providers' accounts. */

/** Payments of a provider and of one figure, `<kind>_<figure>`. */
type Counted = { readonly provider: string; readonly name: Figure; readonly count: number; readonly amount: number };
type Figure = `deposit_${keyof ProviderSums["deposits"]}` | `withdrawal_${keyof ProviderSums["withdrawals"]}`;

const NOTHING: PaymentSum = { count: 0, amount: 0 };

/** From when to when; the end is not in it. */
type SumsPeriod = { readonly from: Date; readonly to: Date };

/**
 * What became of the payments of each provider in a period, what was under way at its end, and what the ledger says of the provider's account. A payment
 * counts on the day on which it came into a state, so a day that is over does not change. Each provider of which the ledger has an account has a row.
 */
export async function readProviderSums(db: AnyDb, period: SumsPeriod): Promise<ProviderSums[]> {
  const counted = [...(await cameInto(db, period)), ...(await underWay(db, period))];
  const accounts = await readAccounts(db, period);
  const owed = await readOwed(db, period);
  const names = new Set([...accounts.keys(), ...counted.map(({ provider }) => provider)]);
  return [...names].toSorted().map((provider) => {
    const found = new Map(counted.filter((one) => one.provider === provider).map((one) => [one.name, one]));
    const sum = (name: Figure): PaymentSum => {
      const { count, amount } = found.get(name) ?? NOTHING;
      return { count, amount };
    };
    const deposits = {
      captured: sum("deposit_captured"),
      refused: sum("deposit_refused"),
      ended: sum("deposit_ended"),
      reversed: sum("deposit_reversed"),
      chargedBack: sum("deposit_chargedBack"),
      underWay: sum("deposit_underWay"),
    };
    const withdrawals = {
      paid: sum("withdrawal_paid"),
      refused: sum("withdrawal_refused"),
      ended: sum("withdrawal_ended"),
      reversed: sum("withdrawal_reversed"),
      underWay: sum("withdrawal_underWay"),
    };
    const { after, moved } = accounts.get(provider) ?? { after: 0, moved: 0 };
    const { captured, reversed, chargedBack } = deposits;
    const byPayments =
      withdrawals.paid.amount - withdrawals.reversed.amount - (captured.amount - reversed.amount - chargedBack.amount);
    return {
      ...{ provider, deposits, withdrawals, owed: owed.get(provider) ?? 0 },
      account: { before: after - moved, byPayments, other: moved - byPayments, after },
    };
  });
}

/**
 * Payments by the state into which they came in the period. What went back before it was booked came to nothing (`ended`); a withdrawal that failed
 * before it was paid was refused by the provider.
 */
async function cameInto(db: AnyDb, { from, to }: SumsPeriod): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    select way as provider, kind || '_' || figure as name, count(*)::int as count, sum(amount)::bigint as amount from (
      select p.way, p.kind, p.amount, case
          when s.state in ('captured', 'paid', 'refused', 'chargedBack') then s.state
          when s.state in ('cancelled', 'expired') then 'ended'
          when s.state = 'reversed' then case when p.transfer_id is null then 'ended' else 'reversed' end
          when s.state = 'failed' then case when p.transfer_id is null then 'refused' else 'reversed' end
        end as figure
      from payment_step s join payment p on p.id = s.payment_id
      where s.at >= ${from} and s.at < ${to} and p.way <> ${DESK}) step
    where figure is not null group by 1, 2`.execute(db);
  return rows;
}

/** Payments that were not decided when the period ended, or are not now. */
async function underWay(db: AnyDb, { to }: SumsPeriod): Promise<Counted[]> {
  const open = sql.join(OPEN_PAYMENTS.map((state) => sql.lit(state)));
  const { rows } = await sql<Counted>`
    select p.way as provider, p.kind || '_underWay' as name, count(*)::int as count, sum(p.amount)::bigint as amount
    from (select id from payment where state in (${open}) union select payment_id from payment_step where at >= ${to}) candidate
      join payment p on p.id = candidate.id and p.way <> ${DESK}
    where (select s.state from payment_step s where s.payment_id = p.id and s.at < ${to} order by s.id desc limit 1) in (${open})
    group by 1, 2`.execute(db);
  return rows;
}

/** The providers' accounts at the end of the period, and by how much they changed in it. */
async function readAccounts(
  db: AnyDb,
  { from, to }: SumsPeriod,
): Promise<ReadonlyMap<string, { readonly after: number; readonly moved: number }>> {
  const { rows } = await sql<{ provider: string; after: number; moved: number }>`
    select substr(a.address, 10) as provider, (a.balance_minor - coalesce(sum(e.amount_minor) filter (where e.at >= ${to}), 0))::bigint as after,
      coalesce(sum(e.amount_minor) filter (where e.at < ${to}), 0)::bigint as moved
    from ledger.accounts a left join (
      select e.account_id, e.amount_minor, t.created_at as at from ledger.transfers t
        join ledger.postings e on e.transfer_id = t.id where t.created_at >= ${from}) e on e.account_id = a.id
    where a.address like 'provider:%' group by a.id`.execute(db);
  return new Map(rows.map(({ provider, ...sums }) => [provider, sums]));
}

/** What players owed at the end of the period, because money of theirs went back that their wallets did not have. */
async function readOwed(db: AnyDb, { to }: SumsPeriod): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ provider: string; owed: number }>`
    select p.way as provider, sum(p.amount - coalesce((select sum(t.amount_minor) from ledger.transfers t
        where t.corrects = p.transfer_id and t.created_at < ${to}), 0))::bigint as owed
    from payment p where p.kind = 'deposit' and p.way <> ${DESK} and p.state in ('reversed', 'chargedBack') and p.transfer_id is not null
      and exists (select from payment_step s where s.payment_id = p.id and s.state in ('reversed', 'chargedBack') and s.at < ${to})
    group by 1`.execute(db);
  return new Map(rows.map(({ provider, owed }) => [provider, owed]));
}
