import { actingOf } from "./acting.ts";
import { allHelp, commandHelp, readArguments, usage } from "./arguments.ts";
import type { Command, Given, StandaloneDeps } from "./command.ts";
import { CheckFailed, CommandRefused, UsageProblem } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { folderOf, withDatabase } from "./database.ts";
import { jsonLine, printable, printableLine } from "./output.ts";
import { refusedCommand } from "./staff.ts";

/** What the command line gets of its process. */
export type Terminal = Omit<StandaloneDeps, "dataFolder"> & {
  /** Prints one line about what went wrong. */
  complain(line: string): void;
  /** Asks the person at the terminal; absent: no person is there. */
  ask?(question: string): Promise<string>;
};

/** 0 done, 1 it could not be done, 2 the command line is wrong, 3 refused. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Runs one command line, such as `promotions grant --player …`. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await run(args, terminal);
    return 0;
  } catch (thrown) {
    const error = refusedCommand(thrown);
    terminal.complain(printableLine(error instanceof Error ? error.message : String(error)));
    if (error instanceof UsageProblem) return 2;
    return error instanceof CommandRefused ? 3 : 1;
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const first = args.findIndex((arg) => arg.startsWith("-"));
  const words = args.slice(0, first === -1 ? args.length : first);
  const command = COMMANDS.find((one) => isNamed(one, words));
  if (command === undefined) {
    const group = commandsOf(words[0] ?? "");
    const wantsHelp = args.includes("--help") || args.includes("-h");
    if (!wantsHelp || (words.length > 0 && group.length === 0)) throw new UsageProblem(unknownCommand(words));
    terminal.say(allHelp(group.length > 0 ? group : COMMANDS));
    return;
  }
  const given = readArguments(command, words.slice(wordsOf(command).length), args.slice(words.length));
  if (given.has("help")) {
    terminal.say(commandHelp(command));
    return;
  }
  await runCommand(command, given, terminal);
}

async function runCommand(command: Command, given: Given, terminal: Terminal): Promise<void> {
  const { ask, complain: _complain, ...process } = terminal;
  const asJson = given.has("json");
  const said: string[] = [];
  const say = asJson ? (line: string) => void said.push(line) : terminal.say;
  const prepared = command.prepare(given, terminal.staff);
  // Only a person is asked: the author of a script has decided.
  if (prepared.question !== undefined && ask && !given.has("yes") && !given.has("dryRun"))
    await confirm(prepared.question, ask);
  const folder = given.get("data");
  const work =
    "runStandalone" in prepared
      ? prepared.runStandalone({ ...process, dataFolder: folderOf(process.environment, folder), say })
      : withDatabase(process.environment, folder, async (db, databaseUrl) => {
          const deps = { ...process, db, databaseUrl, say };
          if (!("needs" in prepared)) return await prepared.run(deps);
          const acting = await actingOf(deps, command.name, prepared, given.has("dryRun"));
          return await prepared.run({ ...deps, acting });
        });
  const result = await work.catch((error: unknown) => {
    if (error instanceof CheckFailed && asJson) terminal.say(jsonLine(error.result));
    throw error;
  });
  if (asJson) terminal.say(jsonLine(typeof result === "object" && result !== null ? result : { said }));
}

async function confirm(question: string, ask: (question: string) => Promise<string>): Promise<void> {
  const answer = await ask(printable(`${question} Write yes: `));
  if (answer.trim().toLowerCase() !== "yes") throw new CommandRefused("It was not confirmed. Nothing was changed.");
}

const wordsOf = ({ name }: Command): string[] => name.split(" ");

/** A command without arguments is called by its name and nothing more. */
function isNamed(command: Command, words: readonly string[]): boolean {
  const own = wordsOf(command);
  const takesArguments = Object.keys(command.arguments).length > 0;
  return own.every((word, at) => words[at] === word) && (takesArguments || words.length === own.length);
}

const commandsOf = (group: string): Command[] => COMMANDS.filter((one) => wordsOf(one)[0] === group);

/** Names the commands of the same group, else the groups: a line with forty commands would not be read. */
function unknownCommand(words: readonly string[]): string {
  const what = words.length === 0 ? "No command is named" : `There is no command "${words.join(" ").slice(0, 100)}"`;
  const near = commandsOf(words[0] ?? "");
  if (near.length > 0) return `${what}. There are: ${near.map(usage).join(", ")}.`;
  const groups = new Set(COMMANDS.map((one) => wordsOf(one)[0]));
  return `${what}. They begin with: ${[...groups].join(", ")}. longarm --help lists them all.`;
}
