import type { MachineShown } from "../books/index.ts";
import { clearAccount, concludeReading, noteLines, takeReading, unexplained } from "../books/index.ts";
import type { PlayDeps } from "../deps.ts";
import { eachByItself } from "../each-by-itself.ts";
import type { RestoresTables } from "../restores/index.ts";
import { noteCompared, uncompared } from "../restores/index.ts";
import type { OpenSeat } from "../seat/index.ts";
import type { MetersNow } from "../tables.ts";
import { isOpen } from "../tables.ts";
import { EventWaits } from "../wallet/index.ts";
import type { PlayParts } from "./deps.ts";
import { noteHandPay } from "./hand-pay.ts";
import { closePlaySession } from "./settle.ts";

/**
 * Compares the machines that a restore has left with the books, each once nothing runs and its agent has sent its waiting events: no player
 * sits down there before (record 0086). What does not agree is one difference, for a person to explain; it keeps the machine closed.
 */
export class RestoredMachines {
  readonly #parts: PlayParts;
  readonly #waits: EventWaits;

  constructor(parts: PlayParts) {
    this.#parts = parts;
    this.#waits = new EventWaits(parts.deps.clock);
  }

  /** Those of these machines that wait for it; one that fails does not keep the others. */
  async compare(machineIds: readonly string[]): Promise<void> {
    const { db, log } = this.#parts.deps;
    const waiting = await uncompared(db.withTables<RestoresTables>(), machineIds);
    await eachByItself(log, waiting, ({ machineId, epoch }) => this.#compareOne(machineId, epoch));
  }

  async #compareOne(machineId: string, epoch: number): Promise<void> {
    const { deps, seats, agents } = this.#parts;
    const machine = await deps.db
      .selectFrom("machine as m")
      .innerJoin("seat as s", "s.machine_id", "m.id")
      .select(["m.taken_game", "m.taken_seq", "s.epoch"])
      .where("m.id", "=", machineId)
      .executeTakeFirst();
    if (machine === undefined) return;
    // The player whom the former database had seated plays no longer.
    await agents.request("seat.revoke", { machineId, epoch: machine.epoch });
    const read = await agents.request("egm.meters", { machineId });
    if (read.is !== "done") return;
    const { meters, totals, eventsWait } = read.data;
    if (await seats.within(machineId, (seat) => leaveToItsEnd(seat, epoch, meters))) return;
    if (meters.inGame || meters.bonus || meters.handPay !== undefined) return;
    if (meters.gamesPlayed > machine.taken_game && !this.#waits.areOver(machineId, machine.taken_seq, eventsWait))
      return;
    this.#waits.forget(machineId);
    await seats.within(machineId, (seat) => compareNow(deps, seat, { meters, totals }));
  }
}

/**
 * No other player took the seat since the backup, so the credits are still their player's: the end of the play session compares and pays. To be
 * called once the machine has answered: by then its agent has reported the epoch that it knows.
 */
async function leaveToItsEnd(seat: OpenSeat, epoch: number, { handPay }: MetersNow): Promise<boolean> {
  const isTheirs = seat.row.state !== "free" && seat.row.epoch === epoch;
  // The former database knew this payout and this one does not: staff must be able to confirm it.
  if (handPay !== undefined) await noteHandPay(seat, handPay, isTheirs ? seat.row.play_session_id : null);
  if (isTheirs) await conclude(seat, false);
  return isTheirs;
}

async function compareNow(deps: PlayDeps, seat: OpenSeat, shown: MachineShown): Promise<void> {
  const { machine_id: machineId, play_session_id: playSessionId } = seat.row;
  const open = await seat.trx
    .selectFrom("machine_transfer")
    .select("id")
    .where("machine_id", "=", machineId)
    .where(isOpen())
    .executeTakeFirst();
  if (open !== undefined) return;
  const moved = await compareBooks(deps, seat, shown);
  await conclude(seat, moved);
  // Somebody else's credits may be on the machine: they are not for this player, and what was this player's is in suspense.
  if (seat.row.state !== "free") await closePlaySession(seat);
  if (moved) {
    await deps.alarms.keep(seat.trx, {
      alarm: "restored",
      subject: `machine:${machineId}`,
      machineId,
      facts: { machineId, playSessionId },
      sentence: "a machine has gone on since the backup that was restored",
    });
  }
}

async function conclude({ trx, row }: OpenSeat, moved: boolean): Promise<void> {
  await noteCompared(trx.withTables<RestoresTables>(), row.machine_id, moved);
}

async function compareBooks(deps: PlayDeps, seat: OpenSeat, shown: MachineShown): Promise<boolean> {
  const { machine_id: machineId, play_session_id: playSessionId } = seat.row;
  const nodeId = deps.config.play.NODE_ID;
  const reading = { machineId, playSessionId, why: "hello", shown, nodeId, gamesGivenUp: true } as const;
  const taken = await takeReading(deps.ledger, seat.trx, reading);
  const wrong = unexplained(taken?.lines ?? []);
  const cleared = await clearAccount(deps, seat, { kind: "settle", lines: wrong });
  const differenceId = cleared ?? (await noteLines(deps, seat, wrong));
  if (taken !== null) await concludeReading(seat.trx, reading, taken, differenceId);
  return differenceId !== null;
}
