import type { Kysely } from "kysely";
import { usernameOf } from "../../players/accounts/index.ts";
import type { PlayTables } from "../tables.ts";

/** One game as its machine's meters reported it. Amounts in minor units (GLI-19 2.8.2, 4.14). */
export type GameRow = {
  readonly machineId: string;
  readonly gameNumber: number;
  readonly playSessionId: string | null;
  readonly player: string | null;
  readonly before: number;
  readonly bet: number;
  readonly win: number;
  /** The part of `win` that was paid by hand. */
  readonly handPaid: number;
  readonly after: number;
  /** Null, as `bonus` may be: the machine did not say. */
  readonly freeSpins: number | null;
  readonly bonus: boolean | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
};

export type GamesOf =
  | { readonly is: "session"; readonly id: string }
  | { readonly is: "player"; readonly id: string }
  | { readonly is: "machine"; readonly id: string };

const COLUMNS = { session: "g.play_session_id", player: "s.player_id", machine: "g.machine_id" } as const;

/** Games, newest first. */
export async function listGames(db: Kysely<unknown>, of: GamesOf, limit: number): Promise<GameRow[]> {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("game as g")
    .leftJoin("play_session as s", "s.id", "g.play_session_id")
    .selectAll("g")
    .select(usernameOf<string | null>("s.player_id").as("username"))
    .where(COLUMNS[of.is], "=", of.id)
    .$if(of.is === "player", (query) => query.orderBy("g.ended_at", "desc"))
    .orderBy("g.game_number", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...{
      machineId: row.machine_id,
      gameNumber: row.game_number,
      playSessionId: row.play_session_id,
      player: row.username,
    },
    ...{ before: row.credit_before, bet: row.stake, win: row.win, handPaid: row.hand_paid, after: row.credit_after },
    ...{
      freeSpins: row.free_spins,
      bonus: row.bonus,
      startedAt: new Date(row.started_at),
      endedAt: new Date(row.ended_at),
    },
  }));
}
