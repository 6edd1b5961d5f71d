import type { GameRules, HoldReason, PlayRules } from "@longarm/contract/player-protection";
import type { SeatTurn } from "@longarm/contract/player-queue";
import type { Kysely } from "kysely";
import type { CheckTables, OpenCheck } from "../../protection/checks/index.ts";
import { checkEvery, checksOfAll } from "../../protection/checks/index.ts";
import { identitiesOf } from "../../protection/identity/index.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { limitsOfAll } from "../../protection/limits/index.ts";
import type { MarketTables, Rules } from "../../protection/markets/index.ts";
import { rulesOfAll } from "../../protection/markets/index.ts";
import { countedNow } from "../counted.ts";
import type { PlayedKind } from "../limits.ts";
import { heldOf, saidOf } from "../limits.ts";
import type { QueueTables } from "../queue/index.ts";
import { turnsOf } from "../queue/index.ts";
import type { TimePlayed } from "../seat/index.ts";
import { sessionsPlayed, timePlayed } from "../seat/index.ts";
import type { PlayTables } from "../tables.ts";

/** A held seat with everything that protects its player. */
export type ProtectedSeat = {
  readonly machineId: string;
  readonly epoch: number;
  readonly playSessionId: string;
  readonly playerId: string;
  readonly ending: PlayTables["seat"]["ending"];
  readonly state: PlayTables["seat"]["state"];
  readonly rules: Rules;
  /** The machine's newest event that is counted. */
  readonly countedTo: number;
  /** Highest stake of one game for this player, minor units; null: none. Source: SI 2025. */
  readonly maxStake: number | null;
  /** What the player's limits leave. */
  readonly left: Left;
  /** How long the player may sit while others wait. */
  readonly turn: SeatTurn;
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
      .innerJoin("play_session as ps", "ps.id", "seat.play_session_id")
      .innerJoin("machine", "machine.id", "seat.machine_id")
      // Before anything is counted: a game that is taken meanwhile counts twice, not never.
      .select("machine.taken_seq as countedTo")
      .select(["seat.machine_id", "epoch", "ps.id as playSessionId", "seat.player_id", "ending", "state"])
      .where("seat.machine_id", "in", [...machineIds])
      .execute()
  ).flatMap(({ machine_id: machineId, player_id: playerId, ...seat }) =>
    playerId === null ? [] : [{ ...seat, machineId, playerId }],
  );
  if (held.length === 0) return [];
  const players = held.map(({ playerId }) => playerId);
  const [rules, checksOf, leftOf, turnOf] = await readAll(db, [
    () => rulesOfAll(db.withTables<MarketTables>(), held),
    () => checksOfAll(db.withTables<CheckTables>(), players),
    () => leftByLimits(db, held),
    () =>
      turnsOf(
        db.withTables<QueueTables>(),
        held.map(({ playSessionId }) => playSessionId),
      ),
  ]);
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
    const left = leftOf(seat);
    const check = { everyMin, dueInMs, open: checks.open, played };
    return { ...seat, maxStake: maxStakeOf(seat), left, turn: turnOf(seat.playSessionId), check };
  });
}

type Read<T> = () => Promise<T>;

/** Reads at once what does not depend on each other; one after the other within a transaction, which has one connection. */
async function readAll<A, B, C, D>(
  db: Db,
  reads: readonly [Read<A>, Read<B>, Read<C>, Read<D>],
): Promise<[A, B, C, D]> {
  const [a, b, c, d] = reads;
  if (db.isTransaction) return [await a(), await b(), await c(), await d()];
  return await Promise.all([a(), b(), c(), d()]);
}

/** What limits of a player leave. Null: nothing limits it. */
type Left = {
  /** Of the time at machines, of the period or of this session, ms. */
  readonly timeMs: number | null;
  /** Of the stakes, and of what may be lost, minor units. */
  readonly wager: number | null;
  readonly loss: number | null;
  /** The limit that leaves the next game least. */
  readonly stakesLeft: StakesLeft | null;
};
type StakesLeft = NonNullable<GameRules["stakesLeft"]>;
type Limited = Pick<ProtectedSeat, "machineId" | "playerId">;

/** What the strictest limit of a kind leaves; infinite: nothing limits it. */
type LeastLeft = { readonly left: number; readonly by: Pick<StakesLeft, "owner" | "period"> | null };
const NOTHING_LIMITS: LeastLeft = { left: Number.POSITIVE_INFINITY, by: null };

/** Only players who have a limit of the kind are counted. */
async function leftByLimits(db: Db, seats: readonly Limited[]): Promise<(seat: Limited) => Left> {
  const limitsOf = await limitsOfAll(db.withTables<LimitsTables>(), seats);
  const leftOf = async (kind: PlayedKind) => {
    const players = seats.flatMap(({ playerId }) => (heldOf(limitsOf(playerId), kind).length > 0 ? [playerId] : []));
    if (players.length === 0) return () => NOTHING_LIMITS;
    const counted = await countedNow(db.withTables<LimitsTables>(), kind, players);
    return (playerId: string): LeastLeft =>
      heldOf(limitsOf(playerId), kind)
        .map((held) => ({ left: held.value - counted(playerId)[held.period], by: saidOf(held) }))
        .reduce<LeastLeft>((one, other) => (other.left < one.left ? other : one), NOTHING_LIMITS);
  };
  const [timeLeft, wagerLeft, lossLeft] = [await leftOf("time"), await leftOf("wager"), await leftOf("loss")];
  const bounded = (value: number): number | null =>
    value === Number.POSITIVE_INFINITY ? null : Math.max(0, Math.floor(value));
  const limited = seats.flatMap(({ playerId }) => (limitsOf(playerId).session === null ? [] : [playerId]));
  const sessionOf = await sessionsPlayed(db, limited);
  return ({ playerId }) => {
    const { minutes } = sessionOf(playerId);
    const ofSession = (limitsOf(playerId).session ?? Number.POSITIVE_INFINITY) - minutes;
    const [wager, loss] = [wagerLeft(playerId), lossLeft(playerId)];
    const least = wager.left <= loss.left ? { ...wager, of: "wager" as const } : { ...loss, of: "loss" as const };
    const left = bounded(least.left);
    return {
      timeMs: bounded(Math.min(ofSession, timeLeft(playerId).left) * 60_000),
      wager: bounded(wager.left),
      loss: bounded(loss.left),
      stakesLeft: left === null || least.by === null ? null : { left, of: least.of, ...least.by },
    };
  };
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

/** What the agent enforces. The time that a limit leaves is held there too, so that no game begins before the platform has ended the play session. */
export function playRulesOf({
  rules,
  maxStake,
  left,
  turn,
  countedTo,
  check: { dueInMs },
}: Pick<ProtectedSeat, "rules" | "maxStake" | "left" | "turn" | "countedTo" | "check">): PlayRules {
  const stakes = [maxStake, left.wager].filter((one) => one !== null);
  const allowed = {
    ...(left.wager !== null && { stakes: left.wager }),
    ...(left.loss !== null && { loss: left.loss }),
  };
  const [first] = (
    [
      { heldFor: "limit", afterMs: left.timeMs },
      { heldFor: "realityCheck", afterMs: dueInMs },
      { heldFor: "turn", afterMs: turn.leftMs },
    ] as const satisfies readonly { heldFor: HoldReason; afterMs: number | null }[]
  )
    .flatMap(({ heldFor, afterMs }) => (afterMs === null ? [] : [{ heldFor, afterMs }]))
    .toSorted((one, other) => one.afterMs - other.afterMs);
  return {
    minCycleMs: rules.minCycleMs,
    autoplay: rules.autoplay,
    stopReels: rules.stopReels,
    // Nothing left ends the play session; until then the least stake of all holds.
    ...(stakes.length > 0 && { maxStake: Math.max(1, Math.min(...stakes)) }),
    ...(Object.keys(allowed).length > 0 && { allowance: { ...allowed, countedTo } }),
    ...(rules.recorded && { recorded: true }),
    ...(rules.pictureMsMax !== null && { pictureMsMax: rules.pictureMsMax }),
    ...(first && { paidForMs: Math.min(Math.floor(first.afterMs), TIMER_MS_MAX), heldFor: first.heldFor }),
  };
}

/** What the page shows of them. */
export function gameRulesOf({
  rules,
  maxStake,
  left,
  check,
}: Pick<ProtectedSeat, "rules" | "maxStake" | "left" | "check">): GameRules {
  const { minCycleMs, autoplay, releaseToPress, winBelowStakePlain, realityCheckMin, realityCheckMayBeOff } = rules;
  return {
    ...{ minCycleMs, autoplay, releaseToPress, winBelowStakePlain },
    ...(maxStake !== null && { maxStake }),
    ...(left.stakesLeft !== null && { stakesLeft: left.stakesLeft }),
    check: { everyMin: check.everyMin, longestMin: realityCheckMin, mayBeOff: realityCheckMayBeOff },
  };
}
