import { readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { EVIDENCE_BYTES_MAX } from "@longarm/contract/evidence/format";
import { englishOf } from "@longarm/contract/evidence/sentences";
import { verifyExport } from "@longarm/contract/evidence/verify";
import { DISPUTE_VERDICTS } from "@longarm/contract/player-disputes";
import type { StaffCallName } from "@longarm/contract/staff";
import { SAMPLE_STATES } from "@longarm/contract/staff-disputes";
import type { PlayersTables } from "../../modules/players/accounts/index.ts";
import { findPlayer } from "../../modules/players/accounts/index.ts";
import { openAudit, staffActor } from "../../modules/records/audit/index.ts";
import { clipReads } from "../../modules/records/clips/index.ts";
import type { DisputeRow } from "../../modules/records/disputes/index.ts";
import { gameIdOf, listDisputes, noteReading, stateOf, stepsOf } from "../../modules/records/disputes/index.ts";
import { listSamples, makeEvidence, noteExport } from "../../modules/records/evidence/index.ts";
import type { ActingDeps, Command, CommandDeps } from "../command.ts";
import { actCommand, CheckFailed, CommandRefused, command, standaloneCommand, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { amount, argument, DRY_RUN, oneOf, option, plainText, required, withDefault } from "../fields.ts";
import { newFile } from "../new-file.ts";
import { printableLine, sayTable, timeText, writeAmount } from "../output.ts";
import { SOURCE } from "../staff.ts";

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

const exportFile = actCommand({
  name: "disputes export",
  needs: "dispute.see",
  about: "write a question, its game and its recording into a file that proves itself; the audit log notes it",
  more: "  longarm disputes export dq_… question-31.zip\n\nThe file has a page that verifies and plays it without network. Keep the fingerprint apart from it: it shows that nothing was exchanged.",
  arguments: { question: QUESTION, file: argument("the file to write, which must not exist", plainText) },
  async run({ db, say, acting }, { question: id, file }) {
    const { caller, by } = acting;
    const clips = clipReads(db);
    const made = await makeEvidence({ db, clips }, id, caller?.permissions.has("audit.see") ?? true);
    if (made === undefined) throw new CommandRefused(`There is no question ${id}.`);
    if (made === "tooLarge") throw new CommandRefused("The recording is too long to be exported.");
    const { fingerprint, clipId } = made;
    const reader = { actor: staffActor(by), staffId: caller?.staffId ?? null };
    await newFile(file, async (target) => {
      await noteExport({ db, clips, audit: openAudit(db, SOURCE) }, made, reader);
      await pipeline(made.parts(), target.createWriteStream());
    });
    say(`The question is in ${printableLine(file)}${clipId === null ? ", without a recording: none is here" : ""}.`);
    say(`Fingerprint ${fingerprint}`);
    return { file, fingerprint, recorded: clipId !== null };
  },
});

const WORDS = { proved: "proved", wrong: "WRONG ", absent: "absent" } as const;

const verify = standaloneCommand({
  name: "disputes verify",
  about: "verify an exported question, without network and without a database",
  more: "  longarm disputes verify question-31.zip\n  longarm disputes verify question-31.zip --fingerprint 9f86d081…\n\nEnds with 1 when something is wrong. Without the fingerprint somebody may have made the whole file anew.",
  arguments: { file: argument("the exported file", plainText) },
  options: { fingerprint: option("<hash>", "the fingerprint that was noted when it was exported", fingerprintText) },
  async run({ say }, { file, fingerprint }) {
    const report = await verifyExport(await exportedFile(file), fingerprint);
    const findings = report.findings.map((finding) => ({ ...finding, why: finding.why.map(englishOf) }));
    for (const { check, is, why } of findings) {
      say(`${WORDS[is]}  ${check}`);
      for (const sentence of why) say(`          ${printableLine(sentence)}`);
    }
    if (report.fingerprint !== null) say(`Fingerprint ${report.fingerprint}`);
    const result = { findings, whole: report.whole, fingerprint: report.fingerprint };
    if (!report.whole) throw new CheckFailed("The file is not what was exported.", result);
    return result;
  },
});

/** @throws UsageProblem. */
function fingerprintText(text: string, label: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text;
  throw new UsageProblem(`${label} must be 64 hexadecimal digits.`);
}

/** @throws CommandRefused: it cannot be read, or is too long for an export. */
async function exportedFile(file: string): Promise<Buffer> {
  try {
    if ((await stat(file)).size <= EVIDENCE_BYTES_MAX) return await readFile(file);
  } catch (error) {
    throw new CommandRefused(`${printableLine(file)} cannot be read.`, { cause: error });
  }
  throw new CommandRefused(`${printableLine(file)} is longer than an export may be.`);
}

const samples = command({
  name: "evidence list",
  about: "list games that were drawn to be proved by recording, meters and ledger, the newest day first",
  more: "  longarm evidence list\n  longarm evidence list --state differs\n\nunproved: nothing is wrong, and something is missing to prove it by. How many are drawn: sampledGames of the settings.",
  options: { state: option("waiting|agrees|differs|unproved", "which ones (all)", oneOf(SAMPLE_STATES)) },
  async run({ db, say }, { state }) {
    const games = await listSamples(db, { state, limit: LISTED_MAX });
    for (const { day, machineId, gameNumber, state: is, why } of games) {
      say(`${day}  ${printableLine(machineId)}  game ${gameNumber}  ${is}`);
      for (const sentence of why) say(`  ${printableLine(sentence)}`);
    }
    if (games.length === 0) say("There is none.");
    return { games };
  },
});

export const disputeCommands: readonly Command[] = [list, show, take, note, ask, decide, exportFile, verify, samples];
