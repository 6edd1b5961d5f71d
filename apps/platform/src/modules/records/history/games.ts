import type { PlayedGame } from "@longarm/contract/player-record";
import { RECALLED_GAMES } from "@longarm/contract/player-record";
import { sql } from "kysely";
import type { HistoryDb } from "./listing.ts";
import { machineNames, reading } from "./listing.ts";

/*
 * Games as their machines counted them (record 0206; GLI-19 4.14). The row of a game is written once, by the module that learns of its end
 * (`play/session`), and never changed or removed; this room only reads it.
 */

/** A row of `game`, minor units. */
type StoredGame = {
  machine_id: string;
  game_number: number;
  session: string;
  stake: number;
  win: number;
  credit_before: number;
  credit_after: number;
  hand_paid: number;
  free_spins: number | null;
  bonus: boolean | null;
  started_at: Date;
  ended_at: Date;
};

const columns = sql`g.machine_id, g.game_number, g.play_session_id as session, g.stake, g.win, g.credit_before, g.credit_after, g.hand_paid,
  g.free_spins, g.bonus, g.started_at, g.ended_at`;

/**
 * The last games of a player, whatever machines, or those of one play session of the player; the newest first. A player is at one machine at a time,
 * so the newest play sessions have the newest games: so many with a game in them are enough, however much was played.
 */
export async function lastGames(db: HistoryDb, playerId: string, session: string | undefined): Promise<PlayedGame[]> {
  return await reading(db, async (trx) => {
    const { rows } = await sql<StoredGame>`
      with s as (select id, started_at from play_session
        where player_id = ${playerId} and games > 0 and ${session === undefined ? sql`true` : sql`id = ${session}`}
        order by started_at desc, id desc limit ${RECALLED_GAMES})
      select ${columns} from s cross join lateral
        (select * from game where play_session_id = s.id order by game_number desc limit ${RECALLED_GAMES}) g
      order by s.started_at desc, s.id desc, g.game_number desc limit ${RECALLED_GAMES}`.execute(trx);
    const nameOf = await machineNames(
      trx,
      rows.map(({ machine_id }) => machine_id),
    );
    return rows.map((row) => gameOf(row, nameOf));
  });
}

/** One game of a player, by machine and the machine's number of it; undefined: the player has none such. */
export async function readGame(db: HistoryDb, playerId: string, id: string): Promise<PlayedGame | undefined> {
  const found = await gameOn(db, id);
  return found?.playerId === playerId ? found.game : undefined;
}

export type GameOfPlayer = { readonly playerId: string; readonly machineId: string; readonly game: PlayedGame };

/** A game and who played it, by its id. Undefined: there is none. */
export async function gameOn(db: HistoryDb, id: string): Promise<GameOfPlayer | undefined> {
  const dot = id.indexOf(".");
  const [number, machineId] = [Number(id.slice(0, dot)), id.slice(dot + 1)];
  return await reading(db, async (trx) => {
    const { rows } = await sql<StoredGame & { player_id: string }>`
      select ${columns}, s.player_id from game g join play_session s on s.id = g.play_session_id
      where g.machine_id = ${machineId} and g.game_number = ${number}`.execute(trx);
    const [row] = rows;
    return row && { playerId: row.player_id, machineId, game: gameOf(row, await machineNames(trx, [machineId])) };
  });
}

/** What the machine did not say stays unknown: null, and never 0. */
function gameOf(row: StoredGame, nameOf: (machineId: string) => string): PlayedGame {
  const { machine_id: machineId, game_number: number, stake, win, hand_paid: handPaid } = row;
  const { credit_before: before, credit_after: after, free_spins: freeSpins, bonus } = row;
  return {
    id: `${number}.${machineId}`,
    number,
    machine: nameOf(machineId),
    session: row.session,
    start: row.started_at.toISOString(),
    end: row.ended_at.toISOString(),
    ...{ stake, win, handPaid, before, after, freeSpins, bonus },
    addsUp: after === before - stake + win - handPaid,
  };
}
