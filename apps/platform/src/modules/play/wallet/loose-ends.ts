import { Refusal } from "../seat/index.ts";
import { markUnknown } from "./decide-transfer.ts";
import type { LooseEnd } from "./loose-end.ts";
import type { TransferParts } from "./run-transfer.ts";
import { findTransfer } from "./transfer-row.ts";

/**
 * Runs a money command. What breaks on the way (a database that goes away) leaves open whether the command was written down: that is
 * unknown, never a no. Throws `Refusal` alone.
 */
export async function orUnknown<T>(
  parts: TransferParts,
  end: LooseEnd,
  run: () => Promise<T>,
): Promise<T | { readonly is: "unknown" }> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { transferId, machineId } = end;
    parts.deps.log.error(
      { err: error, transferId, machineId },
      "a money command broke off; what is known of it is looked up",
    );
    parts.ends.set(transferId, end);
    return { is: "unknown" };
  }
}

/** Looks everything up that has broken off: what is written down is unknown from now on, the rest never began and its page is told. */
export async function tieLooseEnds(parts: TransferParts): Promise<void> {
  const failed: unknown[] = [];
  for (const end of [...parts.ends.values()]) {
    try {
      await tie(parts, end);
      // The same command may have broken off once more meanwhile: that is another end.
      if (parts.ends.get(end.transferId) === end) parts.ends.delete(end.transferId);
    } catch (error) {
      // One that cannot be tied keeps none of the others loose.
      failed.push(error);
    }
  }
  if (failed.length > 0) throw new AggregateError(failed, "money commands that broke off could not be looked up yet");
}

async function tie({ deps, seats }: TransferParts, { machineId, transferId, told }: LooseEnd): Promise<void> {
  // The seat's lock waits for a transaction that the database may still be at.
  await seats.within(machineId, async (seat) => {
    const row = await findTransfer(seat.trx, transferId);
    if (row !== undefined) return await markUnknown(seat, transferId, deps.config.play.NODE_ID);
    if (told !== null) seat.announce("transfer.decided", { machineId, ...told, outcome: "refused", amount: 0 });
  });
}
