import { QUICK_DETAIL_MAX, QUICK_TITLE_MAX } from "@longarm/contract/template/team-chat";
import type { EntryKind, QuickEntry, QuickPanelTables } from "../../../modules/talk/quick-panel/index.ts";
import {
  addEntry,
  ENTRIES_MAX,
  entryProblem,
  listEntries,
  removeEntry,
} from "../../../modules/talk/quick-panel/index.ts";
import { readWholeNumber } from "../../amount.ts";
import { asStaff } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, Given } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import { sayRows } from "../../output/row-list.ts";
import { timeText } from "../../output/table.ts";
import { printableLine } from "../../printable.ts";

/** What players read in the quick panel: `events` and `notes`, each with three commands. */
export const quickPanelCommands: readonly Command[] = [
  ...commandsOf("event", '"Jackpot night" --detail "Friday 21:00, hall 2"'),
  ...commandsOf("note", '"Cash desk" --detail "Open until 02:00"'),
];

function commandsOf(kind: EntryKind, example: string): Command[] {
  const words = `${kind}s`;
  return [addCommand(kind, words, example), listCommand(kind, words), removeCommand(kind, words)];
}

function addCommand(kind: EntryKind, words: string, example: string): Command {
  return {
    words: `${words} add`,
    about: `write ${articled(kind)} into the quick panel, which every player can open`,
    more: `  longarm ${words} add ${example}\n\nAt most ${ENTRIES_MAX} stand there at once. Players see it when they open the panel the next time.`,
    places: [{ name: "title", about: `1 to ${QUICK_TITLE_MAX} characters` }],
    options: {
      detail: { type: "string", value: "<text>", about: `what stands below it, up to ${QUICK_DETAIL_MAX} characters` },
      by: BY,
      "dry-run": DRY_RUN,
    },
    prepare(given) {
      const entry = { kind, title: readLine(given, "title"), detail: readLine(given, "detail") };
      const problem = entryProblem(entry);
      if (problem !== null) throw new UsageProblem(`This cannot be written: ${problem}.`);
      const by = readBy(given);
      return async (deps) => {
        const addedBy = whoAsks(deps, by);
        if (given.has("dry-run")) {
          deps.say(`Would write "${entry.title}" into the quick panel. Nothing was changed.`);
          return { dryRun: true, ...entry };
        }
        const id = await asStaff(deps, addedBy, (transaction) =>
          addEntry(transaction.withTables<QuickPanelTables>(), { ...entry, addedBy }),
        );
        if (id === undefined)
          throw new CommandRefused(`There are ${ENTRIES_MAX} ${words} already: take one out first (${words} remove).`);
        deps.say(`Written: ${kind} ${id}, "${entry.title}".`);
        return { id, ...entry };
      };
    },
  };
}

function listCommand(kind: EntryKind, words: string): Command {
  return {
    words: `${words} list`,
    about: `list the ${words} of the quick panel, newest first`,
    more: `  longarm ${words} list`,
    options: {},
    prepare: () => async (deps) => {
      const found = await listEntries(deps.db.withTables<QuickPanelTables>(), kind);
      const shown = { most: ENTRIES_MAX, usual: ENTRIES_MAX, ask: ENTRIES_MAX + 1 };
      return { [words]: sayRows(deps.say, shown, found, { word: kind, columns: columnsOf }).rows };
    },
  };
}

function removeCommand(kind: EntryKind, words: string): Command {
  return {
    words: `${words} remove`,
    about: `take ${articled(kind)} out of the quick panel`,
    more: `  longarm ${words} remove 12`,
    places: [{ name: "number", about: `as ${words} list tells it` }],
    options: { by: BY, "dry-run": DRY_RUN },
    prepare(given) {
      const id = readWholeNumber("number", String(given.get("number")), 1, 999_999_999);
      const by = readBy(given);
      return async (deps) => {
        const who = whoAsks(deps, by);
        const db = deps.db.withTables<QuickPanelTables>();
        const title = given.has("dry-run")
          ? (await listEntries(db, kind)).find((entry) => entry.id === id)?.title
          : await asStaff(deps, who, (transaction) =>
              removeEntry(transaction.withTables<QuickPanelTables>(), kind, id),
            );
        if (title === undefined) throw new CommandRefused(`There is no ${kind} ${id} in the quick panel.`);
        const done = given.has("dry-run") ? "Would take out" : "Taken out";
        deps.say(printableLine(`${done}: ${kind} ${id}, "${title}".`));
        return { id, dryRun: given.has("dry-run") };
      };
    },
  };
}

function articled(kind: EntryKind): string {
  return kind === "event" ? "an event" : "a note";
}

/** One line of plain text, as it is shown. @throws UsageProblem. */
function readLine(given: Given, name: "title" | "detail"): string {
  const text = given.get(name)?.toString() ?? "";
  if (text === printableLine(text) && text === text.trim()) return text;
  throw new UsageProblem(`${name === "title" ? "The title" : "--detail"} must be plain text of one line.`);
}

const columnsOf = ({ id, title, detail, addedAt, addedBy }: QuickEntry): string[] => [
  String(id),
  timeText(addedAt),
  title,
  detail,
  `by ${addedBy}`,
];
