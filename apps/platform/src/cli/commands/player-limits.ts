import type { CountedKind, LimitPeriod, LimitSubject } from "@longarm/contract/player-protection";
import { LimitSubject as Subject } from "@longarm/contract/player-protection";
import { readEnvironment } from "@longarm/link/environment";
import { platformVariables } from "../../config/variables.ts";
import type { Player } from "../../modules/players/accounts/index.ts";
import type { LimitName, LimitsTables, SetLimit, Standing } from "../../modules/protection/limits/index.ts";
import {
  holdsFrom,
  limitNameOf,
  limitPartsOf,
  OWN_LIMIT,
  setLimit,
  standingLimits,
  waitOf,
} from "../../modules/protection/limits/index.ts";
import type { StaffCaller } from "../../modules/staff/sign-in/index.ts";
import type { ActingDeps, Field } from "../command.ts";
import { actCommand, CommandRefused, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import type { FutureTime } from "../fields.ts";
import {
  amount,
  DRY_RUN,
  futureTime,
  instantOf,
  oneOf,
  option,
  REASON,
  USERNAME,
  wholeNumber,
  withDefault,
} from "../fields.ts";
import { printableLine, timeText, writeAmount } from "../output.ts";
import { asStaff, carryOut, namedPlayer } from "../staff.ts";

const { TIME_ZONE } = platformVariables;
const SESSION_MINUTES_MAX = 10_080;
const MINUTES_MAX = 43_200;

/** Limits by name: `loss.week=500.00 time.day=120 deposit.month=none`. */
const namedLimits = (text: string, label: string): ReadonlyMap<LimitSubject, number | null> => {
  const found = new Map<LimitSubject, number | null>();
  for (const one of text.split(/[\s;]+/).filter((part) => part !== "")) {
    const [name = "", value = ""] = one.split("=", 2);
    const subject = Subject.options.find((option) => option === name);
    if (subject === undefined) throw new UsageProblem(`${label} must name one of ${Subject.options.join(", ")}.`);
    const read = /^(time|session)/.test(subject) ? wholeNumber(1, MINUTES_MAX) : amount;
    found.set(subject, value === "none" ? null : read(value, `${label} ${subject}`));
  }
  return found;
};

/** A limit to set; null: none; undefined: it stays. */
function limit<T>(value: string, about: string, read: (text: string, label: string) => T): Field<T | null | undefined> {
  return option(value, `${about}, or none`, (text, label) => (text === "none" ? null : read(text, label)));
}

export const playersLimits = actCommand({
  name: "players limits",
  needs: ({ limit: named, cashInDay, lossDay, sessionMinutes, excludeUntil }) =>
    [named, cashInDay, lossDay, sessionMinutes, excludeUntil].every((value) => value === undefined)
      ? null
      : ["limit.stricter", "limit.looser"],
  about: "show or set what a player may deposit, put in, lose and wager, how long one may play, and exclusions",
  more: [
    "  longarm players limits deniz.aydin",
    '  longarm players limits deniz.aydin --limit "loss.week=500.00 time.day=120" --for player',
    "  longarm players limits deniz.aydin --exclude-until 30d",
    "",
    "Kinds are deposit, cashIn, loss, wager and time (minutes), each with .day, .week or .month: the 24 hours, 7 or 30 days before now; and",
    "session (minutes of one play session). A stricter limit applies at once, and the play session ends if the limit requires it; a relaxed or",
    "removed one (`none`) applies after the wait of the venue's market, 24 hours or more, and perhaps only when the player says yes again on the",
    "page. Player and operator set limits of their own, and of each the stricter applies. Withdrawing always works.",
  ].join("\n"),
  arguments: { username: USERNAME },
  options: {
    limit: option("<name=value>", 'one or several: "loss.week=500.00 time.day=120", or none', namedLimits),
    cashInDay: limit("<amount>", "cashIn.day, onto machines in 24 hours: 500.00", amount),
    lossDay: limit("<amount>", "loss.day, lost in 24 hours: 200.00", amount),
    sessionMinutes: limit("<minutes>", "session, of one play session: 120", wholeNumber(1, SESSION_MINUTES_MAX)),
    excludeUntil: limit("<time>", "no play until: 24h, 30d, 2026-12-31", futureTime),
    for: withDefault("player|house", "whose limit it is (house)", "house", oneOf(["player", "house"])),
    reason: REASON,
    dryRun: DRY_RUN,
  },
  async run(deps, { username, limit: named, ...input }) {
    const { cashInDay, lossDay, sessionMinutes, excludeUntil, for: owner, reason, by, dryRun } = input;
    const player = await namedPlayer(deps.db, username);
    const { TIME_ZONE: timeZone } = readEnvironment({ TIME_ZONE }, deps.environment);
    const values = new Map<LimitName, number | FutureTime | null | undefined>([
      ...(named ?? []),
      ...(cashInDay === undefined ? [] : [["cashIn.day", cashInDay] as const]),
      ...(lossDay === undefined ? [] : [["loss.day", lossDay] as const]),
      ...(sessionMinutes === undefined ? [] : [["session", sessionMinutes] as const]),
      ["exclusion", excludeUntil],
    ]);
    const wanted: SetLimit[] = [];
    for (const [name, value] of values)
      if (value !== undefined) {
        const until = typeof value === "object" && value !== null ? await instantOf(deps.db, value) : undefined;
        const order = { playerId: player.id, ...limitPartsOf(name), owner, by, timeZone };
        wanted.push({ ...order, value: until?.getTime() ?? (value as number | null) });
      }
    const { caller } = deps.acting;
    if (caller !== null && (await liftsExclusion(deps, wanted)))
      return await requestLift(deps, caller, { player, reason, dryRun, isAlone: wanted.length === 1 });
    if (wanted.length > 0) await setLimits(deps, wanted, { playerId: player.id, by, dryRun });
    if (wanted.length > 0 && dryRun) return { player: player.id, dryRun, wouldSet: wanted };
    const limits = await standingLimits(deps.db.withTables<LimitsTables>(), player.id);
    if (limits.length === 0) deps.say(`${player.username} has no limits.`);
    for (const one of limits) deps.say(printableLine(limitLine(one)));
    return { player: player.id, limits };
  },
});

type Change = { readonly playerId: string; readonly by: string; readonly dryRun: boolean };

/** Whether an exclusion would end sooner than it does. */
async function liftsExclusion({ db }: ActingDeps, wanted: readonly SetLimit[]): Promise<boolean> {
  const exclusion = wanted.find(({ kind }) => kind === "exclusion");
  return exclusion !== undefined && (await holdsFrom(db.withTables<LimitsTables>(), exclusion)) === "later";
}

/** Lifting an exclusion needs a second person. */
async function requestLift(
  deps: ActingDeps,
  caller: StaffCaller,
  {
    player,
    reason,
    dryRun,
    isAlone,
  }: { readonly player: Player; readonly reason: string; readonly dryRun: boolean; readonly isAlone: boolean },
): Promise<object> {
  if (!isAlone) throw new CommandRefused("Lift an exclusion by itself: it needs a second person.");
  const sent = { params: { id: player.id }, fields: { liftExclusion: true, reason }, dryRun };
  const outcome = await actAtDesk(deps, caller, "looserLimits", sent);
  const done = () => `The exclusion of ${player.username} ends in a day.`;
  return sayOutcome(deps, outcome, { done, would: `lift the exclusion of ${player.username}` });
}

/** A limit that becomes looser needs another permission than a stricter one. @throws CommandRefused. */
function checkMaySet({ acting }: ActingDeps, name: LimitName, isStricter: boolean): void {
  const permission = isStricter ? "limit.stricter" : "limit.looser";
  if (acting.caller !== null && !acting.caller.permissions.has(permission))
    throw new CommandRefused(
      `${acting.by} lacks the permission ${permission}, which the limit ${name} needs. Nothing was changed.`,
    );
}

async function setLimits(deps: ActingDeps, limits: readonly SetLimit[], change: Change): Promise<void> {
  const { playerId, by, dryRun } = change;
  const lines = await asStaff(deps, by, async (transaction) => {
    const trx = transaction.withTables<LimitsTables>();
    const said: string[] = [];
    for (const one of limits) {
      const name = nameOf(one);
      const what = `${name}: ${limitValue(name, one.value)}`;
      const isStricter = (await holdsFrom(trx, one)) === "now";
      checkMaySet(deps, name, isStricter);
      if (!isStricter && one.owner === "player")
        throw new CommandRefused(`The limit ${name} is the player's own. ${OWN_LIMIT} Nothing was changed.`);
      const { from, asksAgain } = dryRun && !isStricter ? await waitOf(trx, one) : NO_WAIT;
      if (dryRun)
        said.push(`Would set ${what}, ${isStricter ? "at once" : `from ${timeText(from)} UTC on${ifYes(asksAgain)}`}.`);
      else {
        const set = await setLimit(trx, one);
        said.push(`Set ${what}, from ${timeText(set.from)} UTC on${ifYes(set.asksAgain)}.`);
      }
    }
    return said;
  });
  for (const line of lines) deps.say(line);
  if (dryRun) deps.say("Nothing was changed.");
  else await carryOut(deps, { kind: "player", body: { playerId }, by });
}

const NO_WAIT = { from: new Date(0), asksAgain: false };
const ifYes = (asksAgain: boolean) => (asksAgain ? ", if the player says yes again then" : "");
const nameOf = ({ kind, period = "day" }: Pick<SetLimit, "kind" | "period">) => limitNameOf({ kind, period });

const OWNERS = { player: "the player's own", house: "the operator's" } as const;

/** One limit as a sentence. */
export function limitLine(standing: Standing): string {
  const { owner, value, effectiveAt, asksAgain, setBy, holds } = standing;
  const name = limitNameOf(standing);
  const from = holds ? "" : `, from ${timeText(effectiveAt)} UTC on${ifYes(asksAgain)}`;
  return `${name}: ${limitValue(name, value)} (${OWNERS[owner]}, set by ${setBy}${from})`;
}

const PERIODS: Readonly<Record<LimitPeriod, string>> = { day: "24 hours", week: "7 days", month: "30 days" };
const VERBS: Readonly<Record<Exclude<CountedKind, "time">, string>> = {
  deposit: "deposited",
  cashIn: "onto machines",
  loss: "lost",
  wager: "wagered",
};

function limitValue(name: LimitName, value: number | null): string {
  if (value === null) return "none";
  const { kind, period } = limitPartsOf(name);
  if (kind === "exclusion") return `no play until ${timeText(new Date(value))} UTC`;
  if (kind === "session") return `${value} minutes of one play session`;
  if (kind === "time") return `${value} minutes at machines in ${PERIODS[period]}`;
  return `${writeAmount(value)} ${VERBS[kind]} in ${PERIODS[period]}`;
}
