import type { Clock } from "../../../ports/clock.ts";
import type {
  EgmOrder,
  EgmRefusal,
  EgmTransferAnswer,
  EgmTransferDirection,
  EgmTransferRecord,
} from "../../../ports/egm.ts";
import type { PollOutcome, SasLine } from "../line/line.ts";
import type { LockStatus, TransferAnswer, TransferRefusal } from "../protocol/aft.ts";
import {
  interrogate,
  readLock,
  register,
  TRANSFER_FLAG,
  TRANSFER_ID_MAX,
  TRANSFER_TYPE,
  transferFunds,
  transferStatus,
} from "../protocol/aft.ts";
import type { MachineTime } from "../protocol/polls.ts";
import type { MachineFacts } from "./facts.ts";
import { pollNow } from "./facts.ts";
import type { DriverMemory, KnownTransfer } from "./memory.ts";
import type { VendorProfile } from "./profiles.ts";

/** A transfer that is pending for longer is answered as pending, ms; its record decides it later. */
const PENDING_MS_MAX = 15_000;

export type TransferDeps = {
  readonly line: SasLine;
  readonly facts: MachineFacts;
  readonly memory: DriverMemory;
  readonly clock: Clock;
  readonly profile: VendorProfile;
  readonly assetNumber: number;
  /** Minor units. */
  readonly limits: { readonly minTransfer: number; readonly maxTransfer: number };
  /** How long meters and record may lag behind an order, ms. */
  readonly settleMs: number;
  /** The cumulative meter of a direction as it is known now, minor units. */
  readonly meterOf: (direction: EgmTransferDirection) => number;
  /** Whether the machine is locked for a transfer now. */
  readonly locked: () => boolean;
  /** Why the machine cannot move money now, as the events say. */
  readonly obstacle: (direction: EgmTransferDirection) => EgmRefusal | null;
  /** Becomes durable together with the record of the transfer. */
  readonly completed: (transfer: KnownTransfer) => Promise<void>;
};

/**
 * Moves money by advanced funds transfer. The order is durable here before it leaves; the machine's own record alone says what became of
 * it. Silence, an unreadable answer and a lost link are never a refusal.
 */
export class Transfers {
  readonly #deps: TransferDeps;
  /** When the last order was no longer sent; orders of an earlier run of the driver were not sent after this one began. */
  #sentUntil: number;

  constructor(deps: TransferDeps) {
    this.#deps = deps;
    this.#sentUntil = deps.clock.now();
  }

  cashIn(order: EgmOrder): Promise<EgmTransferAnswer> {
    return this.#move("cashIn", order);
  }

  cashOut(order: EgmOrder): Promise<EgmTransferAnswer> {
    return this.#move("cashOut", order);
  }

  /**
   * What the machine's record says. Refused transfers are not kept: the machine overwrites them with the next one. An order that was really
   * sent may still be on its way, so it is called never seen only when it had the time that meters have, and its record was read after that.
   * One whose completion is first learned here counts for the meters from now on.
   */
  async transfer(transferId: string): Promise<EgmTransferRecord> {
    const { memory, clock, settleMs } = this.#deps;
    const sent = memory.transfer(transferId);
    let record = await this.#read(transferId);
    if (sent?.state !== "sent") return record;
    const leftMs = this.#sentUntil + settleMs - clock.now();
    if (record.state === "neverSeen" && leftMs > 0) {
      await new Promise<void>((passed) => clock.after(leftMs, passed));
      record = await this.#read(transferId);
    }
    if (record.state === "done") await this.#done(sent, record.amount, 0);
    return record;
  }

  async #read(transferId: string): Promise<EgmTransferRecord> {
    const { line, memory } = this.#deps;
    const current = await pollNow(line, interrogate(0), true);
    const here = current.transferId === transferId ? recordOf(current) : undefined;
    if (here !== undefined) return here;
    const place = memory.transfer(transferId)?.index ?? 0;
    const there = place === 0 ? undefined : await pollNow(line, interrogate(place), true);
    const found = there?.transferId === transferId ? recordOf(there) : undefined;
    return found ?? (await this.#search(transferId));
  }

  async #move(direction: EgmTransferDirection, order: EgmOrder): Promise<EgmTransferAnswer> {
    const malformed = malformation(direction, order);
    if (malformed !== null) return refused(malformed);
    const known = this.#deps.memory.transfer(order.transferId);
    if (known !== undefined) return this.#again(known, direction, order);
    const state = await pollNow(this.#deps.line, readLock(), true);
    const amount = order.amount ?? state.funds.cashable;
    const refusal = this.#refusal(direction, amount, order.amount === undefined, state);
    if (refusal !== null) return refused(refusal);
    if (amount === 0) return { outcome: "done", amount: 0, repeated: false };
    return this.#order(direction, order, direction === "cashIn" ? amount : Math.min(amount, state.funds.cashable));
  }

  /** An id that was ordered before. */
  async #again(known: KnownTransfer, direction: EgmTransferDirection, order: EgmOrder): Promise<EgmTransferAnswer> {
    if (known.direction !== direction || known.requested !== (order.amount ?? null)) return refused("idInUse");
    if (known.state === "done") return { outcome: "done", amount: known.amount, repeated: true };
    const answer = await this.#follow(known, await this.#deps.line.poll(interrogate(0), { urgent: true }), false);
    return { ...answer, repeated: true };
  }

  #refusal(
    direction: EgmTransferDirection,
    amount: number,
    everything: boolean,
    { funds, limit }: LockStatus,
  ): EgmRefusal | null {
    const { facts, limits, obstacle } = this.#deps;
    const blocked = obstacle(direction);
    if (blocked !== null) return blocked;
    if (amount % facts.denominationMinor !== 0) return "badAmount";
    if (direction === "cashOut") return !everything && funds.cashable === 0 ? "nothingToPay" : null;
    if (amount < limits.minTransfer) return "badAmount";
    return amount > limits.maxTransfer || (limit > 0 && amount > limit) ? "overLimit" : null;
  }

  async #order(direction: EgmTransferDirection, order: EgmOrder, amount: number): Promise<EgmTransferAnswer> {
    const { line, memory, clock, profile, assetNumber, locked, meterOf } = this.#deps;
    const transfer: KnownTransfer = {
      ...{
        id: order.transferId,
        direction,
        requested: order.amount ?? null,
        state: "sent",
        amount: 0,
        at: clock.now(),
      },
      index: 0,
      meterBefore: meterOf(direction),
    };
    await memory.keepTransfer(transfer);
    if (profile.registersEachTransfer) await pollNow(line, register("register", { assetNumber }), true);
    const poll = transferFunds({
      transferId: transfer.id,
      type: TRANSFER_TYPE[direction === "cashIn" ? "toMachine" : "toHost"],
      amounts: { cashable: amount, restricted: 0, nonRestricted: 0 },
      // What fits of a cash-in; a cash-out is exactly what the machine said it has.
      partial: direction === "cashIn",
      flags: locked() ? TRANSFER_FLAG.onlyIfLocked : 0,
      assetNumber,
      expiration: 0,
      pool: profile.pool,
      ...(profile.lockTimeoutField && { lockTimeoutMs: 0 }),
    });
    const outcome = await line.poll(poll, { urgent: true });
    this.#sentUntil = clock.now();
    return this.#follow(transfer, outcome, true);
  }

  /** Reads the current transfer until it is decided. `direct`: the outcome answers the order itself. */
  async #follow(
    transfer: KnownTransfer,
    first: PollOutcome<TransferAnswer>,
    direct: boolean,
  ): Promise<EgmTransferAnswer> {
    const { line, clock } = this.#deps;
    const until = clock.now() + PENDING_MS_MAX;
    let outcome = first;
    let answersOrder = direct;
    for (;;) {
      const decided = await this.#decide(transfer, outcome, answersOrder);
      if (decided !== undefined) return decided;
      if (outcome.is === "down" || clock.now() >= until) return { outcome: "pending", amount: 0, repeated: false };
      answersOrder = false;
      outcome = await line.poll(interrogate(0), { urgent: true });
    }
  }

  /** Undefined: not decided yet. */
  async #decide(
    transfer: KnownTransfer,
    outcome: PollOutcome<TransferAnswer>,
    answersOrder: boolean,
  ): Promise<EgmTransferAnswer | undefined> {
    if (outcome.is !== "answered") return undefined;
    const { answer } = outcome;
    const status = transferStatus(answer.status);
    const ours = answer.transferId === transfer.id;
    if (status.is === "done" && ours) return this.#done(transfer, answer.amounts.cashable, answer.index);
    if (status.is === "pending") return undefined;
    if (status.is === "refused" && (ours || answersOrder)) return this.#refused(transfer, status.reason);
    if (status.is === "incompatible" && answersOrder) return undefined;
    // The machine has moved on: its record decides.
    const record = await this.#read(transfer.id);
    if (record.state === "pending") return undefined;
    if (record.state !== "done") return answersOrder ? undefined : { outcome: "pending", amount: 0, repeated: false };
    return { ...(await this.#done(transfer, record.amount, 0)), repeated: status.is === "repeated" };
  }

  async #done(
    transfer: KnownTransfer,
    amount: number,
    index: number,
  ): Promise<EgmTransferAnswer & { outcome: "done" }> {
    await this.#deps.completed({ ...transfer, state: "done", amount, index });
    return { outcome: "done", amount, repeated: false };
  }

  /**
   * A refusal may answer a repeat of an order that was carried out already, when its first answer was lost and the door was opened between.
   * The newest place of the history shows that.
   */
  async #refused(transfer: KnownTransfer, reason: TransferRefusal): Promise<EgmTransferAnswer | undefined> {
    const newest = await this.#deps.line.poll(interrogate(-1), { urgent: true });
    if (newest.is !== "answered") return undefined;
    const { transferId, status, amounts, index } = newest.answer;
    if (transferId === transfer.id && transferStatus(status).is === "done")
      return this.#done(transfer, amounts.cashable, index);
    await this.#deps.memory.forgetTransfer(transfer.id);
    return refused(REFUSALS[reason] ?? this.#deps.obstacle(transfer.direction) ?? "outOfService");
  }

  /** Goes through the machine's history, newest first. */
  async #search(transferId: string): Promise<EgmTransferRecord> {
    const { line, facts } = this.#deps;
    const places = facts.aft?.historyPlaces ?? 0;
    let oldestAt: number | null = null;
    const seen = new Set<number>();
    for (let back = 1; back <= places; back += 1) {
      const answer = await pollNow(line, interrogate(-back), true);
      // Behind its oldest record a machine says so, or begins again at its newest.
      if (transferStatus(answer.status).is === "none" || answer.transferId === "" || seen.has(answer.index)) break;
      seen.add(answer.index);
      oldestAt = timeOf(answer.at) ?? oldestAt;
      const record = answer.transferId === transferId ? recordOf(answer) : undefined;
      if (record !== undefined) return record;
    }
    return { state: "neverSeen", transferId, oldestAt };
  }
}

const refused = (reason: EgmRefusal): EgmTransferAnswer => ({ outcome: "refused", amount: 0, reason, repeated: false });

/** Those whose reason is the order itself; all others are the machine's state. */
const REFUSALS: Readonly<Partial<Record<TransferRefusal, EgmRefusal>>> = {
  badAmount: "badAmount",
  notWholeCredits: "badAmount",
  noPartial: "badAmount",
  overLimit: "overLimit",
  nothingToPay: "nothingToPay",
  badId: "badId",
  notLocked: "locked",
};

function malformation(direction: EgmTransferDirection, { transferId, amount }: EgmOrder): EgmRefusal | null {
  const printable = /^[\x20-\x7e]+$/.test(transferId) && transferId.length <= TRANSFER_ID_MAX;
  // Trailing blanks are not told apart from filling.
  if (!printable || transferId.endsWith(" ")) return "badId";
  if (amount === undefined) return direction === "cashOut" ? null : "badAmount";
  return Number.isSafeInteger(amount) && amount > 0 && amount < 10_000_000_000 ? null : "badAmount";
}

function recordOf(answer: TransferAnswer): EgmTransferRecord | undefined {
  const { transferId, type, amounts } = answer;
  const direction: EgmTransferDirection = type === TRANSFER_TYPE.toMachine ? "cashIn" : "cashOut";
  const at = timeOf(answer.at) ?? 0;
  const status = transferStatus(answer.status);
  if (status.is === "done") return { state: "done", transferId, direction, amount: amounts.cashable, at };
  if (status.is === "pending") return { state: "pending", transferId, direction, amount: 0, at };
  return undefined;
}

/** The machine's clock has no zone: its times are taken for this computer's. */
function timeOf(at: MachineTime | undefined): number | undefined {
  if (at === undefined) return undefined;
  return new Date(at.year, at.month - 1, at.day, at.hour, at.minute, at.second).getTime();
}
