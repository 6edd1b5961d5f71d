import { sql } from "kysely";
import type { PlayDeps } from "../deps.ts";
import { eachByItself } from "../each-by-itself.ts";
import type { KnownOutcome } from "./decide-transfer.ts";
import { decideTransfer, LedgerBroken, markUnknown, NotExplained } from "./decide-transfer.ts";
import { noteAsked } from "./recovery-row.ts";
import type { TransferParts } from "./run-transfer.ts";
import type { TransferRow } from "./transfer-row.ts";
import { openTransferOf } from "./transfer-row.ts";

/** No request to an agent is open for longer, ms: an older one that is still *asking* was left by a node that has ended. */
const ASKING_MS_MAX = 30_000;

/** What these nodes were asking is unknown: they have ended, or begin a new life and ask nobody any more. */
export async function markUnknownOf({ deps, seats }: TransferParts, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  const rows = await deps.db
    .selectFrom("machine_transfer")
    .select(["id", "machine_id"])
    .where("state", "=", "asking")
    .where("node_id", "in", [...nodeIds])
    .execute();
  await eachByItself(deps.log, rows, ({ id, machine_id }) =>
    seats.within(machine_id, (seat) => markUnknown(seat, id, deps.config.play.NODE_ID)),
  );
}

/** The same for what nodes that never came back were asking. */
export async function markLeftUnknown({ deps, seats }: TransferParts): Promise<void> {
  const rows = await deps.db
    .selectFrom("machine_transfer")
    .select(["id", "machine_id"])
    .where("state", "=", "asking")
    .where("created_at", "<", sql<Date>`clock_timestamp() - ${ASKING_MS_MAX} * interval '1 millisecond'`)
    .execute();
  await eachByItself(deps.log, rows, ({ id, machine_id }) =>
    seats.within(machine_id, (seat) => markUnknown(seat, id, deps.config.play.NODE_ID)),
  );
}

/**
 * Asks the machine's own record of its unknown transfer and books what it says. Pending, silence and no link leave it as it is:
 * time may ask, it never decides.
 * @returns true when the machine has no unknown transfer any more.
 */
export async function recoverTransfer(parts: TransferParts, machineId: string): Promise<boolean> {
  const { deps, agents } = parts;
  const open = await deps.db.transaction().execute((trx) => openTransferOf(trx, machineId));
  if (open?.state !== "unknown") return open === undefined;
  const answer = await agents.request("egm.transfer", { machineId, transferId: open.id });
  const told = answer.is === "done" ? `${answer.data.record} ${answer.data.amount}` : answer.is;
  await noteAsked(deps.db, open.id, deps.config.play.NODE_ID, told);
  if (answer.is !== "done" || answer.data.record === "pending") return alarmWhenOld(deps, open);
  const { record, amount } = answer.data;
  const outcome: KnownOutcome =
    record === "done"
      ? { is: "done", amount }
      : // Decided for ever, so not "unreachable": that asks for the same command again.
        { is: "refused", refusal: "other", reason: record };
  let became = await tryToDecide(parts, open, outcome);
  if (became === "unexplained") became = await tryToDecide(parts, open, await explained(parts, open, outcome));
  if (became !== "decided") return alarmWhenOld(deps, open);
  parts.waits.forget(machineId);
  const facts = { transferId: open.id, machineId, record, amount };
  deps.log.info(facts, "an unknown transfer is decided by the machine's record");
  return true;
}

/** Unless it is decided it stays open. */
async function tryToDecide(
  { deps, seats }: TransferParts,
  open: TransferRow,
  outcome: KnownOutcome,
): Promise<"decided" | "unexplained" | "broken"> {
  try {
    await decideTransfer(deps, seats, open, outcome);
    return "decided";
  } catch (error) {
    if (error instanceof NotExplained) return "unexplained";
    if (!(error instanceof LedgerBroken)) throw error;
    deps.log.error({ err: error, alarm: "transfer", transferId: open.id }, "an unknown transfer could not be booked");
    return "broken";
  }
}

/**
 * The machine says it gave more than is known to be on it: how many games it has counted tells whether games that are still to be told
 * may explain it. When it tells none for long they are given up: what is known is booked, and a person sees to the rest.
 */
async function explained(
  { deps, agents, waits }: TransferParts,
  open: TransferRow,
  outcome: KnownOutcome,
): Promise<KnownOutcome> {
  const { machine_id: machineId } = open;
  if (outcome.is !== "done") return outcome;
  const shown = await agents.request("egm.meters", { machineId });
  if (shown.is !== "done") return outcome;
  const { taken_seq: seq } = await deps.db
    .selectFrom("machine")
    .select("taken_seq")
    .where("id", "=", machineId)
    .executeTakeFirstOrThrow();
  const { meters, eventsWait } = shown.data;
  return { ...outcome, counted: waits.areOver(machineId, seq, eventsWait) ? "givenUp" : meters.gamesPlayed };
}

const ageMs = ({ clock }: PlayDeps, { created_at: at }: TransferRow): number => clock.now() - at.getTime();

const isOld = (deps: PlayDeps, open: TransferRow): boolean => ageMs(deps, open) > deps.config.play.TRANSFER_ALARM_MS;

function alarmWhenOld(deps: PlayDeps, open: TransferRow): false {
  const { id: transferId, machine_id: machineId, direction } = open;
  if (isOld(deps, open)) {
    const facts = { transferId, machineId, direction, ageMs: ageMs(deps, open) };
    deps.alarms.raise("transfer", transferId, facts, "a transfer is unknown for too long");
  }
  return false;
}
