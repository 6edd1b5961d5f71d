import { parseArgs } from "node:util";
import type { Command, Given } from "./command.ts";
import { optionName, UsageProblem } from "./command.ts";

/* Reading a command line by a command's fields, and the help that the same fields give. */

/** An option as the command line and the help write it. */
type WrittenOption = { readonly about: string; readonly value?: string; readonly required: boolean };

/** Options of every command. */
export const EVERYWHERE: Readonly<Record<string, WrittenOption>> = {
  data: {
    value: "<folder>",
    about: "the data folder of the running Longarm (DATA_FOLDER, else ./data); DATABASE_URL has priority",
    required: false,
  },
  json: { about: "say it as one line of JSON", required: false },
  help: { about: "this text", required: false },
};

const YES: WrittenOption = { about: "do not ask first", required: false };

/** All options of a command, as they are written. */
export function optionsOf({ options, isConfirmed }: Command): Readonly<Record<string, WrittenOption>> {
  const own = Object.entries(options).map(([name, field]) => [optionName(name), field] as const);
  return { ...Object.fromEntries(own), ...(isConfirmed && { yes: YES }), ...EVERYWHERE };
}

/**
 * Reads the arguments and options of a command, by the names of its fields. Each may be given once: of two amounts only the user knows which one
 * was meant.
 * @throws UsageProblem.
 */
export function readArguments(command: Command, placed: readonly string[], args: readonly string[]): Given {
  const given = new Map<string, string>();
  const fieldOf = new Map(Object.keys(command.options).map((name) => [optionName(name), name]));
  for (const { name, value } of optionTokens(command, args)) {
    const key = fieldOf.get(name) ?? name;
    if (given.has(key)) throw new UsageProblem(`--${name} is given twice.`);
    if (value === "") throw new UsageProblem(`--${name} has no value.`);
    if (value !== undefined && !isText(value)) throw new UsageProblem(`--${name} is no text that can be kept.`);
    given.set(key, value ?? "");
  }
  if (given.has("help")) return given;
  const names = Object.keys(command.arguments);
  for (const [at, name] of names.entries()) {
    const value = placed[at];
    if (value === undefined && command.arguments[name]?.required === false) break;
    if (value === undefined) throw new UsageProblem(`Name the ${name}: longarm ${usage(command)}`);
    if (!isText(value)) throw new UsageProblem(`The ${name} is no text that can be kept.`);
    given.set(name, value);
  }
  const extra = placed[names.length];
  if (extra !== undefined)
    throw new UsageProblem(`"${extra.slice(0, 40)}" is one word too many: longarm ${usage(command)}`);
  const missing = Object.keys(command.options).find((name) => command.options[name]?.required && !given.has(name));
  if (missing !== undefined)
    throw new UsageProblem(`--${optionName(missing)} is missing: longarm ${command.name} --help explains it.`);
  return given;
}

/** No zero character and no half of a surrogate pair: the database accepts neither. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

function optionTokens(command: Command, args: readonly string[]) {
  try {
    const { tokens } = parseArgs({
      args: args.map((arg) => (arg === "-h" ? "--help" : arg)),
      options: Object.fromEntries(
        Object.entries(optionsOf(command)).map(([name, { value }]) => [
          name,
          { type: value === undefined ? ("boolean" as const) : ("string" as const) },
        ]),
      ),
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    const late = tokens.find((token) => token.kind === "positional");
    if (late !== undefined)
      throw new Error(`"${late.value.slice(0, 40)}" must be before the options: longarm ${usage(command)}`);
    return tokens.filter((token) => token.kind === "option");
  } catch (error) {
    // Only the first sentence of Node's message fits our command lines.
    const [said = ""] = (error instanceof Error ? error.message : String(error)).split(/\.?\s*(?:$|\n)|\. /);
    throw new UsageProblem(`${said.slice(0, 200)}. longarm ${command.name} --help lists the options.`, {
      cause: error,
    });
  }
}

/** How a command is written. */
export function usage({ name, arguments: args }: Command): string {
  const written = Object.entries(args).map(([arg, { required }]) => (required ? `<${arg}>` : `[<${arg}>]`));
  return [name, ...written].join(" ");
}

const LEFT_COLUMN = 30;

/** The help of one command. */
export function commandHelp(command: Command): string {
  const args = Object.entries(command.arguments).map(([name, field]) => helpLine(`  <${name}>`, field));
  const options = Object.entries(optionsOf(command)).map(([name, option]) =>
    helpLine(`  --${name}${option.value === undefined ? "" : ` ${option.value}`}`, option),
  );
  return [`longarm ${usage(command)}: ${command.about}`, "", ...args, ...options, "", command.more].join("\n");
}

const helpLine = (left: string, { about, required }: WrittenOption): string =>
  `${left.padEnd(LEFT_COLUMN)} ${about}${required ? " (required)" : ""}`;

/** The help of all. */
export function allHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usage(command).length));
  return [
    "Longarm's command line for staff. It works beside a running Longarm, on its database.",
    "",
    ...commands.map((command) => `  longarm ${usage(command).padEnd(width)}  ${command.about}`),
    "",
    "longarm <command> --help lists a command's options. In the repository write: npm run longarm -- <command> …",
    "Exit codes: 0 done · 1 it could not be done · 2 the command line is wrong · 3 refused, nothing was changed.",
  ].join("\n");
}
