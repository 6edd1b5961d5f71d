import type { Command, Option } from "./command.ts";
import { optionsOf, usage } from "./read-arguments.ts";

const WIDTH = 30;

function optionLine([name, { value, about, needed }]: [string, Option]): string {
  const left = `  --${name}${value === undefined ? "" : ` ${value}`}`;
  return `${left.padEnd(WIDTH)} ${about}${needed ? " (required)" : ""}`;
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const { about, more, places = [] } = command;
  const all = Object.entries(optionsOf(command));
  const behind = places.map(
    ({ name, about: what, optional }) => `${`  <${name}>`.padEnd(WIDTH)} ${what}${optional ? "" : " (required)"}`,
  );
  return [`longarm ${usage(command)}: ${about}`, "", ...behind, ...all.map(optionLine), "", more].join("\n");
}

/** The help of all. */
export function allHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usage(command).length));
  return [
    "Longarm's command line for staff. It works beside a running Longarm, on its database.",
    "",
    ...commands.map((command) => `  longarm ${usage(command).padEnd(width)}  ${command.about}`),
    "",
    "longarm <command> --help tells a command's options. In the repository write: npm run longarm -- <command> …",
    "Exit codes: 0 done · 1 it could not be done · 2 the command line is wrong · 3 refused, nothing was changed.",
  ].join("\n");
}
