import { runTransaction } from "@longarm/database/run-transaction";
import type { Transaction } from "kysely";
import type { AskedOperation, OperationKind } from "../modules/play/operations/index.ts";
import { askOperation } from "../modules/play/operations/index.ts";
import { openAudit } from "../modules/records/audit/index.ts";
import type { CommandDeps } from "./command.ts";
import { CommandRefused } from "./command.ts";
import { printableLine } from "./printable.ts";

/** The program's name in the audit log. */
const SOURCE = "longarm staff";

/** Writes to the database in one transaction, and the audit log knows who. `work` may be run again when the database took it back. */
export async function asStaff<T>(
  { db }: Pick<CommandDeps, "db">,
  who: string,
  work: (transaction: Transaction<unknown>) => Promise<T>,
): Promise<T> {
  return await runTransaction(db, async (transaction) => {
    await openAudit(transaction, SOURCE).actAs(`staff:${who}`);
    return await work(transaction);
  });
}

/** The actor of a ledger transfer that staff makes. */
export const actorOf = (who: string): string => `staff:${who}`.slice(0, 100);

/**
 * Has the running platform carry out what was written, and says what it did; where none runs it says that one will do it.
 * @param wish `asked`: nothing is written down, so without a platform nothing comes of it.
 * @returns whether one did.
 * @throws CommandRefused, and an error when nobody can tell.
 */
export async function haveCarriedOut<K extends OperationKind>(
  deps: CommandDeps,
  asked: AskedOperation<K>,
  wish: "written" | "asked" = "written",
): Promise<boolean> {
  const answer = await askOperation(deps, {
    ...asked,
    ...(deps.beginWithinMs !== undefined && { beginWithinMs: deps.beginWithinMs }),
  });
  if (answer.nobody && wish === "written") {
    deps.say("It is written down. No platform runs on this database now: the next one that starts goes by it.");
    return false;
  }
  const sentence = printableLine(answer.sentence);
  if (answer.is === "unknown") throw new Error(wish === "written" ? `It is written down. ${sentence}` : sentence);
  if (answer.is === "refused") throw new CommandRefused(sentence);
  if (sentence !== "") deps.say(sentence);
  return true;
}
