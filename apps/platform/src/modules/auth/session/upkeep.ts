import type { Bus } from "../../../bus/index.ts";
import type { Clock, Stop } from "../../../clock.ts";
import type { Bursts } from "../sign-in/bursts.ts";
import type { Lockout } from "../sign-in/lockout.ts";
import type { AuthSessions } from "./auth-sessions.ts";
import type { WatchLive } from "./watch-live.ts";
import { watchLive } from "./watch-live.ts";

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

/** Hears of the ends and locks that other nodes make, looks for those it did not hear of, tells bursts of refusals that are over, and removes old rows. */
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
