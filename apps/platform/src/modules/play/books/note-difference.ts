import type { Log } from "../../../log.ts";
import type { DifferenceKind, PlayTransaction } from "../tables.ts";

/** A difference as it is found. Minor units; `kind` says what the two amounts are. */
export type NewDifference = {
  readonly machineId: string;
  readonly playSessionId: string | null;
  /**
   * `settle`: the machine was empty and the ledger's account was not, above or below zero. `late`: the same, found on a free machine. `claim`: the
   * machine reports that it moved more than it can have, or has lost its record of a transfer and its meter has moved. `meters`: its running meters do not agree with what was booked. `games`: games were never reported, or do not add up.
   */
  readonly kind: DifferenceKind;
  readonly ledgerMinor: number;
  readonly machineMinor: number;
  /** The transfer that took the money to suspense. */
  readonly transferId?: string;
  readonly about?: Readonly<Record<string, unknown>>;
};

/**
 * Writes down a difference for a person to explain, and calls for staff. While it is open nobody new sits down at the machine
 * (`isClosed` in seat/seat-facts.ts). To be called in the transaction that finds it.
 * @returns its number.
 */
export async function noteDifference(log: Log, trx: PlayTransaction, found: NewDifference): Promise<number> {
  const { id } = await trx
    .insertInto("discrepancy")
    .values({
      machine_id: found.machineId,
      play_session_id: found.playSessionId,
      ledger_amount: found.ledgerMinor,
      machine_amount: found.machineMinor,
      transfer_id: found.transferId ?? null,
      kind: found.kind,
      about: JSON.stringify(found.about ?? {}),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  log.error({ alarm: "discrepancy", discrepancy: id, ...found }, SENTENCES[found.kind]);
  return id;
}

const SENTENCES: Readonly<Record<DifferenceKind, string>> = {
  settle: "machine and ledger differ: the difference is in suspense",
  late: "credits of nobody stand in the ledger for a free machine: they are in suspense",
  claim: "a machine says it moved more than it can have: only what is known was booked",
  meters: "a machine's running meters do not agree with what was booked of it",
  games: "games of a machine are missing in its history, or do not add up",
};
