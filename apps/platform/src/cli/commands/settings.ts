import { readFile } from "node:fs/promises";
import { readVersion, TWO_PERSON_KEYS, VENUE_KEYS } from "@longarm/contract/venue-settings";
import { firstBreak, listVersions, newestVersion } from "../../modules/records/settings/index.ts";
import type { PreparedSettings, WantedSettings } from "../../modules/staff/desk/index.ts";
import { prepareSettings, saveSettings } from "../../modules/staff/desk/index.ts";
import type { ActingDeps, Command, CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { argument, DRY_RUN, option, optionalArgument, plainText, requiredReason, wholeNumber } from "../fields.ts";
import { count, printableLine, sayTable, timeText } from "../output.ts";
import { asStaff, refusedCommand } from "../staff.ts";

const VERSION = wholeNumber(0, 999_999_999);
const REASON = requiredReason("why");
const EXPECTED = option(
  "<version>",
  "refuse when the newest version is another than this; without: the newest one",
  VERSION,
);

const said = (value: unknown): string => (value === null ? "not set" : printableLine(JSON.stringify(value)));

const show = command({
  name: "settings show",
  about: "show what the venue has set in its settings, and which version holds",
  more: [
    "  longarm settings show",
    "",
    "What the venue has not set comes from Settings.json and the environment of the server. A * marks what needs a second person in the console.",
  ].join("\n"),
  async run({ db, say }) {
    const newest = await newestVersion(db);
    const content = newest?.content ?? {};
    sayTable(say, VENUE_KEYS, (key) => [
      `${key}${TWO_PERSON_KEYS.has(key) ? " *" : ""}`,
      said(Object.hasOwn(content, key) ? content[key] : null),
    ]);
    say(
      newest === undefined
        ? "No version was saved: the server's settings hold."
        : printableLine(
            `Version ${newest.number} of ${timeText(newest.at)}, by ${newest.by}: ${newest.reason}${usable(newest.content)}`,
          ),
    );
    return { version: newest?.number ?? 0, content };
  },
});

const usable = (content: unknown): string =>
  readVersion(content).problems.length === 0 ? "" : " (cannot be used: the version before it holds)";

const set = actCommand({
  name: "settings set",
  needs: "settings.change",
  about: "change settings of the venue: saved as a new version, which every node takes within seconds",
  more: [
    '  longarm settings set hotFlagLimit --to 30000 --reason "larger jackpots" --dry-run',
    '  longarm settings set minimumAge --reason "as the server says"',
    '  longarm settings set --file changes.json --reason "winter"',
    "",
    "A value is JSON; what is no JSON is a text. Without a value what the server says holds again. A file holds an object with several settings, where",
    "null takes one back. longarm settings show lists every name.",
  ].join("\n"),
  arguments: {
    setting: optionalArgument("its name, such as hotFlagLimit", plainText),
  },
  options: {
    to: option("<value>", "the new value; without: what the server says holds again", plainText),
    file: option("<file>", "a JSON object with several settings in place of one", plainText),
    expected: EXPECTED,
    reason: REASON,
    dryRun: DRY_RUN,
  },
  check({ setting, to, file }) {
    if ((setting === undefined) === (file === undefined)) throw new UsageProblem("Name one setting, or --file.");
    if (file !== undefined && to !== undefined) throw new UsageProblem("--to goes with the name of a setting.");
  },
  async run(deps, { setting, to, file, expected, ...how }) {
    const changes = file === undefined ? { [setting ?? ""]: readValue(to) } : await changesIn(file);
    return await change(deps, how, async () => ({ expected: expected ?? (await newestNumber(deps)), changes }));
  },
});

/** A value as it was typed: JSON, or a text. */
function readValue(text: string | undefined): unknown {
  if (text === undefined) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const FILE_BYTES_MAX = 262_144;

async function changesIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  const named = printableLine(file.slice(0, 200));
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new CommandRefused(`${named} cannot be read.`);
  if (text.length > FILE_BYTES_MAX) throw new CommandRefused(`${named} is too large for settings.`);
  const read = readValue(text.replace(/^\uFEFF/, ""));
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new CommandRefused(`${named} holds no JSON object.`);
  return read as Readonly<Record<string, unknown>>;
}

const rollBack = actCommand({
  name: "settings roll-back",
  needs: "settings.change",
  about: "save a new version with the content of an old one; 0: nothing is set",
  more: '  longarm settings roll-back 4 --reason "too many hot machines"',
  arguments: { version: argument("its number, as longarm settings history lists it", VERSION) },
  options: { expected: EXPECTED, reason: REASON, dryRun: DRY_RUN },
  run: async (deps, { version, expected, ...how }) =>
    await change(deps, how, async () => ({ expected: expected ?? (await newestNumber(deps)), to: version })),
});

const HISTORY_MAX = 200;

const history = command({
  name: "settings history",
  about: "list the versions of the settings, newest first, and check that none was changed afterwards",
  more: "  longarm settings history",
  async run({ db, say }) {
    const rows = await listVersions(db, { limit: HISTORY_MAX });
    sayTable(say, rows, (row) => [
      String(row.number),
      timeText(row.at),
      row.signedBy === null ? row.by : `${row.by}, ${row.signedBy}`,
      row.changes.map(({ key }) => key).join(", "),
      row.reason,
    ]);
    const broken = await firstBreak(db);
    say(`${count(rows.length, "version")}.`);
    if (broken !== null) say(`Version ${broken} is not what was saved: somebody changed the database.`);
    return { versions: rows, firstBreak: broken };
  },
});

export const settingsCommands: readonly Command[] = [show, set, history, rollBack];

const newestNumber = async ({ db }: CommandDeps): Promise<number> => (await newestVersion(db))?.number ?? 0;

/** Checks and saves as the console does, or only says what would change. @throws CommandRefused. */
async function change(
  deps: ActingDeps,
  { by, reason, dryRun }: { readonly by: string; readonly reason: string; readonly dryRun: boolean },
  want: () => Promise<WantedSettings>,
): Promise<object> {
  try {
    const wanted = await want();
    if (deps.acting.caller !== null) {
      const name = "to" in wanted ? "rollBackSettings" : "changeSettings";
      const outcome = await actAtDesk(deps, deps.acting.caller, name, {
        params: {},
        fields: { ...wanted, reason },
        dryRun,
      });
      const done = ({ number }: Record<string, unknown>) => `Saved as version ${String(number)}.`;
      return sayOutcome(deps, outcome, { done, would: "save these settings" });
    }
    let prepared: PreparedSettings | undefined;
    const number = await asStaff(
      deps,
      by,
      async (trx) => {
        prepared = await prepareSettings(trx, wanted);
        return await saveSettings(trx, prepared, { by, signedBy: null, reason });
      },
      dryRun,
    );
    const changes = prepared?.changes ?? [];
    sayTable(deps.say, changes, ({ key, before, after }) => [key, said(before), "→", said(after)]);
    deps.say(dryRun ? "This would be saved. Nothing was changed." : `Saved as version ${number}.`);
    return { version: number, changes, ...(dryRun && { dryRun }) };
  } catch (error) {
    throw refusedCommand(error);
  }
}
