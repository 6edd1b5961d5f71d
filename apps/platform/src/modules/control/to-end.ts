import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { EndReason } from "../../play-base/play-words.ts";
import type { Limits, LimitsTables } from "../limits/index.ts";
import { limitsOfAll } from "../limits/index.ts";
import type { ControlTables } from "./tables.ts";

type Db = Kysely<ControlTables & LimitsTables>;

/** A play session that the house has to end, and why. */
export type ToEnd = { readonly machineId: string; readonly reason: EndReason };

type Row = {
  readonly machineId: string;
  readonly playerId: string;
  readonly banned: boolean;
  readonly closed: boolean;
  /** How long the play session has lasted. */
  readonly minutes: number;
};

/** Held seats that may not be held any more: of banned and excluded players, over their time, at machines that staff empties. */
export async function sessionsToEnd(db: Db): Promise<ToEnd[]> {
  const { rows } = await sql<Row>`
    select s.machine_id as "machineId", s.player_id as "playerId", p.banned_at is not null as banned,
      coalesce(c.mode in ('draining', 'stopped'), false) as closed,
      (extract(epoch from clock_timestamp() - ps.started_at) / 60)::double precision as minutes
    from seat s join play_session ps on ps.id = s.play_session_id join player p on p.id = s.player_id
      left join machine_control c on c.machine_id = s.machine_id
    where s.ending is null and (p.banned_at is not null or c.mode in ('draining', 'stopped')
      or exists (select from player_limit l where l.player_id = s.player_id and l.kind in ('session', 'exclusion')))`.execute(
    db,
  );
  if (rows.length === 0) return [];
  // Looked at every second on every node: not one statement a seat.
  const players = rows.map(({ playerId }) => playerId);
  const limitsOf = await limitsOfAll(db, players);
  return rows.flatMap((row) => {
    const reason = reasonOf(row, limitsOf(row.playerId));
    return reason === null ? [] : [{ machineId: row.machineId, reason }];
  });
}

function reasonOf({ banned, closed, minutes }: Row, { exclusion, session }: Limits): EndReason | null {
  if (banned) return "banned";
  if (exclusion !== null) return "excluded";
  if (closed) return "house";
  return session !== null && minutes >= session ? "limit" : null;
}
