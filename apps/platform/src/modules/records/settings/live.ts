import type { VenueSettings } from "@longarm/contract/venue-settings";
import { readVersion } from "@longarm/contract/venue-settings";
import type { Kysely } from "kysely";
import type { Bus } from "../../../bus/index.ts";
import type { Clock } from "../../../clock.ts";
import type { Config } from "../../../config.ts";
import type { Log } from "../../../log.ts";
import type { SettingsRow } from "./versions.ts";
import { newestVersion, versionBefore } from "./versions.ts";

/** A hint may be lost, and the command line sends none: the newest version is looked for this often, ms. */
const LOOK_MS = 2_000;

/** The venue's settings as they hold on this node. */
export interface LiveSettings {
  /** What the venue has set; what it has not set comes from Settings.json and the environment. */
  now(): VenueSettings;
  /** The version that holds; 0: none. */
  number(): number;
  /** Calls after another version began to hold. */
  onChange(handler: () => void): void;
  /** Reads the newest version. Rejects while the database is away; then what held holds. */
  look(): Promise<void>;
  close(): void;
}

export type LiveSettingsParts = {
  readonly db: Kysely<unknown>;
  readonly bus: Pick<Bus, "subscribe" | "onGap">;
  readonly clock: Pick<Clock, "every">;
  readonly log: Log;
};

/**
 * Reads the newest version, and each later one when it is saved, on whichever node. A version that this program cannot use never stops it: the newest good
 * one before it holds, with an alarm.
 */
export async function openLiveSettings({ db, bus, clock, log }: LiveSettingsParts): Promise<LiveSettings> {
  let settings: VenueSettings = {};
  let holds = 0;
  /** The newest version that was read. */
  let seen = 0;
  const handlers = new Set<() => void>();

  async function look(): Promise<void> {
    const newest = await newestVersion(db);
    if (newest === undefined || newest.number === seen) return;
    const good = await newestGood(db, newest, log);
    seen = newest.number;
    if (good.number === holds) return;
    ({ number: holds, settings } = good);
    for (const handler of handlers) handler();
  }

  // One look at a time: an older answer must not take the place of a newer one.
  let last: Promise<void> = Promise.resolve();
  function lookInTurn(): Promise<void> {
    const next = last.then(look);
    last = next.catch(() => {});
    return next;
  }
  const lookAgain = (): void =>
    void lookInTurn().catch((error: unknown) =>
      log.warn({ err: error }, "the settings could not be read, what held holds"),
    );

  await lookInTurn();
  const stops = [bus.subscribe("settings.changed", lookAgain), bus.onGap(lookAgain), clock.every(LOOK_MS, lookAgain)];
  return {
    now: () => settings,
    number: () => holds,
    onChange: (handler) => void handlers.add(handler),
    look: lookInTurn,
    close() {
      for (const stop of stops) stop();
    },
  };
}

async function newestGood(
  db: Kysely<unknown>,
  newest: SettingsRow,
  log: Log,
): Promise<{ readonly number: number; readonly settings: VenueSettings }> {
  for (let row: SettingsRow | undefined = newest; row !== undefined; row = await versionBefore(db, row.number)) {
    const { settings, problems } = readVersion(row.content);
    if (problems.length === 0) return { number: row.number, settings };
    log.error(
      { alarm: "settings", version: row.number, problems: problems.slice(0, 10) },
      "a version of the settings cannot be used, the one before it holds",
    );
  }
  return { number: 0, settings: {} };
}

/** The configuration whose limits are the venue's, as soon as it has set them: each read gets what holds at that moment. */
export function withLiveLimits(config: Config, { now }: Pick<LiveSettings, "now">): Config {
  const { play, discount } = config;
  const livePlay = liveOver(play, {
    LARGE_WIN: () => now().largeWin,
    LARGE_WAGER: () => now().largeWager,
    ALLOW_ZERO_BALANCE: () => now().emptyWalletSits,
    NO_DEPOSIT_MS: () => now().noDepositMs,
    IDLE_MS: () => now().idleMs,
    IDLE_COUNT_MS: () => now().idleCountMs,
    SPECTATORS_MAX: () => now().spectatorsMax,
    WATCHED_MAX: () => now().watchedMax,
    QUEUE_PLACES: () => now().queuePlaces,
    QUEUE_LENGTH: () => now().queueLength,
    QUEUE_READY_MS: () => now().queueReadyMs,
    QUEUE_PASSES: () => now().queuePasses,
    QUEUE_AWAY_MS: () => now().queueAwayMs,
    QUEUE_ANY_BRAND: () => now().queueAnyBrand,
    QUEUE_ANY_DENOMINATION: () => now().queueAnyDenomination,
    QUEUE_TURN_MIN: () => now().queueTurnMin,
    SEAT_HOLD_MIN: () => now().seatHoldMin,
    SEAT_HOLDS_PER_DAY: () => now().seatHoldsPerDay,
    DESK_CODE_MIN: () => now().deskCodeMin,
    WITHDRAWAL_REVIEW: () => now().withdrawalReview,
    SEAT_HOLD_PRICE: () => now().seatHoldPrice,
    DISPUTE_DAYS: () => now().disputeDays,
    SAMPLED_GAMES: () => now().sampledGames,
  });
  return { ...config, play: livePlay, discount: liveDiscount(discount, now) };
}

function liveDiscount(discount: Config["discount"], now: LiveSettings["now"]): Config["discount"] {
  return {
    get percent() {
      return now().discountPercent ?? discount.percent;
    },
    get periodS() {
      return now().discountPeriodS ?? discount.periodS;
    },
    get balanceBelowMinor() {
      const below = now().discountBalanceBelow;
      if (below === undefined) return discount.balanceBelowMinor;
      return below === 0 ? null : below;
    },
  };
}

/** The same values, each read when it is needed: the live one, where there is one. */
function liveOver<T extends object>(fixed: T, live: { readonly [K in keyof T]?: () => T[K] | undefined }): T {
  const over = { ...fixed };
  for (const key of Object.keys(live) as (keyof T)[])
    Object.defineProperty(over, key, { get: () => live[key]?.() ?? fixed[key], enumerable: true });
  return over;
}
