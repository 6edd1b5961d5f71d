import type { FinalReason } from "@longarm/contract/envelope";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Bus } from "../../../bus/index.ts";
import type { Clock, Stop } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { AuthSessions } from "./auth-sessions.ts";
import type { Bursts } from "./bursts.ts";
import type { Caller } from "./guard.ts";
import type { Lockout } from "./lockout.ts";
import type { AuthTables } from "./tables.ts";

/** Rows that say nothing any more are removed this often, ms. */
const SWEEP_MS = 60_000;
/** Sign-ins of idle players are looked for this often, ms. Who uses one before that finds it locked all the same. */
const LOCK_IDLE_MS = 10_000;
/** Bursts of refused sign-ins that are over are looked for this often, ms. */
const BURSTS_MS = 10_000;

export type UpkeepParts = WatchLive & {
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly clock: Pick<Clock, "every">;
  readonly sessions: AuthSessions;
  readonly lockout: Lockout;
  readonly bursts: Pick<Bursts, "round">;
};

/** Receives the ends and locks that other nodes make, looks for those it missed, reports bursts of refusals that are over, and removes old rows. */
export function startUpkeep({ bus, sessions, lockout, bursts, ...parts }: UpkeepParts): Stop {
  const { clock, live, log } = parts;
  async function lockIdle(): Promise<void> {
    for (const jti of await sessions.lockIdle()) bus.publish("auth.lockChanged", { jti });
  }
  const stops = [
    bus.subscribe("auth.ended", (message) => {
      sessions.drop(message);
      live.end(message, message.reason);
    }),
    bus.subscribe("auth.lockChanged", (message) => sessions.drop(message)),
    watchLive(parts),
    clock.every(LOCK_IDLE_MS, () => {
      lockIdle().catch((error: unknown) =>
        log.warn({ err: error }, "idle sign-ins could not be locked for good, the next round tries again"),
      );
    }),
    clock.every(BURSTS_MS, () => {
      bursts
        .round()
        .catch((error: unknown) =>
          log.warn({ err: error }, "bursts of refused sign-ins could not be written down, the next round tries again"),
        );
    }),
    clock.every(SWEEP_MS, () => {
      Promise.all([lockout.sweep(), sessions.sweep()]).catch((error: unknown) =>
        log.warn({ err: error }, "sweeping old sign-ins failed, the next round tries again"),
      );
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** How often the open sockets' sign-ins are read again, ms. A message of the bus ends them at once; this is for a lost one, and for time. */
const LOOK_MS = 10_000;

type WatchLive = {
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

type Live = { readonly caller: Caller; readonly ended: (reason: FinalReason) => void };

type WhichCallers = {
  readonly jti?: string | undefined;
  readonly playerId?: string | undefined;
  readonly exceptJti?: string | undefined;
};

/** What lives as long as a sign-in does: the open sockets of this process. */
export function createLiveCallers() {
  const live = new Set<Live>();
  return {
    /** Calls `ended` once when the caller's sign-in ends. */
    add(caller: Caller, ended: (reason: FinalReason) => void): Stop {
      const entry = { caller, ended };
      live.add(entry);
      return () => void live.delete(entry);
    },
    end(which: WhichCallers, reason: FinalReason): void {
      for (const entry of [...live]) {
        const { jti, playerId } = entry.caller;
        if (jti === which.exceptJti || (jti !== which.jti && playerId !== which.playerId)) continue;
        live.delete(entry);
        entry.ended(reason);
      }
    },
    all: (): Caller[] => [...live].map(({ caller }) => caller),
  };
}
export type LiveCallers = ReturnType<typeof createLiveCallers>;
