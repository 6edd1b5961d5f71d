import type { MachineShown } from "../books/index.ts";
import { clearAccount, concludeReading, noteLines, takeReading, unexplained } from "../books/index.ts";
import type { PlayDeps } from "../deps.ts";
import { storeMeters } from "../machines.ts";
import type { RestoresTables } from "../restores/index.ts";
import { uncompared } from "../restores/index.ts";
import type { OpenSeat, Seats } from "../seat/index.ts";
import { endPlaySession } from "../seat/index.ts";
import type { MetersNow } from "../tables.ts";
import { isOpen } from "../tables.ts";
import { EventWaits, markLeftUnknown, newTransferId, recoverTransfer } from "../wallet/index.ts";
import type { PlayParts } from "./deps.ts";
import { finishesFor, holdSeat } from "./holder.ts";

/** `later`: something must happen first (a game ends, an event comes, staff, the agent); the seat's time tries again. */
export type Settled = "settled" | "later";

/** Rounds of one settling: cash out, look again, close. More would mean that credits keep appearing. */
const ROUNDS_MAX = 4;

/** Settles one machine at a time, and each machine once at a time on this node. */
export class Settler {
  readonly #parts: PlayParts;
  readonly #running = new Map<string, Promise<Settled>>();
  /** Events that a machine has counted are waited for before the rest goes to suspense. */
  readonly #waits: EventWaits;
  /** The epoch whose grant the agent has given up, by machine. */
  readonly #revoked = new Map<string, number>();

  constructor(parts: PlayParts) {
    this.#parts = parts;
    this.#waits = new EventWaits(parts.deps.clock);
  }

  settle(machineId: string): Promise<Settled> {
    const already = this.#running.get(machineId);
    if (already !== undefined) return already;
    const run = this.#settleRounds(machineId).finally(() => this.#running.delete(machineId));
    this.#running.set(machineId, run);
    return run;
  }

  async #settleRounds(machineId: string): Promise<Settled> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const done = await this.#settleOnce(machineId);
      if (done !== "again") return done;
    }
    return "later";
  }

  async #settleOnce(machineId: string): Promise<Settled | "again"> {
    const { deps, seats, agents, wallet } = this.#parts;
    const seat = await deps.db
      .selectFrom("seat as s")
      .innerJoin("machine as m", "m.id", "s.machine_id")
      .select(["s.state", "s.ending", "s.epoch", "m.taken_seq"])
      .where("s.machine_id", "=", machineId)
      .executeTakeFirst();
    if (!seat || seat.state === "free") return "settled";
    // After a restore it must first be known whose credits they are.
    if ((await uncompared(deps.db.withTables<RestoresTables>(), [machineId])).length > 0 && seat.state === "ending")
      return "later";
    if (seat.state === "agentAway" && seat.ending !== null)
      return await seats.within(machineId, (open) => settleUntouched(deps, open));
    if (seat.state === "transferUnknown" && (await recoverTransfer(wallet, machineId))) return "again";
    if (seat.state !== "ending" && seat.state !== "draining") return "later";
    if (finishesFor(seat) !== undefined) {
      await holdSeat(this.#parts, machineId);
      return "later";
    }
    if (!(await this.#pressesAreOver(machineId, seat.epoch)) || seat.state === "draining") return "later";
    // A transfer that began before the end may still move credits, so the meters prove nothing now. No further one begins.
    if (await wallet.hasOpenTransfer(machineId)) {
      await markLeftUnknown(wallet);
      return "later";
    }
    const read = await agents.request("egm.meters", { machineId });
    if (read.is !== "done") return "later";
    const { meters, totals } = read.data;
    if (!(await isCalm(seats, machineId, meters, seat.taken_seq))) return "later";
    if (meters.credit > 0) {
      const outcome = await wallet.cashOutAll(machineId, newTransferId(deps.random));
      if (outcome?.is === "done") return "again";
      if (outcome?.is === "refused") await seats.within(machineId, (open) => open.happen("cashOutRefused"));
      return "later";
    }
    const taken = await this.#allTaken(machineId, read.data);
    if (taken === "wait") return "later";
    const shown = { meters, totals, takenSeq: seat.taken_seq, gamesGivenUp: taken === "givenUp" };
    const settled = await seats.within(machineId, (open) => settleNow(deps, open, shown));
    if (settled === "settled") this.#revoked.delete(machineId);
    return settled;
  }

  /**
   * Before the credits are cashed out, the agent gives up the player's grant: presses of the data channel do not pass through the
   * platform, and a player who kept pressing could begin game after game and never be cashed out.
   */
  async #pressesAreOver(machineId: string, epoch: number): Promise<boolean> {
    if (this.#revoked.get(machineId) === epoch) return true;
    const answer = await this.#parts.agents.request("seat.revoke", { machineId, epoch });
    // A refusal is as good: the agent knows a higher epoch, so this one's presses are refused already.
    if (answer.is !== "done" && answer.is !== "refused") return false;
    this.#revoked.set(machineId, epoch);
    return true;
  }

  /** Whether every game that the machine has counted is in the history; what never comes is not waited for without end. */
  async #allTaken(
    machineId: string,
    { meters, eventsWait }: { readonly meters: MetersNow; readonly eventsWait?: boolean | undefined },
  ): Promise<"taken" | "wait" | "givenUp"> {
    const { db, alarms } = this.#parts.deps;
    const { taken_game, taken_seq } = await db
      .selectFrom("machine")
      .select(["taken_game", "taken_seq"])
      .where("id", "=", machineId)
      .executeTakeFirstOrThrow();
    if (meters.gamesPlayed > taken_game && !this.#waits.areOver(machineId, taken_seq, eventsWait)) return "wait";
    this.#waits.forget(machineId);
    if (meters.gamesPlayed <= taken_game) return "taken";
    await alarms.keep(db, {
      alarm: "events",
      subject: `machine:${machineId}`,
      machineId,
      facts: { machineId, counted: meters.gamesPlayed, taken: taken_game },
      sentence: "counted games were never reported",
    });
    return "givenUp";
  }
}

/** What a machine showed when its events up to `takenSeq` were stored. */
type Shown = MachineShown & { readonly takenSeq: number };

/** False when something runs or is owed that must be complete first; then the meters are written down. */
async function isCalm(seats: Seats, machineId: string, meters: MetersNow, takenSeq: number): Promise<boolean> {
  if (!meters.inGame && !meters.bonus && meters.handPay === undefined) return true;
  await seats.within(machineId, async (seat) => {
    if (await storeMeters(seat.trx, machineId, meters, takenSeq))
      await seat.happen(meters.handPay === undefined ? "gameStarted" : "handPayPending");
  });
  return false;
}

/** The machine is empty: it is compared with the books, a difference goes to suspense, the play session is closed and the seat is free. */
async function settleNow(
  deps: PlayDeps,
  seat: OpenSeat,
  shown: Shown & { readonly gamesGivenUp: boolean },
): Promise<Settled> {
  if (seat.row.state !== "ending") return "later";
  // Another node may be settling too, and its cash-out is what emptied the machine.
  if (await openTransfer(seat)) return "later";
  await reconcileSession(deps, seat, shown);
  await storeMeters(seat.trx, seat.row.machine_id, shown.meters, shown.takenSeq);
  await closePlaySession(seat);
  return "settled";
}

/** The identities of the field notes' section 3.3 for this play session, with what follows when they do not hold. */
async function reconcileSession(
  deps: PlayDeps,
  seat: OpenSeat,
  { meters, totals, gamesGivenUp }: Shown & { readonly gamesGivenUp: boolean },
): Promise<void> {
  const { machine_id: machineId, play_session_id: playSessionId } = seat.row;
  const nodeId = deps.config.play.NODE_ID;
  const reading = {
    machineId,
    playSessionId,
    why: "settled",
    shown: { meters, totals },
    nodeId,
    gamesGivenUp,
  } as const;
  const taken = await takeReading(deps.ledger, seat.trx, reading);
  const wrong = unexplained(taken?.lines ?? []);
  const toSuspense = await clearAccount(deps, seat, { kind: "settle", lines: wrong });
  const differenceId = toSuspense ?? (await noteLines(deps, seat, wrong));
  if (taken !== null) await concludeReading(seat.trx, reading, taken, differenceId);
}

/** Nothing ever went onto the machine, so nothing can be on it: its agent is not needed. */
async function settleUntouched({ log }: PlayDeps, seat: OpenSeat): Promise<Settled> {
  const { credit } = await seat.facts();
  const session = await seat.trx
    .selectFrom("play_session")
    .select(["cashed_in", "games"])
    .where("id", "=", seat.row.play_session_id)
    .executeTakeFirst();
  if (!session || credit !== 0 || session.cashed_in > 0 || session.games > 0) return "later";
  if (await openTransfer(seat)) return "later";
  log.info({ machineId: seat.row.machine_id }, "an untouched play session is settled without its agent");
  await closePlaySession(seat);
  return "settled";
}

async function openTransfer(seat: OpenSeat): Promise<boolean> {
  const open = await seat.trx
    .selectFrom("machine_transfer")
    .select("id")
    .where("machine_id", "=", seat.row.machine_id)
    .where(isOpen())
    .executeTakeFirst();
  return open !== undefined;
}

/** The play session is over and the seat is free. */
export async function closePlaySession(seat: OpenSeat): Promise<void> {
  const { player_id: playerId, play_session_id: id, ending } = seat.row;
  await endPlaySession(seat.trx, id, ending ?? "left");
  await seat.happen("settled");
  if (playerId !== null) seat.announce("balance.changed", { playerId });
}
