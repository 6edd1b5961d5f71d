import type { Kysely } from "kysely";
import type { Random } from "../random.ts";

/** What a command works with. */
export type CommandDeps = {
  /** The platform's database; a command gives it the tables that it needs. */
  readonly db: Kysely<unknown>;
  /** Its address, for what needs a connection of its own. */
  readonly databaseUrl: string;
  readonly random: Random;
  /** Waits for so many ms. */
  pause(ms: number): Promise<void>;
  /** Who is at the keyboard, as the system says; empty: it does not. */
  readonly staff: string;
  /** Writes one line for whoever asked. */
  say(line: string): void;
  /** Waits until what was said has been taken by whoever reads it; absent: it always has. */
  flushed?(): Promise<void>;
  /** Asks for a password or PIN, which no screen shows and no command line carries: from the terminal, else the first line of the input. */
  secret(question: string): Promise<string>;
  /** How long the running platform may take to begin what it is asked, ms. Tests set a shorter one. */
  readonly beginWithinMs?: number;
};

/** An option of a command, for `--help` and for reading it. */
export type Option = {
  readonly type: "string" | "boolean";
  /** What stands for its value in the help: `<amount>`. */
  readonly value?: string;
  readonly about: string;
  /** The command cannot go without it. */
  readonly needed?: true;
};

/** For every command that changes something. */
export const DRY_RUN: Option = { type: "boolean", about: "check everything and change nothing" };

/** What stands behind a command's words, without a name before it: `<machine>`. Only the last may be left out. */
export type Place = { readonly name: string; readonly about: string; readonly optional?: true };

/** What was given, by option and by place. An option that was not given is absent. */
export type Given = ReadonlyMap<string, string | true>;

/** What a command works with that needs no running Longarm. */
export type AloneDeps = Omit<CommandDeps, "db" | "databaseUrl"> & {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The data folder that is named by `--data`, else by DATA_FOLDER. */
  readonly dataFolder: string;
};

/** One command of the command line. */
export type Command = CommandHead & (WorkOnDatabase | WorkAlone);

type CommandHead = {
  /** What calls it: `promotions grant`. */
  readonly words: string;
  /** One sentence. */
  readonly about: string;
  /** More for its own help: an example, what to know. */
  readonly more: string;
  readonly options: Readonly<Record<string, Option>>;
  /** In this order; none may have the name of an option. */
  readonly places?: readonly Place[];
  /** What cannot be taken back: the question that a terminal is asked before. Gives the command `--yes`. */
  asks?(given: Given): string;
};

type WorkOnDatabase = {
  /**
   * Reads what was given before anything is connected to, and answers the work. An object that the work comes to is what `--json` prints;
   * without one `--json` prints the lines it said.
   * @throws UsageProblem.
   */
  prepare(given: Given): (deps: CommandDeps) => Promise<unknown>;
};

type WorkAlone = {
  /** The same, for a command that no database is found for. */
  prepareAlone(given: Given): (deps: AloneDeps) => Promise<unknown>;
};

/** The command line cannot be taken: one sentence that says what to write instead. Exit code 2. */
export class UsageProblem extends Error {
  override readonly name = "UsageProblem";
}

/** The platform says no: one sentence why. Nothing was changed. Exit code 3. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** A check failed. Exit code 1; `result` is what `--json` prints. */
export class NotAsItMustBe extends Error {
  override readonly name = "NotAsItMustBe";
  readonly result: object;
  constructor(sentence: string, result: object) {
    super(sentence);
    this.result = result;
  }
}
