import type { CareSign } from "@longarm/contract/player-care";
import { CARE_MEASURES, CARE_UNITS, LimitAdvice } from "@longarm/contract/player-care";
import { LIMIT_KEYS } from "@longarm/contract/player-protection";
import type { StaffCallName } from "@longarm/contract/staff";
import { CARE_OUTCOMES, STAFF_TIME_OUT_DAYS_MAX } from "@longarm/contract/staff-care";
import { readEnvironment } from "@longarm/link/environment";
import * as z from "zod/mini";
import { platformVariables } from "../../config/variables.ts";
import type { PlayersTables } from "../../modules/players/accounts/index.ts";
import { findPlayer } from "../../modules/players/accounts/index.ts";
import { figuresOfAll } from "../../modules/protection/care/index.ts";
import type { CaseRow, Sign } from "../../modules/protection/cases/index.ts";
import { listCases, stepsOf } from "../../modules/protection/cases/index.ts";
import type { ActingDeps, Command, CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import {
  amount,
  argument,
  DRY_RUN,
  oneOf,
  option,
  required,
  requiredReason,
  USERNAME,
  wholeNumber,
  withDefault,
} from "../fields.ts";
import { printableLine, sayTable, timeText } from "../output.ts";
import { namedPlayer } from "../staff.ts";

const { TIME_ZONE } = platformVariables;

/** `cc_…`, as `care list` shows it. */
const CASE = argument("the case, as care list shows it", (text, label) => {
  if (/^cc_[A-Za-z0-9_-]{20}$/.test(text)) return text;
  throw new UsageProblem(`${label} must be a case such as cc_….`);
});

const UNIT_WORDS = { minutes: " min", times: " times", share: " %" } as const;
const signText = ({
  measure,
  level,
  value,
  limit,
}: Pick<CareSign | Sign, "measure" | "level" | "value" | "limit">): string =>
  `${measure} ${value}${UNIT_WORDS[CARE_UNITS[measure]]} (${level} from ${limit})`;

/** The most cases that one command lists. */
const LISTED_MAX = 500;

const list = command({
  name: "care list",
  about: "list cases of players who may need care, the newest first",
  more: "  longarm care list\n  longarm care list --state closed",
  options: { state: withDefault("open|closed", "which ones (open)", "open", oneOf(["open", "closed"])) },
  async run({ db, say }, { state }) {
    const cases = await listCases(db, { state, limit: LISTED_MAX });
    const rows = await Promise.all(cases.map(async (one) => ({ ...one, username: await nameOf(db, one.playerId) })));
    sayTable(say, rows, ({ id, username, level, openedAt, owner, outcome, signs }) => [
      id,
      printableLine(username),
      level,
      timeText(openedAt),
      outcome ?? (owner === null ? "not taken" : "taken"),
      signs.map(({ measure }) => measure).join(" "),
    ]);
    if (rows.length === 0) say("There is none.");
    return { cases: rows };
  },
});

async function nameOf(db: CommandDeps["db"], playerId: string): Promise<string> {
  return (await findPlayer(db.withTables<PlayersTables>(), playerId))?.username ?? playerId;
}

async function foundCase(db: CommandDeps["db"], id: string): Promise<CaseRow> {
  const [found] = await listCases(db, { id });
  if (found === undefined) throw new CommandRefused(`There is no case ${id}.`);
  return found;
}

const show = command({
  name: "care show",
  about: "show a case: what was seen, and what was done",
  more: "  longarm care show cc_…",
  arguments: { case: CASE },
  async run({ db, say }, { case: id }) {
    const found = await foundCase(db, id);
    const steps = await stepsOf(db, id);
    say(printableLine(`${await nameOf(db, found.playerId)}: ${found.outcome ?? "open"}, ${found.level}.`));
    for (const sign of found.signs) say(`${timeText(sign.at)}  ${signText(sign)}`);
    for (const { at, kind, text } of steps)
      say(printableLine(`${timeText(at)}  ${kind}${text === null ? "" : `: ${text}`}`));
    return { ...found, steps };
  },
});

const figures = command({
  name: "care figures",
  about: "show what the nine measures of a player come to now",
  more: "  longarm care figures deniz.aydin",
  arguments: { username: USERNAME },
  async run({ db, environment, say }, { username }) {
    const player = await namedPlayer(db, username);
    const { TIME_ZONE: timeZone } = readEnvironment({ TIME_ZONE }, environment);
    const now = (await figuresOfAll(db, [player.id], timeZone)).get(player.id);
    for (const measure of CARE_MEASURES) {
      const value = now?.[measure] ?? null;
      say(`${measure}: ${value === null ? "cannot be said" : `${value}${UNIT_WORDS[CARE_UNITS[measure]]}`}`);
    }
    return { player: player.id, figures: now };
  },
});

type Wanted = { readonly params: Readonly<Record<string, string>>; readonly fields: object; readonly dryRun: boolean };

/** Does an act of a case as the person who is signed in: a case belongs to somebody, so `--as-root` does none. */
async function act(deps: ActingDeps, name: StaffCallName, wanted: Wanted, words: { done: string; would: string }) {
  const { caller } = deps.acting;
  if (caller === null) throw new CommandRefused("A case belongs to a person: sign in with longarm sign-in.");
  const outcome = await actAtDesk(deps, caller, name, wanted);
  return sayOutcome(deps, outcome, { done: () => words.done, would: words.would });
}

const open = actCommand({
  name: "care open",
  needs: "care.act",
  about: "open a case by hand: somebody of staff noticed something",
  more: '  longarm care open deniz.aydin --reason "wanted credit from a cashier"',
  arguments: { username: USERNAME },
  options: { reason: requiredReason("what was seen"), dryRun: DRY_RUN },
  async run(deps, { username, reason, dryRun }) {
    const { id } = await namedPlayer(deps.db, username);
    const words = { done: "The case is open.", would: `open a case of ${username}` };
    return await act(deps, "openCareCase", { params: { id }, fields: { reason }, dryRun }, words);
  },
});

const means = actCommand({
  name: "care means",
  needs: "care.act",
  about: "keep what a player says can be lost in a month",
  more: '  longarm care means deniz.aydin 400.00 --reason "said at the desk"',
  arguments: { username: USERNAME, amount: argument("the amount: 400.00", amount) },
  options: { reason: requiredReason("how it is known"), dryRun: DRY_RUN },
  async run(deps, { username, amount: minor, reason, dryRun }) {
    const { id } = await namedPlayer(deps.db, username);
    const words = { done: "Kept.", would: "keep it" };
    return await act(deps, "declareMeans", { params: { id }, fields: { amount: minor, reason }, dryRun }, words);
  },
});

const take = actCommand({
  name: "care take",
  needs: "care.act",
  about: "take a case, also from somebody else",
  more: "  longarm care take cc_…",
  arguments: { case: CASE },
  options: { dryRun: DRY_RUN },
  async run(deps, { case: id, dryRun }) {
    const { owner } = await foundCase(deps.db, id);
    const words = { done: "The case is yours.", would: "take it" };
    return await act(deps, "takeCareCase", { params: { id }, fields: { expected: owner }, dryRun }, words);
  },
});

const note = actCommand({
  name: "care note",
  needs: "care.act",
  about: "write a note into a case",
  more: '  longarm care note cc_… --text "called, no answer"',
  arguments: { case: CASE },
  options: { text: required("<text>", "the note", (text) => text), dryRun: DRY_RUN },
  async run(deps, { case: id, text, dryRun }) {
    const words = { done: "Written.", would: "write it" };
    return await act(deps, "noteCareCase", { params: { id }, fields: { note: text }, dryRun }, words);
  },
});

/** `loss.week=500.00`. */
function advice(text: string, label: string): z.infer<typeof LimitAdvice> {
  const [key = "", value = ""] = text.split("=", 2);
  const read = key.startsWith("time.") ? wholeNumber(1, 43_200) : amount;
  const found = z.safeParse(LimitAdvice, { key, value: read(value, label) });
  if (found.success) return found.data;
  throw new UsageProblem(`${label} must be one of ${LIMIT_KEYS.join(", ")} with its value: loss.week=500.00.`);
}

const letter = actCommand({
  name: "care letter",
  needs: "care.act",
  about: "write to the player of a case, at most once in 14 days",
  more: '  longarm care letter cc_… --text "Hello Deniz. …" --suggest loss.week=500.00',
  arguments: { case: CASE },
  options: {
    text: required("<text>", "the letter", (text) => text),
    suggest: option("<name=value>", "a limit that the letter suggests: loss.week=500.00", advice),
    dryRun: DRY_RUN,
  },
  async run(deps, { case: id, text, suggest, dryRun }) {
    const fields = { text, ...(suggest !== undefined && { advice: suggest }) };
    const words = { done: "The letter is on the player's pages.", would: "send it" };
    return await act(deps, "writeCareLetter", { params: { id }, fields, dryRun }, words);
  },
});

const timeOut = actCommand({
  name: "care time-out",
  needs: "care.act",
  about: "close play for the player of a case at once",
  more: '  longarm care time-out cc_… 7 --reason "agreed on the telephone"',
  arguments: { case: CASE, days: argument("days", wholeNumber(1, STAFF_TIME_OUT_DAYS_MAX)) },
  options: { reason: requiredReason("why"), dryRun: DRY_RUN },
  confirm: ({ days }) => `Close play for ${days} days? It cannot be shortened within a day.`,
  async run(deps, { case: id, days, reason, dryRun }) {
    const words = { done: `Play is closed for ${days} days.`, would: `close play for ${days} days` };
    return await act(deps, "careTimeOut", { params: { id }, fields: { days, reason }, dryRun }, words);
  },
});

const close = actCommand({
  name: "care close",
  needs: "care.act",
  about: "close a case with what came of it",
  more: `  longarm care close cc_… talked --reason "sets a limit of 200 a week"\n\nOutcomes: ${CARE_OUTCOMES.join(", ")}. A closed case stays as it is.`,
  arguments: { case: CASE, outcome: argument("what came of it", oneOf(CARE_OUTCOMES)) },
  options: { reason: requiredReason("in a sentence"), dryRun: DRY_RUN },
  async run(deps, { case: id, outcome, reason, dryRun }) {
    const words = { done: `Closed: ${outcome}.`, would: "close it" };
    return await act(deps, "closeCareCase", { params: { id }, fields: { outcome, reason }, dryRun }, words);
  },
});

export const careCommands: readonly Command[] = [list, show, figures, open, means, take, note, letter, timeOut, close];
