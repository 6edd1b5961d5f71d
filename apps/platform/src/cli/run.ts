import type { Command, CommandDeps, Given } from "./command.ts";
import { CommandRefused, NotAsItMustBe, UsageProblem } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { folderOf, withDatabase } from "./database.ts";
import { allHelp, commandHelp } from "./help.ts";
import { jsonLine } from "./output/json-line.ts";
import { printable, printableLine } from "./printable.ts";
import { readArguments, usage } from "./read-arguments.ts";

/** What the command line gets of its process. */
export type Terminal = Omit<CommandDeps, "db" | "databaseUrl"> & {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line about what went wrong. */
  complain(line: string): void;
  /** Asks whoever is at the keyboard; absent: nobody is. */
  ask?(question: string): Promise<string>;
};

/** 0 done, 1 it could not be done, 2 the command line is wrong, 3 refused. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Runs one command line, such as `promotions grant --player …`. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await run(args, terminal);
    return 0;
  } catch (error) {
    terminal.complain(printableLine(error instanceof Error ? error.message : String(error)));
    if (error instanceof UsageProblem) return 2;
    return error instanceof CommandRefused ? 3 : 1;
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const first = args.findIndex((arg) => arg.startsWith("-"));
  const words = args.slice(0, first === -1 ? args.length : first);
  const command = COMMANDS.find((one) => isCalled(one, words));
  if (command === undefined) {
    const [room = ""] = words;
    const inRoom = commandsIn(room);
    const asksForHelp = args.includes("--help") || args.includes("-h");
    if (!asksForHelp || (room !== "" && inRoom.length === 0)) throw new UsageProblem(unknown(words));
    terminal.say(allHelp(inRoom.length > 0 ? inRoom : COMMANDS));
    return;
  }
  const given = readArguments(command, words.slice(wordsOf(command).length), args.slice(words.length));
  if (given.has("help")) {
    terminal.say(commandHelp(command));
    return;
  }
  const said: string[] = [];
  const say = given.has("json") ? (line: string) => void said.push(line) : terminal.say;
  const work = workOf(command, given, terminal, say);
  await confirm(command, given, terminal);
  const result = await work().catch((error: unknown) => {
    if (error instanceof NotAsItMustBe && given.has("json")) terminal.say(jsonLine(error.result));
    throw error;
  });
  if (given.has("json")) terminal.say(jsonLine(typeof result === "object" && result !== null ? result : { said }));
}

/** Reads what was given; nothing is connected to before the work is begun. */
function workOf(command: Command, given: Given, terminal: Terminal, say: Terminal["say"]): () => Promise<unknown> {
  const { environment, ask: _ask, complain: _complain, ...deps } = terminal;
  const named = given.get("data");
  const folder = typeof named === "string" ? named : undefined;
  if ("prepareAlone" in command) {
    const alone = command.prepareAlone(given);
    return () => alone({ ...deps, environment, dataFolder: folderOf(environment, folder), say });
  }
  const work = command.prepare(given);
  return () => withDatabase(environment, folder, (db, databaseUrl) => work({ ...deps, db, databaseUrl, say }));
}

/** Only a person is asked: a script has decided. */
async function confirm({ asks }: Command, given: Given, { ask }: Terminal): Promise<void> {
  if (asks === undefined || ask === undefined || given.has("yes") || given.has("dry-run")) return;
  const answer = await ask(printable(`${asks(given)} Write yes: `));
  if (answer.trim().toLowerCase() !== "yes") throw new CommandRefused("It was not confirmed. Nothing was changed.");
}

const wordsOf = ({ words }: Command): string[] => words.split(" ");

/** A command without places is called by its words and nothing more. */
function isCalled(command: Command, words: readonly string[]): boolean {
  const own = wordsOf(command);
  return own.every((word, at) => words[at] === word) && (command.places !== undefined || words.length === own.length);
}

const commandsIn = (room: string): Command[] => COMMANDS.filter((one) => wordsOf(one)[0] === room);

/** Names what there is of the same kind, else the kinds: forty commands on a line are read by nobody. */
function unknown(words: readonly string[]): string {
  const what = words.length === 0 ? "No command is named" : `There is no command "${words.join(" ").slice(0, 100)}"`;
  const near = commandsIn(words[0] ?? "");
  if (near.length > 0) return `${what}. There are: ${near.map(usage).join(", ")}.`;
  const rooms = new Set(COMMANDS.map((one) => wordsOf(one)[0]));
  return `${what}. They begin with: ${[...rooms].join(", ")}. longarm --help lists them all.`;
}
