import type { Permission } from "@longarm/contract/staff-rights";
import type { Kysely } from "kysely";
import type { StaffCaller } from "../modules/staff/sign-in/index.ts";
import type { Random } from "../random.ts";

/** What a command works with. */
export type CommandDeps = {
  /** The platform's database; a command gives it the tables that it needs. */
  readonly db: Kysely<unknown>;
  /** Its address, for work that needs a connection of its own. */
  readonly databaseUrl: string;
  readonly random: Random;
  /** Waits for so many ms. */
  pause(ms: number): Promise<void>;
  /** The system user's name; empty when the system has none. */
  readonly staff: string;
  /** The computer's name. */
  readonly computer: string;
  /** The folder in which this user's programs keep their settings. */
  readonly configFolder: string;
  /** Prints one line. */
  say(line: string): void;
  /** Resolves when the reader of the output has accepted all printed lines; absent: at once. */
  flushed?(): Promise<void>;
  /** Reads a password or PIN, which no screen shows and no command line carries: from the terminal, else the first line of the input. */
  secret(question: string): Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long the running platform may take to begin an operation, ms. Tests set a shorter one. */
  readonly beginWithinMs?: number;
};

/** Who acts by a command. */
export type Acting = {
  /** The name that rows and audit entries have: a staff username, or `root:` and the system user. */
  readonly by: string;
  /** The staff id, or the same `root:` name. */
  readonly id: string;
  /** Null: no person is signed in (`--as-root`). */
  readonly caller: StaffCaller | null;
};

/** What a command works with that acts in somebody's name. */
export type ActingDeps = CommandDeps & { readonly acting: Acting };

/** What a command works with that needs no running Longarm. */
export type StandaloneDeps = Omit<CommandDeps, "db" | "databaseUrl"> & {
  /** The data folder named by `--data`, else by DATA_FOLDER. */
  readonly dataFolder: string;
};

/** An option or a positional argument: how the help shows it, and how its text becomes a value. */
export type Field<T> = {
  readonly about: string;
  readonly required: boolean;
  /** How the help writes the value of an option: `<amount>`. Absent: a flag or an argument. */
  readonly value?: string;
  /** @throws UsageProblem. */
  parse(text: string | undefined, context: FieldContext): T;
};
/** `label` names the field in a message: `--amount`, `The amount`. */
export type FieldContext = { readonly label: string; readonly staff: string };
export type Fields = Readonly<Record<string, Field<unknown>>>;

type Values<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never };
type Input<A extends Fields, O extends Fields> = Values<A> & Values<O>;

/** The text of each option and argument that the command line has, by name. A flag has an empty text. */
export type Given = ReadonlyMap<string, string>;

type Definition<A extends Fields, O extends Fields, Deps, More = unknown> = {
  /** The words that call it: `promotions grant`. */
  readonly name: string;
  /** One sentence. */
  readonly about: string;
  /** The end of its own help: an example first, then what to know. */
  readonly more: string;
  /** Positional arguments, in this order. Only the last may be optional, and none may have the name of an option. */
  readonly arguments?: A;
  /** By name in camel case: `dryRun` is `--dry-run`. */
  readonly options?: O;
  /** Checks that need more than one field, before anything is connected. @throws UsageProblem. */
  check?(input: Input<A, O>, given: Given): void;
  /** For what cannot be undone: the question that a person at a terminal must confirm. Gives the command `--yes`. */
  confirm?(input: Input<A, O>): string;
  /**
   * Does the work. `--json` prints the object that it returns; without one the lines it said.
   * @throws UsageProblem, CommandRefused, CheckFailed.
   */
  run(deps: Deps, input: Input<A, O> & More): Promise<unknown>;
};

/** What the staff member of an acting command must be allowed to do: one of these. Null: with this input it only reads. */
export type Needs = Permission | readonly Permission[];
type ActDefinition<A extends Fields, O extends Fields> = Definition<A, O, ActingDeps, { readonly by: string }> & {
  readonly needs: Needs | ((input: Input<A, O>) => Needs | null);
};

/** One command of the command line, ready for the list of all. */
export type Command = {
  readonly name: string;
  readonly about: string;
  readonly more: string;
  readonly arguments: Fields;
  readonly options: Fields;
  readonly isConfirmed: boolean;
  /** It acts in somebody's name: a signed-in member of staff, or the system user with `--as-root`. */
  readonly acts: boolean;
  /** Reads what was given; connects to nothing. @throws UsageProblem. */
  prepare(given: Given, staff: string): Prepared;
};
type Prepared = { readonly question: string | undefined } & (
  | { readonly needs: Needs | null; readonly asRoot: string | undefined; run(deps: ActingDeps): Promise<unknown> }
  | { run(deps: CommandDeps): Promise<unknown> }
  | { runStandalone(deps: StandaloneDeps): Promise<unknown> }
);

/** A command on the database of a Longarm. */
export function command<A extends Fields = Record<never, never>, O extends Fields = Record<never, never>>(
  definition: Definition<A, O, CommandDeps>,
): Command {
  return {
    ...headOf(definition),
    prepare: (given, staff) => {
      const { input, question } = read(definition, given, staff);
      return { question, run: (deps: CommandDeps) => definition.run(deps, input) };
    },
  };
}

/** Why somebody acts without a sign-in; the option that says so. */
export const AS_ROOT: Field<string | undefined> = {
  about: "act without a sign-in, on the server itself; says why, and is audited",
  value: "<why>",
  required: false,
  parse: (text, { label }) => (text === undefined ? undefined : readWhy(text, label)),
};
const WHY_MAX = 200;

/** @throws UsageProblem. */
function readWhy(text: string, label: string): string {
  if (text.trim() === text && text.length <= WHY_MAX && /^[^\p{C}]+$/u.test(text)) return text;
  throw new UsageProblem(`${label} must say why, in plain text of one line, at most ${WHY_MAX} characters.`);
}

/** A command on the database of a Longarm that acts as a signed-in member of staff, or as the system user with `--as-root`. */
export function actCommand<A extends Fields = Record<never, never>, O extends Fields = Record<never, never>>(
  definition: ActDefinition<A, O>,
): Command {
  const head = headOf(definition);
  return {
    ...head,
    options: { ...head.options, asRoot: AS_ROOT },
    acts: true,
    prepare: (given, staff) => {
      const { input, question } = read(definition, given, staff);
      const { needs } = definition;
      return {
        question,
        needs: typeof needs === "function" ? needs(input) : needs,
        asRoot: AS_ROOT.parse(given.get("asRoot"), { label: "--as-root", staff }),
        // A report has an option of the same name, which stays.
        run: (deps: ActingDeps) => definition.run(deps, { by: deps.acting.by, ...input }),
      };
    },
  };
}

/** A command that connects to no database, or does so itself. */
export function standaloneCommand<A extends Fields = Record<never, never>, O extends Fields = Record<never, never>>(
  definition: Definition<A, O, StandaloneDeps>,
): Command {
  return {
    ...headOf(definition),
    prepare: (given, staff) => {
      const { input, question } = read(definition, given, staff);
      return { question, runStandalone: (deps) => definition.run(deps, input) };
    },
  };
}

type Head<A extends Fields, O extends Fields> = Omit<Definition<A, O, never, never>, "run">;

function headOf<A extends Fields, O extends Fields>(definition: Head<A, O>): Omit<Command, "prepare"> {
  const { name, about, more, arguments: args = {}, options = {}, confirm } = definition;
  return { name, about, more, arguments: args, options, isConfirmed: confirm !== undefined, acts: false };
}

function read<A extends Fields, O extends Fields>(
  { arguments: args, options, check, confirm }: Head<A, O>,
  given: Given,
  staff: string,
): { input: Input<A, O>; question: string | undefined } {
  const values = (fields: Fields = {}, labelOf: (name: string) => string) =>
    Object.entries(fields).map(([name, field]) => [
      name,
      field.parse(given.get(name), { label: labelOf(name), staff }),
    ]);
  const input = Object.fromEntries([
    ...values(args, (name) => `The ${name}`),
    ...values(options, (name) => `--${optionName(name)}`),
  ]) as Input<A, O>;
  check?.(input, given);
  return { input, question: confirm?.(input) };
}

/** `dryRun` → `dry-run`. */
export const optionName = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The command line is wrong: one sentence that says what to write instead. Exit code 2. */
export class UsageProblem extends Error {
  override readonly name = "UsageProblem";
}

/** The platform refuses: one sentence why. Nothing was changed. Exit code 3. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** A check found something wrong. Exit code 1; `result` is what `--json` prints. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed";
  readonly result: object;
  constructor(sentence: string, result: object) {
    super(sentence);
    this.result = result;
  }
}
