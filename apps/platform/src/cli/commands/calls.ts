import { LOCKUP_REASONS } from "@longarm/contract/machine";
import type { CallRow, CallsTables } from "../../modules/play/calls.ts";
import { answerCall, closeCall, listCalls } from "../../modules/play/calls.ts";
import type { Command } from "../command.ts";
import { actCommand, CommandRefused, command } from "../command.ts";
import { argument, DRY_RUN, flag, rowLimit, rowNumber } from "../fields.ts";
import { sayRows, timeText } from "../output.ts";
import { asStaff, notifyPlatform } from "../staff.ts";

const callsList = command({
  name: "calls list",
  about: "list the calls for an attendant that are open, oldest first: which player, at which machine, why",
  more: `  longarm calls list --all\n\nreason is what the machine reported when the player called: ${LOCKUP_REASONS.join(", ")}; player: it reported nothing.`,
  options: {
    all: flag("also those that are closed, newest first"),
    limit: rowLimit({ max: 10_000, usual: 100 }),
  },
  async run({ db, say }, { all, limit }) {
    const found = await listCalls(db, { all, limit: limit.query });
    const head = ["number", "called", "waits s", "machine", "player", "reason", "answered", "closed"];
    return { calls: sayRows(say, limit, found, { word: "call", head, columns: columnsOf }).rows };
  },
});

const columnsOf = (row: CallRow): string[] => [
  String(row.id),
  timeText(row.calledAt),
  row.closedAt === null ? String(row.ageS) : "",
  row.machineId,
  row.player,
  row.reason,
  row.answeredAt === null ? "" : `${timeText(row.answeredAt)} by ${row.answeredBy}`,
  row.closedAt === null ? "" : `${timeText(row.closedAt)} by ${row.closedBy}`,
];

function changeCommand(
  word: "answer" | "close",
  about: string,
  change: typeof answerCall,
  resultOf: (machineId: string) => string,
): Command {
  return actCommand({
    name: `calls ${word}`,
    needs: "task.take",
    about,
    more: `  longarm calls ${word} 12\n\nThe player's page shows it at once.`,
    arguments: { number: argument("of the call, from longarm calls list", rowNumber) },
    options: { dryRun: DRY_RUN },
    async run(deps, { number: id, by, dryRun }) {
      const work = (db: Parameters<typeof change>[0]) => change(db, id, by);
      const done = await asStaff(
        deps,
        by,
        async (transaction) => {
          const outcome = await work(transaction.withTables<CallsTables>());
          if (outcome.is === "refused") throw new CommandRefused(outcome.sentence);
          return outcome;
        },
        dryRun,
      );
      const result = resultOf(done.machineId);
      if (dryRun) {
        deps.say(`Would be done, nothing was changed: ${result}.`);
        return { call: id, dryRun };
      }
      deps.say(`Call ${id}: ${result}.`);
      await notifyPlatform(deps, { kind: "call", body: { id }, by });
      return { call: id, machine: done.machineId };
    },
  });
}

export const callCommands: readonly Command[] = [
  callsList,
  changeCommand(
    "answer",
    "say that an attendant is on the way to the player who called",
    answerCall,
    (machineId) => `an attendant is on the way to ${machineId}`,
  ),
  changeCommand(
    "close",
    "close a call: an attendant was there, or need not come",
    closeCall,
    (machineId) => `the call of ${machineId} is closed`,
  ),
];
