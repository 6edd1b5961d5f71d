import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { DisputeRow } from "./disputes.ts";

type Game = Pick<DisputeRow, "machineId" | "gameNumber">;

/** A transfer of the ledger beside a game. Amounts in minor units. */
export type BookedRow = {
  readonly id: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly at: Date;
  /** It is the game's own: what the game won or lost. */
  readonly isOfGame: boolean;
};

/** The most transfers that are shown beside a game. */
const BOOKED_MAX = 100;

/** What moved at the machine of a game from then to then, and the game's own transfer whenever it was booked; the oldest first. */
export async function bookedBeside(
  db: AnyDb,
  { machineId, gameNumber }: Game,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<BookedRow[]> {
  const { rows } = await sql<BookedRow>`
    with near as (select t.id from ledger.transfers t join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
        where t.created_at >= ${from} and t.created_at < ${to} and 'machine:' || ${machineId}::text in (f.address, o.address) limit ${BOOKED_MAX}),
      own as (select ledger_id_of('game', ${machineId}, ${String(gameNumber)}) as id)
    select t.id, t.kind, f.address as from, o.address as to, t.amount_minor as amount, t.created_at as at, t.id = own.id as "isOfGame"
    from own cross join ledger.transfers t join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
    where t.id = own.id or t.id in (select id from near) order by t.created_at, t.id`.execute(db);
  return rows;
}

/** What the ledger moved for a game, below zero to the venue, and when; null: nothing, as for a game that won what it cost. */
export async function bookedFor(db: AnyDb, game: Game): Promise<{ readonly amount: number; readonly at: Date } | null> {
  const never = new Date(0);
  const [own] = (await bookedBeside(db, game, { from: never, to: never })).filter(({ isOfGame }) => isOfGame);
  if (own === undefined) return null;
  return { amount: own.from === "house" ? own.amount : -own.amount, at: own.at };
}
