import type { CountedKind, LimitKey, LimitPeriod } from "@longarm/contract/player-protection";
import type { Problem, ProblemName } from "@longarm/contract/problems";
import type { Kysely } from "kysely";
import type { HeldLimit, Limited, Limits, LimitsTables } from "../protection/limits/index.ts";
import { limitsOf } from "../protection/limits/index.ts";
import type { CountedNow } from "./counted.ts";
import { countedNow, freesAt } from "./counted.ts";
import { PAUSE_MIN, sessionsPlayed } from "./seat/index.ts";

/* Where limits of players are checked: before a seat, before money goes onto a machine, before a deposit. */

type Db = Kysely<LimitsTables>;

const PROBLEMS = {
  deposit: "limit.deposit",
  cashIn: "limit.cash_in",
  loss: "limit.loss",
  wager: "limit.wager",
  time: "limit.time",
} as const satisfies Record<CountedKind, ProblemName>;

/** Why a player may not begin to play; null: nothing keeps them. Problems: player.excluded, limit.required, limit.loss, limit.wager, limit.time. */
export async function sitProblem(db: Db, limited: Limited): Promise<Problem | null> {
  const limits = await limitsOf(db, limited);
  return (
    closedProblem(limits) ??
    (await reachedProblem(db, limited.playerId, limits, PLAYED_KINDS)) ??
    (await sessionProblem(db, limited.playerId, limits))
  );
}

/** A session whose limit is reached is over after a pause, not by sitting down again. */
async function sessionProblem(db: Db, playerId: string, { session }: Limits): Promise<Problem | null> {
  if (session === null) return null;
  const { minutes, endedAt } = (await sessionsPlayed(db, [playerId]))(playerId);
  if (minutes < session || endedAt === null) return null;
  const until = new Date(endedAt.getTime() + PAUSE_MIN * 60_000);
  return { name: "limit.time", params: { left: 0, until: until.toISOString() } };
}

/**
 * Why money may not go onto a machine; null: it may. `credit`: what is on the machine already, minor units. All that could be lost counts, so that a
 * loss never comes to more than its limit. Problems: player.excluded, limit.required, limit.cash_in, limit.loss, limit.wager, limit.time.
 */
export async function cashInProblem(
  db: Db,
  limited: Limited,
  { amount, credit }: { readonly amount: number; readonly credit: number },
): Promise<Problem | null> {
  const limits = await limitsOf(db, limited);
  const { playerId } = limited;
  return (
    closedProblem(limits) ??
    (await tooMuch(db, { playerId, limits, kind: "cashIn", amount, open: 0 })) ??
    (await tooMuch(db, { playerId, limits, kind: "loss", amount, open: credit })) ??
    (await reachedProblem(db, playerId, limits, ["wager", "time"]))
  );
}

/** Why money may not be deposited into a wallet; null: it may. Problem: limit.deposit. */
export async function depositProblem(db: Db, playerId: string, amount: number): Promise<Problem | null> {
  return await tooMuch(db, { playerId, limits: await limitsOf(db, { playerId }), kind: "deposit", amount, open: 0 });
}

function closedProblem({ exclusion, missing }: Limits): Problem | null {
  if (exclusion !== null) return { name: "player.excluded", params: { until: new Date(exclusion).toISOString() } };
  return missing.length === 0 ? null : { name: "limit.required", params: { keys: missing.join(" ") } };
}

/** Kinds that end play when they are reached. */
export const PLAYED_KINDS = ["loss", "wager", "time"] as const satisfies readonly CountedKind[];
export type PlayedKind = (typeof PLAYED_KINDS)[number];

async function reachedProblem(
  db: Db,
  playerId: string,
  limits: Limits,
  kinds: readonly PlayedKind[],
): Promise<Problem | null> {
  for (const kind of kinds) {
    const problem = await tooMuch(db, { playerId, limits, kind, amount: LEAST, open: 0 });
    if (problem !== null) return problem;
  }
  return null;
}

/** The least that counts of anything: a limit of which less is left is reached. */
const LEAST = 1;

type Wish = {
  readonly playerId: string;
  readonly limits: Limits;
  readonly kind: CountedKind;
  /** Minor units, minutes of time. */
  readonly amount: number;
  /** What counts beside the moves that are booked, minor units. */
  readonly open: number;
};

/**
 * `left` in minor units or minutes, for the page to write; where that is nothing, `until` says from when on there is something again. `owner` and
 * `period` say which limit it is: the one that leaves least, or that frees last.
 */
async function tooMuch(db: Db, { playerId, limits, kind, amount, open }: Wish): Promise<Problem | null> {
  const held = heldOf(limits, kind);
  const longest = held.at(-1)?.period;
  if (longest === undefined) return null;
  const counted = (await countedNow(db, kind, [playerId], longest))(playerId);
  const lefts = held.map((one) => ({ ...one, left: Math.max(0, Math.floor(one.value - counted[one.period] - open)) }));
  const left = Math.min(...lefts.map((one) => one.left));
  if (amount <= left) return null;
  const name = PROBLEMS[kind];
  const least = lefts.find((one) => one.left === left) as (typeof lefts)[number];
  if (left > 0) return { name, params: { left, ...saidOf(least) } };
  const reached: { readonly held: HeldOfKind; readonly frees: Date | null }[] = [];
  for (const held of lefts)
    if (held.left === 0)
      reached.push({
        held,
        frees: await freesAt(db, kind, { playerId, period: held.period, limit: held.value - open }),
      });
  const last = reached.reduce((one, other) => (timeOf(other.frees) > timeOf(one.frees) ? other : one));
  const until = last.frees === null ? {} : { until: last.frees.toISOString() };
  return { name, params: { left: 0, ...until, ...saidOf(last.held) } };
}

/** Null: it never frees by time alone. */
const timeOf = (frees: Date | null): number => frees?.getTime() ?? Number.POSITIVE_INFINITY;

/** Whose limit it is and of which period, as the wire says it. */
export const saidOf = ({ owner, period }: Pick<HeldOfKind, "owner" | "period">) =>
  ({ owner: owner === "house" ? "operator" : owner, period }) as const;

type HeldOfKind = HeldLimit & { readonly key: LimitKey; readonly period: LimitPeriod };

/** The limits of one kind that hold, the shortest period first. */
export function heldOf({ counted }: Limits, kind: CountedKind): readonly HeldOfKind[] {
  return (["day", "week", "month"] as const).flatMap((period) => {
    const key: LimitKey = `${kind}.${period}`;
    const held = counted[key];
    return held === undefined ? [] : [{ ...held, key, period }];
  });
}

/** Whether any limit of the kind is reached by what counts: play ends then. */
export function isReached(limits: Limits, kind: PlayedKind, counted: CountedNow): boolean {
  return heldOf(limits, kind).some(({ period, value }) => counted[period] >= value);
}
