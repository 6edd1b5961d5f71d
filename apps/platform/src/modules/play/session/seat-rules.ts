import type { GameRules, PlayRules } from "@longarm/contract/player-protection";
import type { Kysely } from "kysely";
import type { CheckTables, OpenCheck } from "../../protection/checks/index.ts";
import { checkEvery, checksOfAll } from "../../protection/checks/index.ts";
import { identitiesOf } from "../../protection/identity/index.ts";
import type { MarketTables, Rules } from "../../protection/markets/index.ts";
import { rulesOfAll } from "../../protection/markets/index.ts";
import type { TimePlayed } from "../seat/index.ts";
import { timePlayed } from "../seat/index.ts";
import type { PlayTables } from "../tables.ts";

/** A held seat with everything that protects its player. */
export type ProtectedSeat = {
  readonly machineId: string;
  readonly epoch: number;
  readonly playSessionId: string;
  readonly playerId: string;
  readonly ending: boolean;
  readonly state: PlayTables["seat"]["state"];
  readonly rules: Rules;
  /** Highest stake of one game for this player, minor units; null: none. Source: SI 2025. */
  readonly maxStake: number | null;
  readonly check: {
    /** Minutes at machines from check to check; null: none. */
    readonly everyMin: number | null;
    /** Until the next one, ms; 0: it is due; null: none comes. */
    readonly dueInMs: number | null;
    readonly open: OpenCheck | null;
    /** Undefined: no check comes. */
    readonly played: TimePlayed | undefined;
  };
};

type Db = Kysely<PlayTables>;

/** The held seats of these machines. The same few statements, however many there are. */
export async function protectedSeats(db: Db, machineIds: readonly string[]): Promise<ProtectedSeat[]> {
  if (machineIds.length === 0) return [];
  const held = (
    await db
      .selectFrom("seat")
      .select(["machine_id", "epoch", "play_session_id", "player_id", "ending", "state"])
      .where("machine_id", "in", [...machineIds])
      .where("play_session_id", "is not", null)
      .execute()
  ).flatMap(({ machine_id: machineId, play_session_id: playSessionId, player_id: playerId, epoch, ending, state }) =>
    playSessionId === null || playerId === null
      ? []
      : [{ machineId, playSessionId, playerId, epoch, ending: ending !== null, state }],
  );
  if (held.length === 0) return [];
  // One after the other: `db` may be a transaction.
  const rules = await rulesOfAll(db.withTables<MarketTables>(), held);
  const players = held.map(({ playerId }) => playerId);
  const checksOf = await checksOfAll(db.withTables<CheckTables>(), players);
  const ruled = held.flatMap((seat, n) => {
    const [own, checks] = [rules[n], checksOf(seat.playerId)];
    return own === undefined || checks === undefined
      ? []
      : [{ ...seat, rules: own, checks, everyMin: checkEvery(own, checks.chosen) }];
  });
  const playedOf = await timePlayed(
    db,
    ruled.flatMap(({ playerId, playSessionId, everyMin, checks }) =>
      everyMin === null && checks.open === null ? [] : [{ playerId, playSessionId, since: checks.since }],
    ),
  );
  const maxStakeOf = await maxStakes(db, ruled);
  return ruled.map(({ checks, everyMin, ...seat }) => {
    const played = playedOf(seat.playerId);
    const leftMs = everyMin === null ? null : Math.max(0, everyMin * 60_000 - (played?.countedMs ?? 0));
    const dueInMs = checks.open === null ? leftMs : 0;
    return { ...seat, maxStake: maxStakeOf(seat), check: { everyMin, dueInMs, open: checks.open, played } };
  });
}

type Capped = Pick<ProtectedSeat, "playerId" | "rules">;

/** From this age on the higher cap holds, years. */
const GROWN_UP = 25;

/** The highest stake of each player, by age where the market has two. As long as no birth date is known the lower one holds. */
async function maxStakes(db: Db, seats: readonly Capped[]): Promise<(seat: Capped) => number | null> {
  const byAge = seats.filter(({ rules: { stakeCaps } }) => stakeCaps.under25 !== stakeCaps.from25);
  const identities =
    byAge.length === 0
      ? undefined
      : await identitiesOf(
          db,
          byAge.map(({ playerId }) => playerId),
        );
  return ({ playerId, rules: { stakeCaps } }) =>
    (identities?.get(playerId)?.age ?? 0) >= GROWN_UP ? stakeCaps.from25 : stakeCaps.under25;
}

/** The longest that a timer can wait, ms; the next renewal says it again. */
const TIMER_MS_MAX = 2_147_483_647;

/** What the agent enforces. */
export function playRulesOf({
  rules,
  maxStake,
  check,
}: Pick<ProtectedSeat, "rules" | "maxStake" | "check">): PlayRules {
  return {
    minCycleMs: rules.minCycleMs,
    autoplay: rules.autoplay,
    stopReels: rules.stopReels,
    ...(maxStake !== null && { maxStake }),
    ...(rules.pictureMsMax !== null && { pictureMsMax: rules.pictureMsMax }),
    ...(check.dueInMs !== null && {
      paidForMs: Math.min(Math.floor(check.dueInMs), TIMER_MS_MAX),
      heldFor: "realityCheck" as const,
    }),
  };
}

/** What the page shows of them. */
export function gameRulesOf({
  rules,
  maxStake,
  check,
}: Pick<ProtectedSeat, "rules" | "maxStake" | "check">): GameRules {
  const { minCycleMs, autoplay, releaseToPress, winBelowStakePlain, realityCheckMin, realityCheckMayBeOff } = rules;
  return {
    ...{ minCycleMs, autoplay, releaseToPress, winBelowStakePlain },
    ...(maxStake !== null && { maxStake }),
    check: { everyMin: check.everyMin, longestMin: realityCheckMin, mayBeOff: realityCheckMayBeOff },
  };
}
