import { DISPUTE_VERDICTS } from "@longarm/contract/player-disputes";
import type { StaffCallName } from "@longarm/contract/staff";
import type { PlayersTables } from "../../modules/players/accounts/index.ts";
import { findPlayer } from "../../modules/players/accounts/index.ts";
import { openAudit, staffActor } from "../../modules/records/audit/index.ts";
import type { DisputeRow } from "../../modules/records/disputes/index.ts";
import { gameIdOf, listDisputes, noteReading, stateOf, stepsOf } from "../../modules/records/disputes/index.ts";
import type { ActingDeps, Command, CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { amount, argument, DRY_RUN, oneOf, option, required, withDefault } from "../fields.ts";
import { printableLine, sayTable, timeText, writeAmount } from "../output.ts";

/** `dq_…`, as `disputes list` shows it. */
const QUESTION = argument("the question, as disputes list shows it", (text, label) => {
  if (/^dq_[A-Za-z0-9_-]{20}$/.test(text)) return text;
  throw new UsageProblem(`${label} must be a question such as dq_….`);
});

/** The most questions that one command lists. */
const LISTED_MAX = 500;

const list = command({
  name: "disputes list",
  about: "list questions of players about a game: open ones as they are due, decided ones the newest first",
  more: "  longarm disputes list\n  longarm disputes list --state decided",
  options: { state: withDefault("open|decided", "which ones (open)", "open", oneOf(["open", "decided"])) },
  async run({ db, say }, { state }) {
    const found = await listDisputes(db, { state, limit: LISTED_MAX });
    const rows = await Promise.all(found.map(async (one) => ({ ...one, username: await nameOf(db, one) })));
    sayTable(say, rows, ({ id, number, username, kind, verdict, dueAt, ...row }) => [
      id,
      String(number),
      printableLine(username),
      gameIdOf(row),
      kind,
      verdict ?? stateOf(row),
      timeText(dueAt),
    ]);
    if (rows.length === 0) say("There is none.");
    return { disputes: rows };
  },
});

async function nameOf(db: CommandDeps["db"], { playerId }: Pick<DisputeRow, "playerId">): Promise<string> {
  return (await findPlayer(db.withTables<PlayersTables>(), playerId))?.username ?? playerId;
}

async function foundQuestion(db: CommandDeps["db"], id: string): Promise<DisputeRow> {
  const [found] = await listDisputes(db, { id });
  if (found === undefined) throw new CommandRefused(`There is no question ${id}.`);
  return found;
}

type Wanted = { readonly params: Readonly<Record<string, string>>; readonly fields: object; readonly dryRun: boolean };

/** Does an act as the person who is signed in: a question belongs to somebody, so `--as-root` does none. */
async function act(deps: ActingDeps, name: StaffCallName, wanted: Wanted, words: { done: string; would: string }) {
  const { caller } = deps.acting;
  if (caller === null) throw new CommandRefused("A question belongs to a person: sign in with longarm sign-in.");
  const outcome = await actAtDesk(deps, caller, name, wanted);
  return sayOutcome(deps, outcome, { done: () => words.done, would: words.would });
}

const show = actCommand({
  name: "disputes show",
  needs: "dispute.see",
  about: "show a question: what player and staff wrote, and the verdict; the audit log notes the reading",
  more: "  longarm disputes show dq_…",
  arguments: { question: QUESTION },
  async run({ db, say, acting }, { question: id }) {
    const found = await foundQuestion(db, id);
    const steps = await stepsOf(db, id, "staff");
    if (acting.caller !== null) await noteReading(db, id, acting.caller.staffId);
    else
      await openAudit(db, "longarm").write({
        ...{ type: "player.dispute", actor: staffActor(acting.by), subject: `player:${found.playerId}` },
        facts: { is: "read", dispute: id, game: gameIdOf(found) },
      });
    say(printableLine(`${await nameOf(db, found)}, game ${gameIdOf(found)}: ${found.verdict ?? stateOf(found)}.`));
    for (const { at, kind, sender, sentence, text, erased } of steps) {
      const said = [sentence, erased ? "(erased)" : text].filter((one) => one !== null).join(" / ");
      say(printableLine(`${timeText(at)}  ${kind} ${sender ?? "player"}${said === "" ? "" : `: ${said}`}`));
    }
    if (found.amount !== null) say(`Paid ${writeAmount(found.amount)}, transfer ${found.transferId}.`);
    return { ...found, steps };
  },
});

const take = actCommand({
  name: "disputes take",
  needs: "dispute.decide",
  about: "take a question, also from somebody else",
  more: "  longarm disputes take dq_…",
  arguments: { question: QUESTION },
  options: { dryRun: DRY_RUN },
  async run(deps, { question: id, dryRun }) {
    const { owner } = await foundQuestion(deps.db, id);
    const words = { done: "The question is yours.", would: "take it" };
    return await act(deps, "takeDispute", { params: { id }, fields: { expected: owner }, dryRun }, words);
  },
});

const TEXT = required("<text>", "the text", (text) => text);

const note = actCommand({
  name: "disputes note",
  needs: "dispute.decide",
  about: "write a note into a question, which the player never reads",
  more: '  longarm disputes note dq_… --text "the door was open"',
  arguments: { question: QUESTION },
  options: { text: TEXT, dryRun: DRY_RUN },
  async run(deps, { question: id, text, dryRun }) {
    const words = { done: "Written.", would: "write it" };
    return await act(deps, "noteDispute", { params: { id }, fields: { note: text }, dryRun }, words);
  },
});

const ask = actCommand({
  name: "disputes ask",
  needs: "dispute.decide",
  about: "ask the player back, once",
  more: '  longarm disputes ask dq_… --text "Which line was it?"',
  arguments: { question: QUESTION },
  options: { text: TEXT, dryRun: DRY_RUN },
  async run(deps, { question: id, text, dryRun }) {
    const words = { done: "It is on the player's page.", would: "ask it" };
    return await act(deps, "askBackDispute", { params: { id }, fields: { text }, dryRun }, words);
  },
});

const decide = actCommand({
  name: "disputes decide",
  needs: "dispute.decide",
  about: "decide a question, which is final; what the venue owes is paid when a second person has signed",
  more: '  longarm disputes decide dq_… paidRight --sentence "It was paid right" --letter "We looked at …"\n  longarm disputes decide dq_… houseOwes --amount 384.00 --sentence "The win is in your wallet" --letter "You were right. …"',
  arguments: { question: QUESTION, verdict: argument(DISPUTE_VERDICTS.join(", "), oneOf(DISPUTE_VERDICTS)) },
  options: {
    sentence: required("<text>", "what the player reads first", (text) => text),
    letter: required("<text>", "the letter below it", (text) => text),
    amount: option("<amount>", "what the venue owes: 384.00", amount),
    dryRun: DRY_RUN,
  },
  confirm: ({ verdict }) => `Decide it as ${verdict}? A verdict is final.`,
  async run(deps, { question: id, verdict, sentence, letter, amount: minor, dryRun }) {
    const fields = { verdict, sentence, letter, ...(minor !== undefined && { amount: minor }) };
    const words = { done: "Decided. The player reads it.", would: "decide it" };
    return await act(deps, "decideDispute", { params: { id }, fields, dryRun }, words);
  },
});

export const disputeCommands: readonly Command[] = [list, show, take, note, ask, decide];
