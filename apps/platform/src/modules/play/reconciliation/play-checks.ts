import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Check } from "./checks.ts";
import type { Scope } from "./scope.ts";
import { inPeriod, ofSession } from "./scope.ts";

/** Play sessions of the scope: those that were open at some moment of it. */
function sessionsIn(scope: Scope): RawBuilder<boolean> {
  if (scope.is === "session") return sql`p.id = ${scope.id}`;
  if (scope.is === "all") return sql`true`;
  const begun = scope.to === null ? sql`true` : sql`p.started_at < ${scope.to}`;
  const notOver = scope.from === null ? sql`true` : sql`(p.ended_at is null or p.ended_at >= ${scope.from})`;
  return sql`(${begun} and ${notOver})`;
}

const sessionChecks: readonly Check[] = [
  {
    name: "sums of sessions",
    about: "What a play session says of itself is the sum of its transfers and its games.",
    breaches: (scope) => sql`
      select p.id as subject, format('in %s of %s, out %s of %s, net %s of %s, wagered %s of %s, games %s of %s, free spins %s of %s', p.cashed_in, t.cash_in, p.cashed_out, t.cash_out,
        p.net, g.net, p.wagered, g.wagered, p.games, g.games, p.free_spins, g.free_spins) as detail
      from play_session p
      left join lateral (select coalesce(sum(amount) filter (where direction = 'cashIn'), 0) as cash_in, coalesce(sum(amount) filter (where direction = 'cashOut'), 0) as cash_out
        from machine_transfer where play_session_id = p.id and state = 'done') t on true
      left join lateral (select count(*) as games, coalesce(sum(win - stake), 0) as net, coalesce(sum(stake), 0) as wagered,
          case when bool_or(free_spins is null) then null else coalesce(sum(free_spins), 0) end as free_spins
        from game where play_session_id = p.id) g on true
      where ${sessionsIn(scope)} and (p.cashed_in, p.cashed_out, p.net, p.wagered, p.games, p.free_spins) is distinct from (t.cash_in, t.cash_out, g.net, g.wagered, g.games, g.free_spins)`,
  },
  {
    name: "sessions that are over",
    about:
      "All that went into a play session and was won in it came out again: to the wallet, by hand, or to suspense with its difference.",
    breaches: (scope) => sql`
      select p.id as subject, format('%s of it are nowhere', p.cashed_in + p.net - p.cashed_out - g.by_hand - c.cancelled - d.suspense) as detail
      from play_session p
      left join lateral (select coalesce(sum(hand_paid), 0) as by_hand from game where play_session_id = p.id) g on true
      left join lateral (select coalesce(sum(t.amount_minor), 0) as cancelled from hand_pay h
        join ledger.transfers t on t.id = ledger_id_of('handPay', h.machine_id, h.hand_pay_id) join ledger.accounts f on f.id = t.from_account
        where h.play_session_id = p.id and h.kind = 'cancelledCredits' and f.address = 'machine:' || h.machine_id) c on true
      left join lateral (select coalesce(sum(ledger_amount), 0) as suspense from discrepancy where play_session_id = p.id and transfer_id is not null) d on true
      where ${sessionsIn(scope)} and p.ended_at is not null and p.cashed_in + p.net - p.cashed_out - g.by_hand - c.cancelled - d.suspense <> 0`,
  },
  {
    name: "open sessions",
    about: "Each play session that is not over has its seat, and a seat that nobody has holds no money.",
    breaches: (scope) => sql`
      select p.id as subject, 'no seat belongs to it' as detail from play_session p
      where p.ended_at is null and ${ofSession(scope, "p.id")} and not exists (select from seat s where s.machine_id = p.machine_id and s.play_session_id = p.id)
      union all
      select s.machine_id, format('it is free, and the ledger has %s on it', a.balance_minor) from seat s join ledger.accounts a on a.address = 'machine:' || s.machine_id
      where s.state = 'free' and a.balance_minor <> 0 and ${scope.is === "session" ? sql`false` : sql`true`}`,
  },
];

const gameChecks: readonly Check[] = [
  {
    name: "games without gaps",
    about: "The games of each machine are numbered without gaps.",
    breaches: (scope) => sql`
      with holes as materialized (
        select g.machine_id, g.game_number from game g left join game b on b.machine_id = g.machine_id and b.game_number = g.game_number - 1
        where ${inPeriod(scope, "g.taken_at")} and ${ofSession(scope, "g.play_session_id")} and b.machine_id is null)
      select h.machine_id || ' game ' || h.game_number as subject, 'the game before it is not in the history' as detail from holes h
      where exists (select from game b where b.machine_id = h.machine_id and b.game_number < h.game_number)
        and not exists (select from discrepancy d where d.machine_id = h.machine_id and d.kind = 'games' and d.explained_at is not null
          and (d.about ->> 'to')::bigint = h.game_number - 1)`,
  },
  {
    name: "games add up",
    about:
      "The credit after each game is the credit before it, less the stake, with what was won and not paid by hand.",
    breaches: (scope) => sql`
      select g.machine_id || ' game ' || g.game_number as subject,
        format('%s before, %s after, stake %s, win %s, by hand %s', g.credit_before, g.credit_after, g.stake, g.win, g.hand_paid) as detail from game g
      where ${inPeriod(scope, "g.taken_at")} and ${ofSession(scope, "g.play_session_id")}
        and g.credit_after <> g.credit_before - g.stake + g.win - g.hand_paid
        and not exists (select from discrepancy d where d.machine_id = g.machine_id and d.kind = 'games' and d.explained_at is not null
          and (d.about ->> 'gameNumber')::bigint = g.game_number)`,
  },
];

const machineChecks: readonly Check[] = [
  {
    name: "machines' meters",
    about: "Between two readings of a machine its own meters moved by what was booked of it, and none fell.",
    breaches: (scope) => sql`
      select n.machine_id || ' reading ' || n.number as subject, format('%s: booked %s, counted %s', line.name, line.booked, line.counted) as detail
      from meter_reading n join meter_reading b on b.machine_id = n.machine_id and b.number = n.number - 1
      cross join lateral (
        select 'games' as name, (n.books ->> 'games')::bigint - (b.books ->> 'games')::bigint as booked, n.games_played - b.games_played as counted
        union all select sum.name, (n.books ->> sum.name)::bigint - (b.books ->> sum.name)::bigint, (n.totals ->> sum.name)::bigint - (b.totals ->> sum.name)::bigint
        from (values ('wagered'), ('won'), ('machinePaid'), ('cashIn'), ('cashOut')) as sum (name) where n.totals is not null and b.totals is not null
        union all select 'otherOut', coalesce((n.books ->> 'cancelled')::bigint, 0) - coalesce((b.books ->> 'cancelled')::bigint, 0),
          (n.totals ->> 'otherOut')::bigint - (b.totals ->> 'otherOut')::bigint
        where n.totals is not null and b.totals is not null
        union all select 'otherIn', 0, (n.totals ->> 'otherIn')::bigint - (b.totals ->> 'otherIn')::bigint where n.totals ? 'otherIn' and b.totals ? 'otherIn'
        union all select kind.key, case kind.key when 'cancelledOut' then coalesce((n.books ->> 'cancelled')::bigint, 0) - coalesce((b.books ->> 'cancelled')::bigint, 0) else 0 end,
          kind.value::bigint - (b.totals -> 'other' ->> kind.key)::bigint
        from jsonb_each_text(n.totals -> 'other') kind where b.totals -> 'other' ? kind.key) line
      where ${inPeriod(scope, "n.taken_at")} and ${ofSession(scope, "n.play_session_id")} and line.booked is distinct from line.counted
        and not exists (select from reconciliation r join discrepancy d on d.id = r.discrepancy_id
          where r.machine_id = n.machine_id and r.reading = n.number and d.explained_at is not null)`,
  },
  {
    name: "books of machines",
    about: "The running sums of each machine are the sums of its games, transfers and cancelled credits.",
    breaches: (scope) =>
      scope.is === "all"
        ? sql`
      select coalesce(b.machine_id, g.machine_id, t.machine_id, c.machine_id) as subject, 'its running sums are not those of its rows' as detail
      from machine_books b
      full join (select machine_id, count(*) as games, sum(stake) as wagered, sum(win) as won, sum(win - hand_paid) as paid from game group by machine_id) g on g.machine_id = b.machine_id
      full join (select machine_id, coalesce(sum(amount) filter (where direction = 'cashIn'), 0) as cash_in, coalesce(sum(amount) filter (where direction = 'cashOut'), 0) as cash_out
        from machine_transfer where state = 'done' group by machine_id) t on t.machine_id = coalesce(b.machine_id, g.machine_id)
      full join (select h.machine_id, sum(l.amount_minor) as cancelled from hand_pay h
        join ledger.transfers l on l.id = ledger_id_of('handPay', h.machine_id, h.hand_pay_id) join ledger.accounts f on f.id = l.from_account
        where h.kind = 'cancelledCredits' and f.address = 'machine:' || h.machine_id group by h.machine_id) c
        on c.machine_id = coalesce(b.machine_id, g.machine_id, t.machine_id)
      where (coalesce(b.games, 0), coalesce(b.wagered, 0), coalesce(b.won, 0), coalesce(b.machine_paid, 0), coalesce(b.cash_in, 0), coalesce(b.cash_out, 0), coalesce(b.cancelled, 0))
        is distinct from (coalesce(g.games, 0), coalesce(g.wagered, 0), coalesce(g.won, 0), coalesce(g.paid, 0), coalesce(t.cash_in, 0), coalesce(t.cash_out, 0), coalesce(c.cancelled, 0))`
        : null,
  },
  {
    name: "open differences",
    about: "Nobody has to explain anything.",
    breaches: (scope) => sql`
      select 'difference ' || d.id as subject, format('%s at %s: ledger %s, machine %s; staff explains it with suspense explain %s', d.kind, d.machine_id, d.ledger_amount, d.machine_amount, d.id) as detail
      from discrepancy d where d.explained_at is null and ${inPeriod(scope, "d.found_at")} and ${ofSession(scope, "d.play_session_id")}`,
  },
  {
    name: "suspense account",
    about: "What is in suspense is the sum of the differences that nobody has explained yet.",
    breaches: (scope) =>
      scope.is === "session"
        ? null
        : sql`
      select 'suspense' as subject, format('it has %s, open differences make %s', balance, open) as detail from (
        select coalesce((select balance_minor from ledger.accounts where address = 'suspense'), 0) as balance,
          coalesce((select sum(ledger_amount) from discrepancy where transfer_id is not null and explained_at is null), 0) as open) x
      where balance <> open`,
  },
];

/** Play sessions, games and machines against each other. */
export const playSide: readonly Check[] = [...sessionChecks, ...gameChecks, ...machineChecks];
