import { QUEUE_MOVES } from "@longarm/contract/staff-floor";
import { machineExists } from "../../modules/play/machines.ts";
import type { QueueRow, QueueTables } from "../../modules/play/queue/index.ts";
import { moveInQueue, queueAt } from "../../modules/play/queue/index.ts";
import { openAudit } from "../../modules/records/audit/index.ts";
import { actCommand, CommandRefused, command } from "../command.ts";
import { argument, DRY_RUN, MACHINE, oneOf, plainText, required, requiredReason } from "../fields.ts";
import { count, sayTable, timeText } from "../output.ts";
import { actorOf, asStaff, carryOut, noMachine, SOURCE } from "../staff.ts";

export const machinesQueue = command({
  name: "machines queue",
  about: "list who waits for a machine, in the order of its queue",
  more: "  longarm machines queue nar-01",
  arguments: { machine: MACHINE },
  options: {},
  async run({ db, say }, { machine }) {
    if (!(await machineExists(db, machine))) throw new CommandRefused(noMachine(machine));
    const rows = await queueAt(db.withTables<QueueTables>(), machine);
    sayTable(say, rows, (row) => [row.id, row.player, timeText(row.joinedAt), stateOf(row)]);
    say(`${count(rows.length, "player")} waiting for ${machine}.`);
    return { machine, places: rows };
  },
});

function stateOf({ calledUntil, keptBy, misses, moved }: QueueRow): string {
  return [
    calledUntil === null ? "" : `called until ${timeText(calledUntil)}`,
    keptBy === null ? "" : `kept from it: ${keptBy}`,
    misses === 0 ? "" : count(misses, "missed call"),
    moved ? "moved by staff" : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}

const DONE = {
  first: "is the first in the queues it is in",
  last: "is the last in the queues it is in",
  out: "has ended",
} as const;

export const machinesQueueMove = actCommand({
  name: "machines queue-move",
  needs: "machine.operate",
  about: "move a place to the beginning or the end of its queues, or end it",
  more: [
    "  longarm machines queue-move nar-01 qp_… --to first --reason 'the machine failed in the last session'",
    "",
    "The player sees the new place at once. The reason is in the audit log.",
  ].join("\n"),
  arguments: { machine: MACHINE, place: argument("the place, as `machines queue` lists it", plainText) },
  options: {
    to: required("<where>", "first, last or out", oneOf(QUEUE_MOVES)),
    reason: requiredReason("why"),
    dryRun: DRY_RUN,
  },
  async run(deps, { machine, place, to, reason, by, dryRun }) {
    const refused = new CommandRefused(`${place} does not wait for ${machine}.`);
    if (dryRun) {
      const waits = (await queueAt(deps.db.withTables<QueueTables>(), machine)).some(({ id }) => id === place);
      if (!waits) throw refused;
      deps.say(`Would move ${place}: ${to}. Nothing was changed.`);
      return { machine, place, dryRun };
    }
    await asStaff(deps, by, async (trx) => {
      const queue = trx.withTables<QueueTables>();
      const who = { audit: openAudit(trx, SOURCE), actor: actorOf(by), reason };
      if (!(await moveInQueue(queue, { machineId: machine, placeId: place, to }, who))) throw refused;
    });
    deps.say(`${place} ${DONE[to]}.`);
    const carriedOut = await carryOut(deps, { kind: "queue", machineId: machine, body: {}, by });
    return { machine, place, to, carriedOut };
  },
});
