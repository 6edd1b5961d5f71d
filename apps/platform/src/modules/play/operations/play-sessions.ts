import type { Kysely } from "kysely";
import { usernameOf } from "../../players/accounts/index.ts";
import type { PlayTables } from "../tables.ts";

/** A play session as staff sees it; amounts in minor units. */
export type PlaySessionRow = {
  readonly id: string;
  readonly machine: string;
  readonly player: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: string | null;
  readonly cashedIn: number;
  readonly cashedOut: number;
  /** Won less staked. */
  readonly net: number;
  readonly games: number;
  /** State of its seat while it runs. */
  readonly state: string | null;
};

export type SessionsAsked = {
  readonly playerId?: string | undefined;
  readonly machineId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Only those that run now. */
  readonly openOnly: boolean;
  readonly limit: number;
};

/** Play sessions, newest first. */
export async function listPlaySessions(db: Kysely<unknown>, asked: SessionsAsked): Promise<PlaySessionRow[]> {
  let query = db
    .withTables<PlayTables>()
    .selectFrom("play_session as p")
    .leftJoin("seat as s", "s.play_session_id", "p.id")
    .select(["p.id", "p.machine_id as machine", usernameOf("p.player_id").as("player"), "p.started_at as startedAt"])
    .select(["p.ended_at as endedAt", "p.end_reason as endReason", "p.cashed_in as cashedIn"])
    .select(["p.cashed_out as cashedOut", "p.net", "p.games", "s.state"])
    .orderBy("p.started_at", "desc")
    .limit(asked.limit);
  if (asked.openOnly) query = query.where("p.ended_at", "is", null);
  if (asked.playerId !== undefined) query = query.where("p.player_id", "=", asked.playerId);
  if (asked.machineId !== undefined) query = query.where("p.machine_id", "=", asked.machineId);
  if (asked.sessionId !== undefined) query = query.where("p.id", "=", asked.sessionId);
  return await query.execute();
}
