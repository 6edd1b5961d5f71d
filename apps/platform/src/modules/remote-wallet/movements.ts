import type { Ledger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../deps.ts";

/* Movements between the operator's wallet and ours as rows, before they are requested (record 0243). */

export type Movement = {
  readonly id: string;
  readonly playerId: string;
  readonly kind: "debit" | "credit";
  /** Minor units. */
  readonly amount: number;
  readonly state: "requested" | "granted" | "refused" | "booked" | "undoing" | "undone" | "sending" | "done";
  /** What the operator's wallet answered last: of a refused debit its reason. */
  readonly answer: string | null;
};

const COLUMNS = sql`id, player_id as "playerId", kind, amount, state, last_answer as answer`;

/** Writes a debit down before it is requested. `isNew` false: this id was requested before, and its row says what became of it. */
export async function writeDebit(
  db: AnyDb,
  { id, playerId, amount }: Pick<Movement, "id" | "playerId" | "amount">,
): Promise<{ readonly isNew: boolean; readonly movement: Movement }> {
  const added = await sql<Movement>`insert into remote_move (id, player_id, kind, amount, state)
    values (${id}, ${playerId}, 'debit', ${amount}, 'requested') on conflict (id) do nothing returning ${COLUMNS}`.execute(
    db,
  );
  if (added.rows[0]) return { isNew: true, movement: added.rows[0] };
  const known = await findMovement(db, id);
  if (known === undefined) throw new Error(`the movement ${id} is not written down`);
  return { isNew: false, movement: known };
}

export async function findMovement(db: AnyDb, id: string): Promise<Movement | undefined> {
  return (await sql<Movement>`select ${COLUMNS} from remote_move where id = ${id}`.execute(db)).rows[0];
}

/** What the operator's wallet answered, to be kept with a change of state. */
export type Answered = {
  /** A word: of a refused debit its reason. */
  readonly answer?: string | undefined;
  /** What the player has there now, minor units. */
  readonly balance?: number | undefined;
};

/**
 * Brings a movement from one state into the next, in one statement with the balance that came with it: no amount counts as there and on its
 * way. False: it was not in it any more; the balance is kept all the same.
 */
export async function moveOn(
  db: AnyDb,
  id: string,
  from: Movement["state"],
  to: Movement["state"],
  { answer, balance }: Answered = {},
): Promise<boolean> {
  const done = await sql`with said as (insert into remote_balance (player_id, balance)
      select player_id, ${balance ?? null}::bigint from remote_move where id = ${id} and ${balance !== undefined}
      on conflict (player_id) do update set balance = excluded.balance, at = clock_timestamp())
    update remote_move set state = ${to}, changed_at = clock_timestamp(), next_at = clock_timestamp(),
    last_answer = coalesce(${answer?.slice(0, 200) ?? null}, last_answer) where id = ${id} and state = ${from}`.execute(
    db,
  );
  return done.numAffectedRows === 1n;
}

/** What is not wanted any more is undone, unless it is booked. */
export async function undoDebit(db: AnyDb, id: string): Promise<void> {
  for (const from of ["requested", "granted"] as const) await moveOn(db, id, from, "undoing");
}

/** Debits that no process requests or books any more: their process has ended. */
export async function undoLeft(db: AnyDb, olderThanMs: number): Promise<void> {
  await sql`update remote_move set state = 'undoing', changed_at = clock_timestamp(), next_at = clock_timestamp()
    where state in ('requested', 'granted') and changed_at < clock_timestamp() - ${olderThanMs}::double precision * interval '1 millisecond'`.execute(
    db,
  );
}

/** Takes movements that are due for one try: no other node takes them meanwhile. */
export async function takeDue(db: AnyDb, meanwhileMs: number, limit: number): Promise<Movement[]> {
  const { rows } = await sql<Movement>`update remote_move set tries = tries + 1,
      next_at = clock_timestamp() + ${meanwhileMs}::double precision * interval '1 millisecond'
    where id in (select id from remote_move where state in ('undoing', 'sending') and next_at <= clock_timestamp()
      order by next_at limit ${limit} for update skip locked) returning ${COLUMNS}`.execute(db);
  return rows;
}

/** The longest time between two tries, s. */
const WAIT_S_MAX = 60;

/** Tries again later: after 1, 2, 4 … seconds, for as long as it takes. */
export async function tryLater(db: AnyDb, id: string, answer: string): Promise<void> {
  await sql`update remote_move set last_answer = ${answer.slice(0, 200)},
    next_at = clock_timestamp() + least(power(2, least(tries, 10) - 1), ${WAIT_S_MAX}) * interval '1 second'
    where id = ${id} and state in ('undoing', 'sending')`.execute(db);
}

/** A movement that is open for so long is called out, ms. */
const OVERDUE_MS = 60_000;

/** Movements that should have ended long ago, and since when the oldest is open. */
export async function overdueMoves(db: AnyDb): Promise<{ count: number; oldest: Date | null }> {
  const { rows } = await sql<{
    count: number;
    oldest: Date | null;
  }>`select count(*)::int as count, min(made_at) as oldest
    from remote_move where state in ('undoing', 'sending')
      and made_at < clock_timestamp() - ${OVERDUE_MS}::double precision * interval '1 millisecond'`.execute(db);
  return rows[0] ?? { count: 0, oldest: null };
}

/** Books a granted debit: the money is the player's. False: it is granted no more. */
export async function bookDebit(trx: AnyDb, ledger: Ledger, { id, playerId, amount }: Movement): Promise<boolean> {
  if (!(await moveOn(trx, id, "granted", "booked"))) return false;
  const moved = await ledger.transfer({
    ...{ id, kind: "deposit", from: "cage", to: playerAccount(playerId), amountMinor: amount },
    about: { actor: "platform", way: "remoteWallet" },
  });
  if (moved.is === "refused") throw new Error(`the debit ${id} could not be booked: ${moved.problem.detail}`);
  return true;
}

/** Players who have money here that is not set aside: it belongs into the operator's wallet. */
export async function playersWithMoney(db: AnyDb, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select substr(address, 8) as id from ledger.accounts
    where address like 'player:%' and balance_minor > held_minor limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Takes all that a player has here out of our books and writes the credit down; its row is sent until it is taken. Undefined: there is nothing. */
export async function writeCredit(
  trx: AnyDb,
  ledger: Ledger,
  id: string,
  playerId: string,
): Promise<number | undefined> {
  const { availableMinor } = await ledger.account(playerAccount(playerId));
  if (availableMinor <= 0) return undefined;
  const moved = await ledger.transfer({
    ...{ id, kind: "withdraw", from: playerAccount(playerId), to: "cage", amountMinor: availableMinor },
    about: { actor: "platform", way: "remoteWallet" },
  });
  // Another node was first, or the player's money is being moved.
  if (moved.is === "refused") return undefined;
  await sql`insert into remote_move (id, player_id, kind, amount, state)
    values (${id}, ${playerId}, 'credit', ${availableMinor}, 'sending')`.execute(trx);
  return availableMinor;
}

/** What the operator's wallet has, as it said last. */
export async function keepBalance(db: AnyDb, playerId: string, balance: number): Promise<void> {
  await sql`insert into remote_balance (player_id, balance) values (${playerId}, ${balance})
    on conflict (player_id) do update set balance = excluded.balance, at = clock_timestamp()`.execute(db);
}

/** Credits on their way count as the player's: the operator's wallet does not have them yet. */
export async function remoteBalances(db: AnyDb, playerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; balance: number }>`select wanted.id, coalesce(b.balance, 0)
      + coalesce((select sum(m.amount) from remote_move m where m.player_id = wanted.id and m.state = 'sending'), 0)::bigint as balance
    from unnest(${[...playerIds]}::text[]) as wanted (id) left join remote_balance b on b.player_id = wanted.id`.execute(
    db,
  );
  return new Map(rows.map(({ id, balance }) => [id, balance]));
}

type ShownMove = Pick<Movement, "id" | "kind" | "amount"> & {
  readonly at: Date;
  /** `open`: its next step comes; `unknown`: so it does, and a call had no answer. `sent`: the operator's wallet took it. */
  readonly state: "open" | "unknown" | "refused" | "booked" | "undone" | "sent";
};

/** What staff sees of a player's money there: what the operator's wallet said last, and the newest movements. */
export async function shownWallet(db: AnyDb, playerId: string, limit: number) {
  const said = await sql<{ balance: number; at: Date }>`select balance, at from remote_balance
    where player_id = ${playerId}`.execute(db);
  // Of what is open an answer is kept where a call had none that counts.
  const moves = await sql<ShownMove>`select id, kind, amount, made_at as at, case
      when state in ('undoing', 'sending') then case when last_answer is null then 'open' else 'unknown' end
      when state in ('requested', 'granted') then 'open' when state = 'done' then 'sent' else state end as state
    from remote_move where player_id = ${playerId} order by made_at desc, id desc limit ${limit}`.execute(db);
  return { said: said.rows[0] ?? null, moves: moves.rows };
}

/** Movements that are not in the ledger as they should be, and the other way round. `inPeriod`: whether a time belongs to what is looked at. */
export const remoteBreaches = (inPeriod: (column: string) => RawBuilder<boolean>) => sql<{
  subject: string;
  detail: string;
}>`
  select m.id as subject, format('%s %s of %s, and the ledger moved %s', m.kind, m.state, m.amount, coalesce(t.amount_minor::text, 'nothing')) as detail
    from remote_move m left join ledger.transfers t on t.id = m.id
      left join ledger.accounts f on f.id = t.from_account left join ledger.accounts o on o.id = t.to_account
    where ${inPeriod("m.made_at")} and case when m.kind = 'debit' and m.state <> 'booked' then t.id is not null
      else (t.amount_minor, case m.kind when 'debit' then o.address else f.address end) is distinct from (m.amount, 'player:' || m.player_id) end
  union all
  select t.id, 'the ledger has a movement of the operator''s wallet that is not written down' from ledger.transfers t
    where t.about ->> 'way' = 'remoteWallet' and ${inPeriod("t.created_at")} and not exists (select from remote_move m where m.id = t.id)`;
