import type { Player } from "../../modules/players/accounts/index.ts";
import type { LimitKind, LimitsTables, SetLimit, Standing } from "../../modules/protection/limits/index.ts";
import { holdsFrom, setLimit, standingLimits } from "../../modules/protection/limits/index.ts";
import type { StaffCaller } from "../../modules/staff/sign-in/index.ts";
import type { ActingDeps, Field } from "../command.ts";
import { actCommand, CommandRefused } from "../command.ts";
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

const SESSION_MINUTES_MAX = 10_080;

/** A limit to set; null: none; undefined: it stays. */
function limit<T>(value: string, about: string, read: (text: string, label: string) => T): Field<T | null | undefined> {
  return option(value, `${about}, or none`, (text, label) => (text === "none" ? null : read(text, label)));
}

export const playersLimits = actCommand({
  name: "players limits",
  needs: ({ cashInDay, lossDay, sessionMinutes, excludeUntil }) =>
    [cashInDay, lossDay, sessionMinutes, excludeUntil].every((value) => value === undefined)
      ? null
      : ["limit.stricter", "limit.looser"],
  about: "show or set what a player may put in and lose, how long one may play, and exclusions",
  more: [
    "  longarm players limits deniz.aydin",
    "  longarm players limits deniz.aydin --cash-in-day 500.00 --session-minutes 120 --for player",
    "  longarm players limits deniz.aydin --exclude-until 30d",
    "",
    "A stricter limit applies at once, and the play session ends if the limit requires it; a relaxed or removed one (`none`) applies 24 hours",
    "later. Player and operator set limits of their own, and of each kind the stricter applies. Withdrawing always works.",
  ].join("\n"),
  arguments: { username: USERNAME },
  options: {
    cashInDay: limit("<amount>", "onto machines in 24 hours: 500.00", amount),
    lossDay: limit("<amount>", "lost in 24 hours: 200.00", amount),
    sessionMinutes: limit("<minutes>", "of one play session: 120", wholeNumber(1, SESSION_MINUTES_MAX)),
    excludeUntil: limit("<time>", "no play until: 24h, 30d, 2026-12-31", futureTime),
    for: withDefault("player|house", "whose limit it is (house)", "house", oneOf(["player", "house"])),
    reason: REASON,
    dryRun: DRY_RUN,
  },
  async run(deps, { username, cashInDay, lossDay, sessionMinutes, excludeUntil, for: owner, reason, by, dryRun }) {
    const player = await namedPlayer(deps.db, username);
    const values = { cashIn: cashInDay, loss: lossDay, session: sessionMinutes, exclusion: excludeUntil };
    const wanted: SetLimit[] = [];
    for (const [kind, value] of Object.entries(values) as [LimitKind, number | FutureTime | null | undefined][])
      if (value !== undefined) {
        const until = typeof value === "object" && value !== null ? await instantOf(deps.db, value) : undefined;
        wanted.push({ playerId: player.id, kind, owner, by, value: until?.getTime() ?? (value as number | null) });
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
function checkMaySet({ acting }: ActingDeps, kind: LimitKind, isStricter: boolean): void {
  const permission = isStricter ? "limit.stricter" : "limit.looser";
  if (acting.caller !== null && !acting.caller.permissions.has(permission))
    throw new CommandRefused(
      `${acting.by} lacks the permission ${permission}, which the limit ${kind} needs. Nothing was changed.`,
    );
}

async function setLimits(deps: ActingDeps, limits: readonly SetLimit[], change: Change): Promise<void> {
  const { playerId, by, dryRun } = change;
  const lines = await asStaff(deps, by, async (transaction) => {
    const trx = transaction.withTables<LimitsTables>();
    const said: string[] = [];
    for (const one of limits) {
      const what = `${one.kind}: ${limitValue(one.kind, one.value)}`;
      const isStricter = (await holdsFrom(trx, one)) === "now";
      checkMaySet(deps, one.kind, isStricter);
      if (dryRun) said.push(`Would set ${what}, ${isStricter ? "at once" : "in a day"}.`);
      else said.push(`Set ${what}, from ${timeText(await setLimit(trx, one))} UTC on.`);
    }
    return said;
  });
  for (const line of lines) deps.say(line);
  if (dryRun) deps.say("Nothing was changed.");
  else await carryOut(deps, { kind: "player", body: { playerId }, by });
}

const OWNERS = { player: "the player's own", house: "the house's" } as const;

/** One limit as a sentence. */
export function limitLine({ kind, owner, value, effectiveAt, setBy, holds }: Standing): string {
  const from = holds ? "" : `, from ${timeText(effectiveAt)} UTC on`;
  return `${kind}: ${limitValue(kind, value)} (${OWNERS[owner]}, set by ${setBy}${from})`;
}

function limitValue(kind: LimitKind, value: number | null): string {
  if (value === null) return "none";
  return {
    cashIn: () => `${writeAmount(value)} onto machines in 24 hours`,
    loss: () => `${writeAmount(value)} lost in 24 hours`,
    session: () => `${value} minutes of one play session`,
    exclusion: () => `no play until ${timeText(new Date(value))} UTC`,
  }[kind]();
}
