import type { LimitPreview, OwnLimit, OwnLimits } from "@longarm/contract/player-limits";
import type { CountedKind, LimitPeriod, LimitSubject } from "@longarm/contract/player-protection";
import { COUNTED_KINDS, LimitSubject as Subject } from "@longarm/contract/player-protection";
import { databaseTime } from "@longarm/database/clock";
import type { Kysely } from "kysely";
import type { CountedNow } from "../../play/counted.ts";
import { atRiskOf, countedNow, freesAt } from "../../play/counted.ts";
import type { CheckTables } from "../checks/index.ts";
import { checkEvery, checksOfAll } from "../checks/index.ts";
import type { HeldLimit, Limits, LimitsTables, SetLimit, Standing } from "../limits/index.ts";
import {
  ANSWER_DAYS,
  begunLimits,
  holdsFrom,
  limitNameOf,
  limitPartsOf,
  limitsOfferDue,
  standingLimits,
  strictestOf,
  waitOf,
} from "../limits/index.ts";
import type { Rules } from "../markets/index.ts";
import { rulesOf } from "../markets/index.ts";

type Db = Kysely<LimitsTables>;

export type Viewer = {
  readonly playerId: string;
  /** The venue's, in which weeks and months end. */
  readonly timeZone: string;
};

const DAY_MS = 86_400_000;

/** What the platform reads once for all limits of a player. */
type Facts = {
  readonly viewer: Viewer;
  readonly rules: Rules;
  readonly limits: Limits;
  readonly standing: readonly Standing[];
  readonly counted: ReadonlyMap<CountedKind, CountedNow>;
  /** What could still be lost of money at machines, minor units. */
  readonly risk: number;
  /** From when on a looser limit would hold, by what decides it. */
  readonly looserFrom: ReadonlyMap<LimitPeriod, string>;
};

/** A player's limits as the player sees them: what holds and whose it is, what is used and left, and what waits. */
export async function ownLimits(db: Db, viewer: Viewer): Promise<OwnLimits> {
  const { playerId } = viewer;
  const now = (await databaseTime(db)).getTime();
  const standing = await standingLimits(db, playerId);
  const rules = await rulesOf(db, { playerId });
  const counted = new Map<CountedKind, CountedNow>();
  for (const kind of COUNTED_KINDS) counted.set(kind, (await countedNow(db, kind, [playerId]))(playerId));
  const facts: Facts = {
    viewer,
    rules,
    standing,
    limits: strictestOf(
      standing.filter(({ holds }) => holds),
      rules,
      now,
    ),
    counted,
    risk: await atRiskOf(db, playerId),
    looserFrom: await looserFrom(db, viewer),
  };
  const limits: OwnLimit[] = [];
  for (const key of Subject.options) limits.push(await ownLimit(db, facts, key));
  const { autoplay, minCycleMs, stakeCaps, looserAskAgain: asksAgain } = rules;
  const check = {
    everyMin: checkEvery(rules, (await checksOfAll(db.withTables<CheckTables>(), [playerId]))(playerId)?.chosen),
    longestMin: rules.realityCheckMin,
    mayBeOff: rules.realityCheckMayBeOff,
  };
  // Of two caps by age the lower one is said to a player whose age is not known.
  return {
    now: new Date(now).toISOString(),
    limits,
    rules: { asksAgain, autoplay, minCycleMs, maxStake: stakeCaps.under25, check },
    offered: await limitsOfferDue(db, playerId),
    begun: (await begunLimits(db, playerId)).map(({ id, value, from, ...one }) => ({
      ...{ id: String(id), value, from: from.toISOString() },
      key: limitNameOf(one) as LimitSubject,
    })),
  };
}

async function looserFrom(db: Db, { playerId, timeZone }: Viewer): Promise<Map<LimitPeriod, string>> {
  const times = new Map<LimitPeriod, string>();
  for (const period of ["day", "week", "month"] as const) {
    const wait = await waitOf(db, { playerId, kind: "loss", period, owner: "player", timeZone });
    times.set(period, wait.from.toISOString());
  }
  return times;
}

async function ownLimit(db: Db, facts: Facts, key: LimitSubject): Promise<OwnLimit> {
  const { kind, period } = limitPartsOf(key);
  const mine = facts.standing.find((one) => one.holds && one.owner === "player" && limitNameOf(one) === key);
  const waits = facts.standing.find((one) => !one.holds && one.owner === "player" && limitNameOf(one) === key);
  const shown = {
    key,
    mine: mine?.value ?? null,
    required: facts.rules.limitsRequired.some((one) => one === key),
    waiting: waits === undefined ? null : waitingOf(waits),
    looserFrom: facts.looserFrom.get(period) ?? "",
  };
  if (key === "session") return { ...shown, ...sessionOf(facts), used: 0, left: null, frees: null };
  const held = facts.limits.counted[key];
  const booked = facts.counted.get(kind as CountedKind)?.[period] ?? 0;
  const open = kind === "loss" ? facts.risk : 0;
  const used = Math.max(0, Math.floor(booked + open));
  const value = held?.value ?? null;
  const left = value === null ? null : Math.max(0, value - used);
  const frees =
    left === 0 && value !== null
      ? await freesAt(db, kind as CountedKind, { playerId: facts.viewer.playerId, period, limit: value - open })
      : null;
  return { ...shown, value, owner: ownerOf(held), used, left, frees: frees?.toISOString() ?? null };
}

function ownerOf(held: HeldLimit | undefined): OwnLimit["owner"] {
  if (held === undefined) return null;
  return held.owner === "house" ? "operator" : held.owner;
}

function sessionOf({ standing, limits }: Facts): Pick<OwnLimit, "value" | "owner"> {
  const value = limits.session;
  if (value === null) return { value, owner: null };
  const isMine = standing.some(
    (one) => one.holds && one.kind === "session" && one.owner === "player" && one.value === value,
  );
  return { value, owner: isMine ? "player" : "operator" };
}

function waitingOf({ id, value, effectiveAt, asksAgain }: Standing): NonNullable<OwnLimit["waiting"]> {
  const until = new Date(effectiveAt.getTime() + ANSWER_DAYS * DAY_MS);
  return {
    id: String(id),
    value,
    from: effectiveAt.toISOString(),
    answerUntil: asksAgain ? until.toISOString() : null,
  };
}

/** What setting a limit would come to, without setting it. */
export async function previewOf(db: Db, order: SetLimit): Promise<LimitPreview> {
  const { playerId, kind, period = "day", value } = order;
  const isLooser = (await holdsFrom(db, order)) === "later";
  const now = { from: await databaseTime(db), asksAgain: false };
  const { from, asksAgain } = isLooser ? await waitOf(db, order) : now;
  const isCounted = kind !== "session" && kind !== "exclusion";
  const frees = !isLooser && isCounted && value !== null ? await freesOf(db, { playerId, kind, period, value }) : null;
  return { from: from.toISOString(), isLooser, asksAgain, frees: frees?.toISOString() ?? null };
}

type Counted = {
  readonly playerId: string;
  readonly kind: CountedKind;
  readonly period: LimitPeriod;
  readonly value: number;
};

/** Null: something is left, or never by time alone. */
async function freesOf(db: Db, { playerId, kind, period, value }: Counted): Promise<Date | null> {
  const open = kind === "loss" ? await atRiskOf(db, playerId) : 0;
  const booked = (await countedNow(db, kind, [playerId]))(playerId)[period];
  return booked + open < value ? null : await freesAt(db, kind, { playerId, period, limit: value - open });
}
