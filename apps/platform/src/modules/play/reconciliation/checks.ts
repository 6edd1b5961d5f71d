import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import { paymentBreaches, providerBreaches } from "../../payments/book/index.ts";
import { paysDispute } from "../../records/disputes/index.ts";
import { remoteBreaches } from "../../remote-wallet/index.ts";
import type { Scope } from "./scope.ts";
import { gameTransferId, inPeriod, ofSession, transfersIn } from "./scope.ts";

/** What must hold, and the query of what does not: rows of `subject` and `detail`. */
export type Check = {
  readonly name: string;
  /** A sentence: it holds. */
  readonly about: string;
  /** Null: it says nothing about this scope. */
  readonly breaches: (scope: Scope) => RawBuilder<{ subject: string; detail: string }> | null;
};

const unlessSession = (scope: Scope, query: () => RawBuilder<{ subject: string; detail: string }>) =>
  scope.is === "session" ? null : query();

/** The ledger by itself. */
const ledgerChecks: readonly Check[] = [
  {
    name: "sum zero",
    about: "All accounts of the ledger add up to zero.",
    breaches: () =>
      sql`select 'all accounts' as subject, 'they add up to ' || sum(balance_minor) as detail from ledger.accounts having sum(balance_minor) <> 0`,
  },
  {
    name: "ledger",
    about: "Balances are the sums of their postings, holds are what is held, every transfer has two sides.",
    breaches: (scope) =>
      scope.is === "all" ? sql`select subject, rule || ': ' || detail as detail from ledger.breaches()` : null,
  },
  {
    name: "postings",
    about: "Each transfer has its two postings, and each posting goes on from the one before it on its account.",
    breaches: (scope) =>
      scope.is === "all"
        ? sql`select transfer_id as subject, 'a posting of it does not go on from the one before' as detail
            from (select p.*, lag(balance_minor) over w as before, lag(entry_number) over w as last
              from ledger.postings p window w as (partition by account_id order by entry_number)) x
            where balance_minor <> coalesce(before, 0) + amount_minor or entry_number <> coalesce(last, 0) + 1`
        : sql`select t.id as subject, 'its postings do not go on from those before, or do not balance' as detail
            from ${transfersIn(scope)}
            left join lateral (
              select count(*) as sides, sum(p.amount_minor) as total,
                bool_and(p.balance_minor = coalesce(before.balance_minor, 0) + p.amount_minor and (p.entry_number = 1 or before.account_id is not null)) as goes_on
              from ledger.postings p left join ledger.postings before on before.account_id = p.account_id and before.entry_number = p.entry_number - 1
              where p.transfer_id = t.id) sides on true
            where ${inPeriod(scope, "t.created_at")} and (sides.sides <> 2 or sides.total <> 0 or not sides.goes_on)`,
  },
];

/** Every transfer of the ledger belongs to something outside of it, and the other way round (GLI-19 2.8.5, B.3.5). */
const belongingChecks: readonly Check[] = [
  {
    name: "transfers of play",
    about:
      "Each cash-in and cash-out of the ledger is a transfer with a machine, of a play session, of the same amount.",
    breaches: (scope) => sql`
      select t.id as subject, format('%s of %s', t.kind, t.amount_minor) as detail from ${transfersIn(scope)}
      left join machine_transfer m on m.id = t.id left join play_session p on p.id = m.play_session_id
      where t.kind in ('cashIn', 'cashOut') and ${inPeriod(scope, "t.created_at")} and (
        p.id is null or m.state <> 'done' or m.amount <> t.amount_minor or m.direction <> t.kind
        or case m.direction when 'cashIn' then (f.address, o.address) else (o.address, f.address) end
          is distinct from ('player:' || m.player_id, 'machine:' || m.machine_id))`,
  },
  {
    name: "transfers with machines",
    about:
      "Each transfer with a machine is booked once it is done, not booked when it was refused, held while it is open.",
    // A cash-in that broke off before its hold is refused without one.
    breaches: (scope) => sql`
      select m.id as subject, format('%s %s %s, hold %s, booked %s', m.direction, m.state, m.amount, coalesce(h.status, 'none'), coalesce(t.amount_minor, 0)) as detail
      from machine_transfer m left join ledger.transfers t on t.id = m.id left join ledger.holds h on h.id = m.id
      where ${inPeriod(scope, "m.created_at")} and ${ofSession(scope, "m.play_session_id")} and (
        coalesce(t.amount_minor, 0) <> case when m.state = 'done' then m.amount else 0 end
        or (m.direction = 'cashIn' and coalesce(h.status, 'void') <> case when m.state in ('asking', 'unknown') then 'open' when m.amount > 0 then 'posted' else 'void' end))`,
  },
  {
    name: "games in the ledger",
    about: "Each game moved in the ledger what it won or lost, once.",
    breaches: (scope) => sql`
      select g.machine_id || ' game ' || g.game_number as subject,
        format('it made %s, the ledger moved %s', g.win - g.hand_paid - g.stake, coalesce(case when o.address like 'machine:%' then t.amount_minor else -t.amount_minor end, 0)) as detail
      from game g left join ledger.transfers t on t.id = ${gameTransferId} and t.kind = 'game'
      left join ledger.accounts f on f.id = t.from_account left join ledger.accounts o on o.id = t.to_account
      where ${inPeriod(scope, "g.taken_at")} and ${ofSession(scope, "g.play_session_id")}
        and coalesce(case when o.address = 'machine:' || g.machine_id and f.address = 'house' then t.amount_minor
          when f.address = 'machine:' || g.machine_id and o.address = 'house' then -t.amount_minor end, 0) <> g.win - g.hand_paid - g.stake`,
  },
  {
    name: "transfers of games",
    about: "Each game transfer of the ledger is a game of the history.",
    breaches: (scope) => sql`
      select t.id as subject, 'no such game is in the history' as detail from ${transfersIn(scope)}
      left join game g on g.machine_id = t.about ->> 'machineId' and g.game_number = (t.about ->> 'gameNumber')::bigint
        and t.id = ${gameTransferId}
      where t.kind = 'game' and ${inPeriod(scope, "t.created_at")} and g.machine_id is null`,
  },
  {
    name: "hand pays",
    about: "Each hand pay of the ledger was owed by a machine and confirmed by staff, and each confirmed one was paid.",
    breaches: (scope) => sql`
      select t.id as subject, format('owed %s, paid %s', h.amount, t.amount_minor) as detail from ${transfersIn(scope)}
      left join hand_pay h on h.machine_id = t.about ->> 'machineId' and h.hand_pay_id = t.about ->> 'handPayId'
        and h.confirmed_at is not null and t.id = ledger_id_of('handPay', h.machine_id, h.hand_pay_id)
      where t.kind in ('handPay', 'jackpot') and ${inPeriod(scope, "t.created_at")} and h.amount is distinct from t.amount_minor
      union all
      select h.machine_id || ' ' || h.hand_pay_id, format('owed %s, confirmed, and not paid', h.amount) from hand_pay h
      left join ledger.transfers t on t.id = ledger_id_of('handPay', h.machine_id, h.hand_pay_id)
      where h.confirmed_at is not null and h.player_id is not null and ${inPeriod(scope, "h.confirmed_at")}
        and ${ofSession(scope, "h.play_session_id")} and t.id is null`,
  },
  {
    name: "gifts",
    about: "Each discount and bonus of the ledger was claimed.",
    breaches: (scope) =>
      unlessSession(
        scope,
        () => sql`
      select t.id as subject, format('%s of %s', t.kind, t.amount_minor) as detail from ${transfersIn(scope)}
      left join discount_claim d on d.transfer_id = t.id left join bonus_grant b on b.transfer_id = t.id
      where t.kind in ('discount', 'bonus') and ${inPeriod(scope, "t.created_at")}
        and t.amount_minor is distinct from case t.kind when 'discount' then d.amount else b.amount end`,
      ),
  },
  {
    name: "fees",
    about: "Each fee of the ledger is the price of a held seat, and each held seat with a price was paid.",
    breaches: (scope) => sql`
      select t.id as subject, format('price %s, paid %s from %s to %s', s.price, t.amount_minor, f.address, o.address) as detail
      from ${transfersIn(scope)} left join seat_hold s on s.transfer_id = t.id
      where t.kind = 'fee' and ${inPeriod(scope, "t.created_at")}
        and (t.amount_minor, f.address, o.address) is distinct from (s.price, 'player:' || s.player_id, 'fees')
      union all
      select s.id, format('price %s, and not paid', s.price) from seat_hold s
      left join ledger.transfers t on t.id = s.transfer_id and t.kind = 'fee'
      where s.price > 0 and ${inPeriod(scope, "s.begun_at")} and ${ofSession(scope, "s.play_session_id")} and t.id is null`,
  },
  {
    name: "operators",
    about: "Each deposit, withdrawal and correction names who made it.",
    breaches: (scope) =>
      unlessSession(
        scope,
        () => sql`
      select t.id as subject, format('%s of %s by %s', t.kind, t.amount_minor, coalesce(t.about ->> 'actor', 'nobody')) as detail from ${transfersIn(scope)}
      where t.kind in ('deposit', 'withdraw', 'correction') and ${inPeriod(scope, "t.created_at")}
        and coalesce(t.about ->> 'actor', '') !~ '^((staff|integration|provider):.+|platform)$'`,
      ),
  },
  {
    name: "remote wallet",
    about:
      "Each movement of the operator's own wallet is in the ledger once it counts, with its amount and its player, and no other is.",
    breaches: (scope) => unlessSession(scope, () => remoteBreaches((column) => inPeriod(scope, column))),
  },
  {
    name: "payments",
    about: "Each payment that was made has its transfer, and money of wallets is held for open withdrawals alone.",
    breaches: (scope) => unlessSession(scope, () => paymentBreaches((column) => inPeriod(scope, column))),
  },
  {
    name: "payment providers",
    about:
      "Money of a provider belongs to a payment; what went back was given by its wallet or is owed, and nothing else went back.",
    breaches: (scope) => unlessSession(scope, () => providerBreaches((column) => inPeriod(scope, column))),
  },
  {
    name: "suspense",
    about:
      "Each transfer to and from suspense belongs to a difference; each claim that was paid belongs to one or to a question.",
    breaches: (scope) => sql`
      select t.id as subject, format('%s from %s to %s', t.amount_minor, f.address, o.address) as detail from ${transfersIn(scope)}
      where (t.kind = 'suspense' or 'suspense' in (f.address, o.address)) and ${inPeriod(scope, "t.created_at")}
        and not exists (select from discrepancy d where d.transfer_id = t.id or d.cleared_by = t.id or t.id = 'explain.pay:' || d.id)
        and not ${paysDispute(sql`t.id`, sql`t.amount_minor`)}`,
  },
  {
    name: "history of wallets",
    about: "The history that players read is the ledger's own.",
    breaches: (scope) =>
      unlessSession(
        scope,
        () => sql`
      select coalesce(w.transfer_id, t.id) as subject, 'a wallet entry differs from its posting' as detail
      from ledger.transfers t join ledger.postings p on p.transfer_id = t.id
      join ledger.accounts a on a.id = p.account_id and a.address like 'player:%'
      left join wallet_entry w on w.player_id = substring(a.address from 8) and w.entry_number = p.entry_number
      where ${inPeriod(scope, "t.created_at")} and (w.transfer_id, w.amount, w.balance) is distinct from (t.id, p.amount_minor, p.balance_minor)`,
      ),
  },
];

export const ledgerSide: readonly Check[] = [...ledgerChecks, ...belongingChecks];
