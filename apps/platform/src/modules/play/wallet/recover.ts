import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { PlayDeps } from "../deps.ts";
import { eachByItself } from "../each-by-itself.ts";
import type { KnownOutcome, TransferRow } from "./transfer.ts";
import {
  decideTransfer,
  findTransfer,
  insertTransfer,
  LedgerBroken,
  markUnknown,
  NotExplained,
  noteRecovery,
  openTransferOf,
} from "./transfer.ts";
import { olderTransferIdOf } from "./transfer-id.ts";
import type { BrokenOff, Wallet } from "./wallet.ts";

/** No request to an agent is open for longer, ms: an older one that is still *asking* was left by a node that has ended. */
const ASKING_MS_MAX = 30_000;

/** Marks the transfers that these nodes had requested as unknown: the nodes have ended, or have started anew and await no answer. */
export async function markUnknownOf({ deps, within }: Wallet, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  const rows = await deps.db
    .selectFrom("machine_transfer")
    .select(["id", "machine_id"])
    .where("state", "=", "asking")
    .where("node_id", "in", [...nodeIds])
    .execute();
  await eachByItself(deps.log, rows, ({ id, machine_id }) =>
    within(machine_id, (seat) => markUnknown(seat, id, deps.config.play.NODE_ID)),
  );
}

/** The same for nodes that never came back. */
export async function markLeftUnknown({ deps, within }: Wallet): Promise<void> {
  const rows = await deps.db
    .selectFrom("machine_transfer")
    .select(["id", "machine_id"])
    .where("state", "=", "asking")
    .where("created_at", "<", sql<Date>`clock_timestamp() - ${ASKING_MS_MAX} * interval '1 millisecond'`)
    .execute();
  await eachByItself(deps.log, rows, ({ id, machine_id }) =>
    within(machine_id, (seat) => markUnknown(seat, id, deps.config.play.NODE_ID)),
  );
}

/**
 * Requests the machine's own record of its unknown transfer and books what it says. Pending, silence and no link leave it as it is:
 * time alone never decides.
 * @returns true when the machine has no unknown transfer any more.
 */
export async function recoverTransfer(wallet: Wallet, machineId: string): Promise<boolean> {
  const { deps, links, waits } = wallet;
  const open = await deps.db.transaction().execute((trx) => openTransferOf(trx, machineId));
  if (open?.state !== "unknown") return open === undefined;
  const answer = await links.request("egm.transfer", { machineId, transferId: open.id });
  const found = answer.is === "done" ? `${answer.data.record} ${answer.data.amount}` : answer.is;
  await noteRecovery(deps.db, open.id, deps.config.play.NODE_ID, found);
  if (answer.is !== "done" || answer.data.record === "pending") return alarmWhenOld(deps, open);
  const { record, amount } = answer.data;
  const outcome = outcomeOf(record, amount);
  let became = await tryToDecide(wallet, open, outcome);
  if (became === "unexplained") became = await tryToDecide(wallet, open, await explained(wallet, open, outcome));
  if (became !== "decided") return alarmWhenOld(deps, open);
  waits.forget(machineId);
  const facts = { transferId: open.id, machineId, record, amount };
  deps.log.info(facts, "an unknown transfer is decided by the machine's record");
  return true;
}

function outcomeOf(record: "done" | "refused" | "neverSeen" | "lost", amount: number): KnownOutcome {
  if (record === "done") return { is: "done", amount };
  // Decided for ever, so not "unreachable": that asks for the same command again.
  const refused = { is: "refused", refusal: "other", reason: record } as const;
  return record === "lost" ? { ...refused, lost: amount } : refused;
}

/** Unless it is decided it stays open. */
async function tryToDecide(
  { deps, within }: Wallet,
  open: TransferRow,
  outcome: KnownOutcome,
): Promise<"decided" | "unexplained" | "broken"> {
  try {
    await decideTransfer(deps, within, open, outcome);
    return "decided";
  } catch (error) {
    if (error instanceof NotExplained) return "unexplained";
    if (!(error instanceof LedgerBroken)) throw error;
    deps.log.error({ err: error, alarm: "transfer", transferId: open.id }, "an unknown transfer could not be booked");
    return "broken";
  }
}

/**
 * The machine says it gave more than is known to be on it: the number of games it has counted shows whether games that it has not reported
 * may explain it. When it reports none for long they are given up: what is known is booked, and a person sees to the rest.
 */
async function explained(
  { deps, links, waits }: Wallet,
  open: TransferRow,
  outcome: KnownOutcome,
): Promise<KnownOutcome> {
  const { machine_id: machineId } = open;
  if (outcome.is !== "done") return outcome;
  const shown = await links.request("egm.meters", { machineId });
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

/** Looks up every command that broke off: what is written down is unknown from now on, the rest is written down as refused and its page learns that. */
export async function resolveBrokenOff(wallet: Wallet): Promise<void> {
  const { brokenOff } = wallet;
  const failed: unknown[] = [];
  for (const command of [...brokenOff.values()]) {
    try {
      await lookUp(wallet, command);
      // The same command may have broken off once more meanwhile: that is another entry.
      if (brokenOff.get(command.transferId) === command) brokenOff.delete(command.transferId);
    } catch (error) {
      // The others are looked up all the same.
      failed.push(error);
    }
  }
  if (failed.length > 0) throw new AggregateError(failed, "money commands that broke off could not be looked up yet");
}

async function lookUp({ deps, within }: Wallet, { machineId, transferId, page }: BrokenOff): Promise<void> {
  // The seat's lock waits for a transaction that the database may still be running.
  await within(machineId, async (seat) => {
    const older = page === null ? [] : [olderTransferIdOf(page.playerId, page.id)];
    const row = await findTransfer(seat.trx, transferId, ...older);
    if (row !== undefined) return await markUnknown(seat, row.id, deps.config.play.NODE_ID);
    if (page === null) return;
    const { playerId, id, amount, direction } = page;
    const { player_id, play_session_id, epoch } = seat.row;
    // A repeat of the page may be waiting for the lock: it must find this outcome and move nothing. Without the seat it is refused anyway.
    if (player_id === playerId && play_session_id !== null)
      await insertTransfer(seat.trx, {
        ...{ id: transferId, told_id: id, machine_id: machineId, play_session_id, player_id, epoch, direction },
        ...{ asked: amount, node_id: deps.config.play.NODE_ID, state: "refused", refusal: "other" },
        ...{ reason: "the command broke off before it was written down", decided_at: databaseNow() },
      });
    seat.announce("transfer.decided", { machineId, playerId, id, outcome: "refused", amount: 0 });
  });
}
