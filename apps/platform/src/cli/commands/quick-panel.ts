import { QUICK_DETAIL_MAX, QUICK_TITLE_MAX } from "@longarm/contract/template/team-chat";
import type { EntryKind, QuickEntry, QuickPanelTables } from "../../modules/talk/quick-panel/index.ts";
import { addEntry, ENTRIES_MAX, entryProblem, listEntries, removeEntry } from "../../modules/talk/quick-panel/index.ts";
import type { Command } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, DRY_RUN, rowNumber, withDefault } from "../fields.ts";
import { printableLine, sayRows, timeText } from "../output.ts";
import { asStaff } from "../staff.ts";

/** What players read in the quick panel: `events` and `notes`, each with three commands. */
export const quickPanelCommands: readonly Command[] = [
  ...commandsOf("event", "an event", '"Jackpot night" --detail "Friday 21:00, hall 2"'),
  ...commandsOf("note", "a note", '"Cash desk" --detail "Open until 02:00"'),
];

function commandsOf(kind: EntryKind, articled: string, example: string): Command[] {
  return [addCommand(kind, articled, example), listCommand(kind), removeCommand(kind, articled)];
}

function addCommand(kind: EntryKind, articled: string, example: string): Command {
  return actCommand({
    name: `${kind}s add`,
    needs: "promotion.run",
    about: `write ${articled} into the quick panel, which every player can open`,
    more: `  longarm ${kind}s add ${example}\n\nAt most ${ENTRIES_MAX} at once. Players see it when they open the panel the next time.`,
    arguments: { title: argument(`1 to ${QUICK_TITLE_MAX} characters`, oneLine) },
    options: {
      detail: withDefault("<text>", `the text below it, up to ${QUICK_DETAIL_MAX} characters`, "", oneLine),
      dryRun: DRY_RUN,
    },
    check({ title, detail }) {
      const problem = entryProblem({ title, detail });
      if (problem !== null) throw new UsageProblem(`This cannot be written: ${problem}.`);
    },
    async run(deps, { title, detail, by, dryRun }) {
      const entry = { kind, title, detail };
      if (dryRun) {
        deps.say(`Would write "${title}" into the quick panel. Nothing was changed.`);
        return { dryRun, ...entry };
      }
      const id = await asStaff(deps, by, (transaction) =>
        addEntry(transaction.withTables<QuickPanelTables>(), { ...entry, addedBy: by }),
      );
      if (id === undefined)
        throw new CommandRefused(`There are ${ENTRIES_MAX} ${kind}s already: take one out first (${kind}s remove).`);
      deps.say(`Written: ${kind} ${id}, "${title}".`);
      return { id, ...entry };
    },
  });
}

function listCommand(kind: EntryKind): Command {
  return command({
    name: `${kind}s list`,
    about: `list the ${kind}s of the quick panel, newest first`,
    more: `  longarm ${kind}s list`,
    async run({ db, say }) {
      const found = await listEntries(db.withTables<QuickPanelTables>(), kind);
      const all = { max: ENTRIES_MAX, query: ENTRIES_MAX + 1 };
      return { [`${kind}s`]: sayRows(say, all, found, { word: kind, columns: columnsOf }).rows };
    },
  });
}

function removeCommand(kind: EntryKind, articled: string): Command {
  return actCommand({
    name: `${kind}s remove`,
    needs: "promotion.run",
    about: `take ${articled} out of the quick panel`,
    more: `  longarm ${kind}s remove 12`,
    arguments: { number: argument(`from ${kind}s list`, rowNumber) },
    options: { dryRun: DRY_RUN },
    async run(deps, { number: id, by, dryRun }) {
      const db = deps.db.withTables<QuickPanelTables>();
      const title = dryRun
        ? (await listEntries(db, kind)).find((entry) => entry.id === id)?.title
        : await asStaff(deps, by, (transaction) => removeEntry(transaction.withTables<QuickPanelTables>(), kind, id));
      if (title === undefined) throw new CommandRefused(`There is no ${kind} ${id} in the quick panel.`);
      deps.say(printableLine(`${dryRun ? "Would take out" : "Taken out"}: ${kind} ${id}, "${title}".`));
      return { id, dryRun };
    },
  });
}

/** One line of plain text, as it is shown. @throws UsageProblem. */
function oneLine(text: string, label: string): string {
  if (text === printableLine(text) && text === text.trim()) return text;
  throw new UsageProblem(`${label} must be plain text of one line.`);
}

const columnsOf = ({ id, title, detail, addedAt, addedBy }: QuickEntry): string[] => [
  String(id),
  timeText(addedAt),
  title,
  detail,
  `by ${addedBy}`,
];
