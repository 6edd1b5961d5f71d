import type { CallChange, CallRow, CallsTables } from "../../../modules/play/calls.ts";
import { answerCall, closeCall, listCalls } from "../../../modules/play/calls.ts";
import { readWholeNumber } from "../../amount.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps } from "../../command.ts";
import { CommandRefused, DRY_RUN } from "../../command.ts";
import { limitOption, readCut, sayRows } from "../../output/row-list.ts";
import { timeText } from "../../output/table.ts";

const ROWS = { most: 10_000, usual: 100 };

/** Players who want somebody. */
const callsList: Command = {
  words: "calls list",
  about: "list the calls for an attendant that are open, oldest first: which player, at which machine, why",
  more: "  longarm calls list --all\n\nreason is the machine's own word when the player called: handPay, door, tilt, disabled, outOfService; player: it said nothing.",
  options: {
    all: { type: "boolean", about: "also those that are closed, newest first" },
    limit: limitOption(ROWS),
  },
  prepare(given) {
    const cut = readCut(given, ROWS);
    const all = given.has("all");
    return async ({ db, say }) => {
      const found = await listCalls(db, { all, limit: cut.ask });
      const head = ["number", "called", "waits s", "machine", "player", "reason", "answered", "closed"];
      return { calls: sayRows(say, cut, found, { word: "call", head, columns: columnsOf }).rows };
    };
  },
};

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

/** What staff says of a call: `longarm calls list`, `calls answer`, `calls close`. */
export const callCommands: readonly Command[] = [
  callsList,
  changeCommand("answer", "say that somebody is on the way to the player who called", answerCall),
  changeCommand("close", "close a call: somebody was there, or need not come", closeCall),
];

type Change = typeof answerCall;

function changeCommand(word: "answer" | "close", about: string, change: Change): Command {
  return {
    words: `calls ${word}`,
    about,
    more: `  longarm calls ${word} 12\n\nThe player's page shows it at once.`,
    places: [{ name: "number", about: "of the call, from longarm calls list" }],
    options: { by: BY, "dry-run": DRY_RUN },
    prepare(given) {
      const id = readWholeNumber("number", String(given.get("number")), 1, 999_999_999);
      const by = readBy(given);
      return async (deps) => {
        const who = whoAsks(deps, by);
        const dryRun = given.has("dry-run");
        const done = await changed(deps, who, dryRun, (db) => change(db, id, who));
        const what =
          word === "answer" ? `somebody is on the way to ${done.machineId}` : `the call of ${done.machineId} is closed`;
        if (dryRun) {
          deps.say(`Would be done, nothing was changed: ${what}.`);
          return { call: id, dryRun: true };
        }
        deps.say(`Call ${id}: ${what}.`);
        await tellPage(deps, id, who);
        return { call: id, machine: done.machineId };
      };
    },
  };
}

type Done = Extract<CallChange, { is: "done" }>;

class OnlyTried extends Error {
  readonly done: Done;
  constructor(done: Done) {
    super("only tried");
    this.done = done;
  }
}

/** @throws CommandRefused. */
async function changed(
  deps: CommandDeps,
  who: string,
  onlyTry: boolean,
  change: (db: Parameters<Change>[0]) => Promise<CallChange>,
): Promise<Done> {
  try {
    return await asStaff(deps, who, async (transaction) => {
      const done = await change(transaction.withTables<CallsTables>());
      if (done.is === "refused") throw new CommandRefused(done.sentence);
      if (onlyTry) throw new OnlyTried(done);
      return done;
    });
  } catch (error) {
    if (error instanceof OnlyTried) return error.done;
    throw error;
  }
}

/** How long the page may wait for it, ms: where no platform runs there is none. */
const TELL_WITHIN_MS = 1_000;

async function tellPage(deps: CommandDeps, id: number, by: string): Promise<void> {
  const quietly = { ...deps, say: () => {} };
  await haveCarriedOut(quietly, { kind: "call", body: { id }, by, beginWithinMs: TELL_WITHIN_MS }).catch(() => false);
}
