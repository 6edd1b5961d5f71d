import type { Kysely } from "kysely";
import type { Random } from "../random.ts";

/** What a command works with. */
export type CommandDeps = {
  /** The platform's database; a command gives it the tables that it needs. */
  readonly db: Kysely<unknown>;
  readonly random: Random;
  /** Waits for so many ms. */
  pause(ms: number): Promise<void>;
  /** Who is at the keyboard, as the system says; empty: it does not. */
  readonly staff: string;
  /** Writes one line for whoever asked. */
  say(line: string): void;
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

/** What stands behind a command's words, without a name before it: `<machine>`. */
export type Place = { readonly name: string; readonly about: string };

/** What was given, by option and by place. An option that was not given is absent. */
export type Given = ReadonlyMap<string, string | true>;

/** One command of the command line. */
export type Command = {
  /** What calls it: `promotions grant`. */
  readonly words: string;
  /** One sentence. */
  readonly about: string;
  /** More for its own help: an example, what to know. */
  readonly more: string;
  readonly options: Readonly<Record<string, Option>>;
  /** All of them are needed, in this order; none may have the name of an option. */
  readonly places?: readonly Place[];
  /**
   * Reads what was given before anything is connected to, and answers the work.
   * @throws UsageProblem.
   */
  prepare(given: Given): (deps: CommandDeps) => Promise<void>;
};

/** The command line cannot be taken: one sentence that says what to write instead. Exit code 2. */
export class UsageProblem extends Error {
  override readonly name = "UsageProblem";
}

/** The platform says no: one sentence why. Nothing was changed. Exit code 3. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}
