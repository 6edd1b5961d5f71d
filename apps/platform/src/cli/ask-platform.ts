import { machineExists } from "../modules/play/machines.ts";
import type { AskDeps, OperationAnswer } from "../modules/play/operations/index.ts";
import type { CommandDeps, Given, Option } from "./command.ts";
import { CommandRefused, UsageProblem } from "./command.ts";
import { printable, printableLine } from "./printable.ts";

const BY_LENGTH_MAX = 64;

/** Who asks, for commands that are kept with their asker. */
export const BY: Option = {
  type: "string",
  value: "<name>",
  about: "the person who acts; default: the system user's name",
};

/** @throws UsageProblem. */
export function readBy(given: Given): string | undefined {
  const by = given.get("by")?.toString();
  if (by === undefined || (by.trim() !== "" && by.length <= BY_LENGTH_MAX && printable(by) === by)) return by;
  throw new UsageProblem(`--by must be a name of 1 to ${BY_LENGTH_MAX} characters.`);
}

/** The name under which a command is kept. @throws UsageProblem. */
export function whoAsks({ staff }: Pick<CommandDeps, "staff">, by: string | undefined): string {
  const who = by ?? staff.slice(0, BY_LENGTH_MAX);
  if (who === "") throw new UsageProblem("The system does not say who you are: name yourself with --by.");
  return who;
}

/**
 * Has the running platform do something, and says what became of it.
 * @throws CommandRefused, UsageProblem, and an error when nobody can tell whether it was done.
 */
export async function askPlatform(
  deps: CommandDeps,
  by: string | undefined,
  ask: (ask: AskDeps, by: string) => Promise<OperationAnswer>,
): Promise<void> {
  const answer = await ask(deps, whoAsks(deps, by));
  // An agent's own words: on one line, so that they cannot look like ours.
  const { is, sentence } = { ...answer, sentence: printableLine(answer.sentence) };
  if (is === "refused") throw new CommandRefused(sentence);
  if (is === "unknown") throw new Error(sentence);
  deps.say(sentence);
}

/** Says what would be asked, of a machine that is there. @throws CommandRefused. */
export async function wouldAsk({ db, say }: CommandDeps, machineId: string, what: string): Promise<object> {
  if (!(await machineExists(db, machineId)))
    throw new CommandRefused(printableLine(`There is no machine "${machineId.slice(0, 64)}" here.`));
  say(printableLine(`Would ask the running platform to ${what}. Nothing was changed.`));
  return { machine: machineId, dryRun: true };
}
