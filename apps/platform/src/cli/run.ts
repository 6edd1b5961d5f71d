import type { Command, CommandDeps } from "./command.ts";
import { CommandRefused, UsageProblem } from "./command.ts";
import { handPayConfirm } from "./commands/hand-pay-confirm.ts";
import { machines } from "./commands/machines.ts";
import { promotionsGrant } from "./commands/promotions-grant.ts";
import { promotionsList } from "./commands/promotions-list.ts";
import { simulate } from "./commands/simulate.ts";
import { withDatabase } from "./database.ts";
import { allHelp, commandHelp } from "./help.ts";
import { printable } from "./printable.ts";
import { readArguments } from "./read-arguments.ts";

const COMMANDS: readonly Command[] = [machines, handPayConfirm, simulate, promotionsGrant, promotionsList];

/** What the command line gets of its process. */
export type Terminal = Omit<CommandDeps, "db"> & {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line about what went wrong. */
  complain(line: string): void;
};

/** 0 done, 1 it could not be done, 2 the command line is wrong, 3 refused. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Runs one command line, such as `promotions grant --player …`. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await run(args, terminal);
    return 0;
  } catch (error) {
    terminal.complain(printable(error instanceof Error ? error.message : String(error)));
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
    const inRoom = COMMANDS.filter((one) => `${one.words} `.startsWith(`${room} `));
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
  const work = command.prepare(given);
  const folder = given.get("data");
  const { random, pause, staff, say } = terminal;
  await withDatabase(terminal.environment, typeof folder === "string" ? folder : undefined, (db) =>
    work({ db, random, pause, staff, say }),
  );
}

const wordsOf = ({ words }: Command): string[] => words.split(" ");

/** A command without places is called by its words and nothing more. */
function isCalled(command: Command, words: readonly string[]): boolean {
  const own = wordsOf(command);
  return own.every((word, at) => words[at] === word) && (command.places !== undefined || words.length === own.length);
}

function unknown(words: readonly string[]): string {
  const known = COMMANDS.map((one) => one.words).join(", ");
  const what = words.length === 0 ? "No command is named" : `There is no command "${words.join(" ").slice(0, 100)}"`;
  return `${what}. There are: ${known}. longarm --help tells more.`;
}
