import { parseArgs } from "node:util";
import type { Command, Given, Option } from "./command.ts";
import { UsageProblem } from "./command.ts";

/** Options of every command. */
export const EVERYWHERE: Readonly<Record<string, Option>> = {
  data: {
    type: "string",
    value: "<folder>",
    about: "the data folder of the running Longarm (DATA_FOLDER, else ./data); DATABASE_URL goes before it",
  },
  json: { type: "boolean", about: "say it as one line of JSON" },
  help: { type: "boolean", about: "this text" },
};

const YES: Option = { type: "boolean", about: "do not ask first" };

/** All options of a command. */
export function optionsOf({ options, asks }: Command): Readonly<Record<string, Option>> {
  return { ...options, ...(asks && { yes: YES }), ...EVERYWHERE };
}

/**
 * Reads the places and options of a command. Each may be given once: of two amounts nobody knows which one was meant.
 * @throws UsageProblem.
 */
export function readArguments(command: Command, placed: readonly string[], args: readonly string[]): Given {
  const { words, options, places = [] } = command;
  const known = optionsOf(command);
  const given = new Map<string, string | true>();
  for (const { name, value } of optionTokens(command, known, args)) {
    if (given.has(name)) throw new UsageProblem(`--${name} is given twice.`);
    if (value === "") throw new UsageProblem(`--${name} has no value.`);
    if (value !== undefined && !isText(value)) throw new UsageProblem(`--${name} is no text that can be kept.`);
    given.set(name, value ?? true);
  }
  if (given.has("help")) return given;
  for (const [at, { name, optional }] of places.entries()) {
    const value = placed[at];
    if (value === undefined && optional) break;
    if (value !== undefined && !isText(value)) throw new UsageProblem(`The ${name} is no text that can be kept.`);
    if (value === undefined) throw new UsageProblem(`Name the ${name}: longarm ${usage(command)}`);
    given.set(name, value);
  }
  if (placed.length > places.length)
    throw new UsageProblem(`"${(placed[places.length] ?? "").slice(0, 40)}" is too much: longarm ${usage(command)}`);
  const missing = Object.keys(options).find((name) => options[name]?.needed && !given.has(name));
  if (missing !== undefined) throw new UsageProblem(`--${missing} is missing: longarm ${words} --help tells more.`);
  return given;
}

/** No zero character and no half of a surrogate pair, with which the database cannot even be asked. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** How a command is written. */
export function usage({ words, places = [] }: Command): string {
  return [words, ...places.map(({ name, optional }) => (optional ? `[<${name}>]` : `<${name}>`))].join(" ");
}

function optionTokens(command: Command, known: Readonly<Record<string, Option>>, args: readonly string[]) {
  try {
    const options = Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type }]));
    const { tokens } = parseArgs({
      args: args.map((arg) => (arg === "-h" ? "--help" : arg)),
      options,
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    const late = tokens.find((token) => token.kind === "positional");
    if (late !== undefined)
      throw new Error(`"${late.value.slice(0, 40)}" must stand before the options: longarm ${usage(command)}`);
    return tokens.filter((token) => token.kind === "option");
  } catch (error) {
    // What follows its first sentence speaks of another way to write it.
    const [said = ""] = (error instanceof Error ? error.message : String(error)).split(/\.?\s*(?:$|\n)|\. /);
    throw new UsageProblem(`${said.slice(0, 200)}. longarm ${command.words} --help lists the options.`, {
      cause: error,
    });
  }
}
