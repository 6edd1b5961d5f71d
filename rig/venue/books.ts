import type { Database } from "@longarm/database/connection";
import { openLedger } from "@longarm/ledger/ledger";
import { sql } from "kysely";

/*
 * What must be true of the books in every snapshot, also while everybody plays and programs die. Each question answers the rows that break
 * its rule.
 */

/** Every transfer of a machine, with what it moved in the ledger: under its own id, or as what its hold was posted as. */
const MOVED = `
  select t.*, l.amount_minor as moved, l.kind as moved_kind, h.status as hold
  from machine_transfer t
  left join ledger.transfers l on l.id = t.id
  left join ledger.holds h on h.id = t.id`;

/** What the games of a player's play sessions brought, by the machines' own records of them. */
const PLAYED = `
  select s.player_id, sum(g.win - g.hand_paid - g.stake) as net
  from game g join play_session s on s.id = g.play_session_id group by s.player_id`;

/** What came to each account from outside the games. */
const DEPOSITED = `
  select p.account_id, sum(p.amount_minor) as deposited from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
  where t.kind in ('deposit', 'withdraw', 'bonus', 'discount', 'fee', 'correction') group by 1`;

const RULES: Readonly<Record<string, string>> = {
  "an open transfer holds its amount, a decided one holds nothing": `
    select id, direction, state, hold from (${MOVED}) t
    where direction = 'cashIn' and (hold = 'open') <> (state in ('asking', 'unknown'))`,
  "a hold belongs to a transfer": `
    select h.id, h.status from ledger.holds h where not exists (select from machine_transfer t where t.id = h.id)`,
  "what a transfer moved is what was decided of it": `
    select id, direction, state, amount, moved, moved_kind from (${MOVED}) t
    where coalesce(moved, 0) <> amount or (state <> 'done' and amount <> 0) or (moved is not null and moved_kind <> direction)`,
  "a machine has one open transfer at most": `
    select machine_id, count(*) from machine_transfer where state in ('asking', 'unknown') group by machine_id having count(*) > 1`,
  "games are counted without a gap": `
    select g.machine_id, count(*), min(game_number), max(game_number), m.taken_game from game g join machine m on m.id = g.machine_id
    group by g.machine_id, m.taken_game having count(*) <> max(game_number) or min(game_number) <> 1 or max(game_number) <> m.taken_game`,
  "a game adds up": "select * from game where credit_after <> credit_before - stake + win - hand_paid",
  "a game belongs to a play session": "select machine_id, game_number from game where play_session_id is null",
  "what a game moved is what it brought": `
    select g.machine_id, g.game_number, g.win - g.hand_paid - g.stake as net, t.moved from game g left join (
      select about ->> 'machineId' as machine_id, (about ->> 'gameNumber')::bigint as game_number,
        sum(case when a.address = 'house' then amount_minor else -amount_minor end) as moved, count(*) as times
      from ledger.transfers l join ledger.accounts a on a.id = l.from_account where kind = 'game' group by 1, 2
    ) t using (machine_id, game_number) where coalesce(t.moved, 0) <> g.win - g.hand_paid - g.stake or t.times > 1`,
  "a play session's sums are those of its games and transfers": `
    select s.id, s.net, s.games, s.cashed_in, s.cashed_out from play_session s
    left join (select play_session_id as id, sum(win - stake) as net, count(*) as games from game group by 1) g using (id)
    left join (select play_session_id as id, sum(amount) filter (where direction = 'cashIn') as cashed_in,
      sum(amount) filter (where direction = 'cashOut') as cashed_out from machine_transfer where state = 'done' group by 1) t using (id)
    where (s.net, s.games, s.cashed_in, s.cashed_out) is distinct from
      (coalesce(g.net, 0)::bigint, coalesce(g.games, 0), coalesce(t.cashed_in, 0)::bigint, coalesce(t.cashed_out, 0)::bigint)`,
  "wallet and credits are the deposit, the games and the hand pays": `
    select a.address, a.balance_minor as wallet, m.balance_minor as credits, d.deposited, p.net, h.paid
    from ledger.accounts a
    left join seat s on 'player:' || s.player_id = a.address
    left join ledger.accounts m on m.address = 'machine:' || s.machine_id
    left join (${DEPOSITED}) d on d.account_id = a.id
    left join (${PLAYED}) p on 'player:' || p.player_id = a.address
    left join (select player_id, sum(amount) as paid from hand_pay
      where confirmed_at is not null and kind <> 'cancelledCredits' group by 1) h
      on 'player:' || h.player_id = a.address
    where a.address like 'player:%' and a.balance_minor + coalesce(m.balance_minor, 0) <>
      coalesce(d.deposited, 0) + coalesce(p.net, 0) + coalesce(h.paid, 0)`,
  "a fee is the price of a held seat, and a held seat with a price was paid": `
    select coalesce(l.id, s.id) as id, l.amount_minor, s.price
    from (select l.*, a.address from ledger.transfers l join ledger.accounts a on a.id = l.from_account where l.kind = 'fee') l
    full join (select * from seat_hold where price > 0) s on s.transfer_id = l.id
    where (l.amount_minor, l.address) is distinct from (s.price, 'player:' || s.player_id)`,
  "no difference went to suspense": "select * from discrepancy",
};

/** What must be true besides, once everything has come to rest. */
const AT_REST: Readonly<Record<string, string>> = {
  "every seat is free": "select machine_id, state, player_id from seat where state <> 'free' or player_id is not null",
  "every hold is resolved": "select id from ledger.holds where status = 'open'",
  "every transfer is decided":
    "select id, machine_id, state from machine_transfer where state in ('asking', 'unknown')",
  "every play session is ended": "select id, machine_id from play_session where ended_at is null",
  "no credits are left on a machine": `
    select address, balance_minor from ledger.accounts where address like 'machine:%' and balance_minor <> 0`,
  "every hand pay is paid, and its machine reset": `
    select machine_id from hand_pay where confirmed_at is null union select id from machine where meters ->> 'handPay' is not null`,
  "nothing is in suspense":
    "select address, balance_minor from ledger.accounts where address = 'suspense' and balance_minor <> 0",
};

const EXAMPLES = 3;

/** Breaches of the books now, in one snapshot. */
export function bookFaults(db: Database<unknown>): Promise<string[]> {
  return inSnapshot(db, RULES, true);
}

/** What has not come to rest yet. */
export function restless(db: Database<unknown>): Promise<string[]> {
  return inSnapshot(db, AT_REST, false);
}

async function inSnapshot(
  { kysely }: Database<unknown>,
  rules: Readonly<Record<string, string>>,
  withLedger: boolean,
): Promise<string[]> {
  return await kysely
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const faults: string[] = [];
      for (const [rule, question] of Object.entries(rules)) {
        const { rows } = await sql.raw(question).execute(trx);
        const examples = rows.slice(0, EXAMPLES).map((row) => JSON.stringify(row));
        if (rows.length > 0) faults.push(`${rule}: broken ${rows.length} times, ${examples.join(", ")}`);
      }
      const breaches = withLedger ? await openLedger(trx).verify() : [];
      return [...faults, ...breaches.map((breach) => `the ledger: ${JSON.stringify(breach)}`)];
    });
}
