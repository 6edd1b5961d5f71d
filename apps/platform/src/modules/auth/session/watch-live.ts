import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Clock, Stop } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { AuthTables } from "../tables.ts";
import type { LiveCallers } from "./live-callers.ts";

/** How often the open sockets' sign-ins are read again, ms. A message of the bus ends them at once; this is for a lost one, and for time. */
const LOOK_MS = 10_000;

export type WatchLive = {
  readonly db: Kysely<AuthTables>;
  readonly live: LiveCallers;
  readonly clock: Pick<Clock, "every">;
  readonly log: Log;
};

/** Ends what is still open of a sign-in that is over. */
export function watchLive({ db, live, clock, log }: WatchLive): Stop {
  async function look(): Promise<void> {
    const open = [...new Set(live.all().map(({ jti }) => jti))];
    if (open.length === 0) return;
    for (const { jti, banned } of await readOver(db, open)) live.end({ jti }, banned ? "banned" : "bad token");
  }
  return clock.every(LOOK_MS, () => {
    look().catch((error: unknown) =>
      log.warn({ err: error }, "the sign-ins of open sockets could not be read, the next round tries again"),
    );
  });
}

/** Those of the given sign-ins that are over, in one look however many there are. */
async function readOver(db: Kysely<AuthTables>, jtis: readonly string[]): Promise<{ jti: string; banned: boolean }[]> {
  const { rows } = await sql<{ jti: string; banned: boolean }>`
    select asked.jti, player.banned_at is not null as banned
    from unnest(${jtis}::text[]) as asked (jti)
    left join auth_session as session on session.jti = asked.jti
    left join player on player.id = session.player_id
    where session.jti is null or session.ended_at is not null or session.expires_at <= now()
      or player.banned_at is not null`.execute(db);
  return rows;
}
