import { readFile } from "node:fs/promises";
import { TermsTexts } from "@longarm/contract/staff-terms";
import * as z from "zod/mini";
import { addTerms, listTerms, wordsIn } from "../../modules/protection/terms/index.ts";
import type { Command } from "../command.ts";
import { actCommand, CommandRefused, command } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { argument, DRY_RUN, futureTime, instantOf, option, plainText, requiredReason, wholeNumber } from "../fields.ts";
import { printableLine, sayTable, timeText } from "../output.ts";
import { asStaff } from "../staff.ts";

/** The most versions that one command lists. */
const LISTED_MAX = 200;
const VERSION = wholeNumber(1, 1_000_000);

const list = command({
  name: "terms list",
  about: "list the versions of the terms of use, and how many players accepted each",
  more: "  longarm terms list",
  async run({ db, say }) {
    const versions = await listTerms(db, { limit: LISTED_MAX });
    sayTable(say, versions, ({ number, state, validFrom, texts, by, reason, accepted }) => [
      String(number),
      state,
      `from ${timeText(validFrom)}`,
      Object.keys(texts).toSorted().join(" "),
      `${accepted} accepted`,
      printableLine(`${wordsIn(texts, "en").words.title}, by ${by}: ${reason}`),
    ]);
    if (versions.length === 0) say("No terms were entered: no player is asked for any.");
    return { versions };
  },
});

const show = command({
  name: "terms show",
  about: "print a version of the terms of use in each of its languages",
  more: "  longarm terms show 4",
  arguments: { version: argument("its number", VERSION) },
  async run({ db, say }, { version }) {
    const [found] = await listTerms(db, { number: version, limit: 1 });
    if (found === undefined) throw new CommandRefused(`There is no version ${version} of the terms.`);
    for (const [language, words] of Object.entries(found.texts)) {
      if (words === undefined) continue;
      say(printableLine(`${language}: ${words.title}`));
      for (const change of words.changes) say(printableLine(`- ${change}`));
      for (const line of words.body.split("\n")) say(printableLine(line));
    }
    return found;
  },
});

const FILE_BYTES_MAX = 2_000_000;

/** @throws CommandRefused: it cannot be read, or is not what the desk takes. */
async function textsIn(file: string): Promise<TermsTexts> {
  const named = printableLine(file.slice(0, 200));
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new CommandRefused(`${named} cannot be read.`);
  if (text.length > FILE_BYTES_MAX) throw new CommandRefused(`${named} is too large for terms.`);
  const read = z.safeParse(TermsTexts, parsed(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = (issue?.path ?? []).join(".") || "the whole";
  throw new CommandRefused(printableLine(`${named}: ${where} is wrong: ${issue?.message ?? ""}.`));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const add = actCommand({
  name: "terms add",
  needs: "settings.change",
  about: "add a version of the terms of use; each player accepts it at the next sign-in",
  more: [
    '  longarm terms add terms-4.json --valid-from 2026-12-01 --reason "rules of the queue"',
    "",
    "The file holds an object by language: tr, en, ar, one at least. Each has title, changes (a list of lines: what is new) and body (plain text: an",
    "empty line between paragraphs, `# ` before a heading). A version never changes: correct a mistake with the next one.",
  ].join("\n"),
  arguments: { file: argument("a JSON file with the texts", plainText) },
  options: {
    validFrom: option("<time>", "from when on it holds (now): 24h, 2026-12-01", futureTime),
    expected: option("<version>", "refuse when the newest version is another than this", wholeNumber(0, 1_000_000)),
    reason: requiredReason("why"),
    dryRun: DRY_RUN,
  },
  async run(deps, { file, validFrom, expected: given, reason, by, dryRun }) {
    const texts = await textsIn(file);
    const at = validFrom === undefined ? null : (await instantOf(deps.db, validFrom)).toISOString();
    const [newest] = await listTerms(deps.db, { limit: 1 });
    const expected = given ?? newest?.number ?? 0;
    const would = `add version ${expected + 1} of the terms`;
    const { caller } = deps.acting;
    if (caller !== null) {
      const fields = { expected, ...(at !== null && { validFrom: at }), texts, reason };
      const outcome = await actAtDesk(deps, caller, "addTerms", { params: {}, fields, dryRun });
      return sayOutcome(deps, outcome, { done: ({ number }) => `Version ${String(number)} is added.`, would });
    }
    const added = await asStaff(
      deps,
      by,
      (trx) => addTerms(trx, { expected, validFrom: at, texts, by, reason }),
      dryRun,
    );
    if (added === undefined) throw new CommandRefused("Another version was added since: look again.");
    deps.say(dryRun ? `Would ${would}. Nothing was changed.` : `Version ${added.number} is added.`);
    return { ...added, dryRun };
  },
});

export const termsCommands: readonly Command[] = [list, show, add];
