import type { EgmMoneyAnswer, EgmTransferAnswer, MoneyCommand, MoneyRefusal } from "@longarm/contract/agent-link";
import type { LockupRefusal } from "@longarm/contract/machine";
import { isLockupRefusal } from "@longarm/contract/machine";
import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { Journal } from "../journal/journal.ts";
import type { TransferMeters, TransferOutcome } from "../journal/records.ts";
import type { MachineMemory, TransferEntry } from "../journal/state.ts";
import { rememberDeclined } from "../journal/state.ts";
import type { MachineQueue } from "../machine/machine-queue.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm, EgmMeters, EgmRefusal, EgmTransferAnswer as MachineAnswer } from "../ports/egm.ts";
import type { Grants } from "../seat/grants.ts";
import type { Steps } from "./money-steps.ts";
import type { UnderWay } from "./under-way.ts";

export type Direction = TransferEntry["direction"];

/** Below the link's own 8 s, so that the agent answers "unknown" itself and names the reason. */
export const MACHINE_SILENCE_MS_MAX = 6_000;

/** Longer than a machine that answers needs; the machine ends a lock that its agent did not, ms. */
const LOCK_MS = 10_000;

export type MoneyDeskDeps = {
  readonly machineId: string;
  readonly egm: Egm;
  readonly journal: Journal;
  readonly grants: Grants;
  readonly queue: MachineQueue;
  /** Of the machine, whichever driver is open. */
  readonly underWay: UnderWay;
  readonly clock: Clock;
  readonly steps: Steps;
};

/** What came of a transfer: decided for ever, or not known yet. */
type Decision = TransferOutcome | "unknown";

/** Why the desk refuses: the kind for the player, and a sentence for the log. */
type Refused = { readonly refusal: MoneyRefusal; readonly reason: string };

const DRIVER_CLOSED = "the machine's driver was closed meanwhile";

/** Moves money on one machine over one opened driver, each id at most once across kill -9. */
export class MoneyDesk {
  readonly #deps: MoneyDeskDeps;
  readonly #memory: Readonly<MachineMemory>;
  #closed = false;

  constructor(deps: MoneyDeskDeps) {
    this.#deps = deps;
    this.#memory = deps.journal.machine(deps.machineId);
  }

  /**
   * A known id with the same content returns its first outcome, whatever the epoch. Refuses with: transfer.id_conflict. A new id of an
   * old epoch, or while the journal cannot be written, is `refused`: nothing went to the machine, and no copy of that id ever will.
   */
  async order(direction: Direction, command: MoneyCommand): Promise<Handled<EgmMoneyAnswer>> {
    const { queue, underWay, clock, steps } = this.#deps;
    const work = underWay.during(command.transferId, async () => {
      await steps(`${direction}.received`);
      return await queue.money(() => this.#decide(direction, command));
    });
    const answer = await withPatience(clock, work);
    // After the answer has left: the link sends it before any timer runs.
    clock.after(0, () => void steps(`${direction}.answered`));
    return answer;
  }

  /**
   * `egm.transfer`: what is known of an id. Answering `neverSeen` is a promise, durable before it is given; a command that waits or runs is
   * `pending` and never promised away.
   * Refuses with: machine.unreachable (machine or journal do not answer now).
   */
  async readBack(id: string): Promise<Handled<EgmTransferAnswer>> {
    if (this.#deps.underWay.has(id)) return done({ record: "pending", amount: 0 });
    const known = this.#memory.transfers.get(id);
    if (known === undefined) {
      if (this.#memory.forgotten.has(id)) return done({ record: "neverSeen", amount: 0 });
      return await this.#promiseNeverSeen(id);
    }
    if (known.outcome === undefined) await this.#deps.queue.money(() => this.#settle(id));
    const { outcome } = this.#memory.transfers.get(id) ?? {};
    return done(outcome === undefined ? { record: "pending", amount: 0 } : recordOf(outcome));
  }

  /** Decides every open intent by the machine's own record; false when one is still open. */
  async recover(): Promise<boolean> {
    return await this.#deps.queue.money(async () => {
      // An agent that was killed during a transfer has left its lock behind.
      if (this.#deps.egm.description.capabilities.locks) await this.#deps.egm.unlock();
      return await this.#settleAll();
    });
  }

  /**
   * The driver is being closed: from now on nothing is sent over it. Commands that wait end as *unknown*, never as a refusal, because the desk of
   * the next driver may have got a copy of them. Call it before the driver is closed.
   */
  close(): void {
    this.#closed = true;
  }

  /** Decides one command, while it has the machine's queue. */
  async #decide(direction: Direction, command: MoneyCommand): Promise<Handled<EgmMoneyAnswer>> {
    const { egm, journal, machineId, underWay, clock } = this.#deps;
    const { transferId: id, epoch } = command;
    if (this.#closed) return done(unknown(DRIVER_CLOSED));
    const known = this.#memory.transfers.get(id);
    if (known !== undefined) {
      if (!isSame(known, direction, command)) return refused("transfer.id_conflict");
      const decision = await this.#settle(id);
      return done(decision === "unknown" ? unknown("the machine cannot say yet") : answerOf(decision));
    }
    if (underWay.promising.has(id) || this.#memory.forgotten.has(id) || this.#memory.declined.has(id))
      return done(no({ refusal: "other", reason: "this id was given up" }));
    const obstacle = (await this.#obstacle(direction, command)) ?? (await lock(egm));
    if (obstacle !== undefined) return this.#decline(id, obstacle);
    const before = await metersBefore(egm);
    if (before === undefined) {
      unlock(egm);
      return this.#decline(id, { refusal: "unreachable", reason: "the machine does not answer" });
    }
    // The machine may have taken long to answer, and what was read may be old by now.
    if (this.#closed) return done(unknown(DRIVER_CLOSED));
    try {
      const amount = command.amount ?? null;
      await journal.append({ t: "intent", m: machineId, id, direction, amount, epoch, at: clock.now(), before });
    } catch (error) {
      unlock(egm);
      const reason = error instanceof Error ? error.message : String(error);
      return this.#decline(id, { refusal: "agentFault", reason });
    }
    return done(await this.#apply(direction, command).finally(() => unlock(egm)));
  }

  async #obstacle(direction: Direction, { epoch, amount }: MoneyCommand): Promise<Refused | undefined> {
    const { grants, egm } = this.#deps;
    const isOld = epoch < grants.epoch();
    const reason = await grants.admit(epoch);
    // An epoch that is not old is refused only when it cannot be written down.
    if (reason !== undefined) return { refusal: isOld ? "staleEpoch" : "agentFault", reason };
    if (direction === "cashIn" && amount === undefined)
      return { refusal: "amountOutsideLimits", reason: "a cash-in needs its amount" };
    if ((amount ?? 0) % egm.description.denominationMinor !== 0)
      return { refusal: "amountOutsideLimits", reason: "badAmount" };
    if (await this.#settleAll()) return undefined;
    return { refusal: "beingChecked", reason: "another transfer is being checked" };
  }

  #decline(id: string, why: Refused): Handled<EgmMoneyAnswer> {
    if (this.#closed) return done(unknown(DRIVER_CLOSED));
    rememberDeclined(this.#memory, id);
    return done(no(why));
  }

  /** Sends a command to the machine whose intent is journalled. */
  async #apply(direction: Direction, command: MoneyCommand): Promise<EgmMoneyAnswer> {
    const { egm, steps } = this.#deps;
    await steps(`${direction}.journalled`);
    // The intent is open, and the next driver's desk decides it by the machine's record.
    if (this.#closed) return unknown(DRIVER_CLOSED);
    const decision = await requestMachine(egm, direction, command);
    await steps(`${direction}.machineDone`);
    await this.#keep(command.transferId, decision);
    await steps(`${direction}.outcomeJournalled`);
    return decision === "unknown" ? unknown("the machine gave no clear answer") : withRefusal(decision);
  }

  /** The outcome of an intent, read from the machine when a crash or a silent machine left it open. */
  async #settle(id: string): Promise<Decision> {
    const entry = this.#memory.transfers.get(id);
    if (entry?.outcome !== undefined) return entry.outcome;
    const decision = await readDecision(this.#deps.egm, id, entry);
    await this.#keep(id, decision);
    return decision;
  }

  /** True when no intent is open any more. */
  async #settleAll(): Promise<boolean> {
    const open = () => [...this.#memory.transfers.values()].filter(({ outcome }) => outcome === undefined);
    for (const entry of open()) await this.#settle(entry.id);
    return open().length === 0;
  }

  /** Failing to keep a decision is harmless: the intent stays open and the machine's record decides again. */
  async #keep(id: string, decision: Decision): Promise<void> {
    if (decision === "unknown") return;
    const { journal, machineId } = this.#deps;
    await journal.append({ t: "outcome", m: machineId, id, ...decision }).catch(() => undefined);
  }

  /** A machine may need longer to search its records than the platform waits. A second request for the same id waits for the running search. */
  #promiseNeverSeen(id: string): Promise<Handled<EgmTransferAnswer>> {
    const { promising } = this.#deps.underWay;
    const running = promising.get(id);
    if (running !== undefined) return running;
    const promised = this.#lookAndPromise(id).finally(() => promising.delete(id));
    promising.set(id, promised);
    return promised;
  }

  async #lookAndPromise(id: string): Promise<Handled<EgmTransferAnswer>> {
    const { egm, journal, machineId } = this.#deps;
    try {
      // The journal may be younger than the machine's memory (a new computer beside an old machine), so the machine's record counts too.
      const record = await egm.transfer(id);
      if (record.state !== "neverSeen") return done({ record: record.state, amount: record.amount });
      await journal.append({ t: "forgotten", m: machineId, id });
      return done({ record: "neverSeen", amount: 0 });
    } catch (error) {
      return refused("machine.unreachable", { detail: error instanceof Error ? error.message : String(error) });
    }
  }
}

/**
 * A money command while the machine's driver is closed: only the journal knows anything. An unknown id is `refused`, for nothing was sent;
 * one whose outcome is open is `unknown`, as is one of which a copy still runs. Refuses with: transfer.id_conflict.
 */
export function orderWhileClosed(
  { journal, underWay }: Pick<MoneyDeskDeps, "journal" | "underWay">,
  direction: Direction,
  command: MoneyCommand,
): Handled<EgmMoneyAnswer> {
  const memory = journal.machine(command.machineId);
  const known = memory.transfers.get(command.transferId);
  const reason = "the machine cannot be reached";
  if (known === undefined) {
    if (underWay.has(command.transferId)) return done(unknown(reason));
    rememberDeclined(memory, command.transferId);
    return done(no({ refusal: "unreachable", reason }));
  }
  if (!isSame(known, direction, command)) return refused("transfer.id_conflict");
  return done(known.outcome ? answerOf(known.outcome) : unknown(reason));
}

/** A read-back while the driver is closed. Refuses with: machine.unreachable, when the journal alone cannot say. */
export function readBackWhileClosed(
  journal: Journal,
  machineId: string,
  transferId: string,
): Handled<EgmTransferAnswer> {
  const memory = journal.machine(machineId);
  const outcome = memory.transfers.get(transferId)?.outcome;
  if (outcome !== undefined) return done(recordOf(outcome));
  if (memory.forgotten.has(transferId)) return done({ record: "neverSeen", amount: 0 });
  return refused("machine.unreachable");
}

function isSame(known: TransferEntry, direction: Direction, { amount }: MoneyCommand): boolean {
  return known.direction === direction && known.amount === (amount ?? null);
}

const recordOf = ({ outcome, amount, lost }: TransferOutcome): EgmTransferAnswer =>
  lost === undefined ? { record: outcome, amount } : { record: "lost", amount: lost };

/** A command whose record is lost is no plain refusal: the platform must read it back to learn that. */
const answerOf = (outcome: TransferOutcome): EgmMoneyAnswer =>
  outcome.lost === undefined ? withRefusal(outcome) : unknown("the machine has lost its record of it");

/** Moves the money on the machine. Silence and nonsense are *unknown*, never "no". */
async function requestMachine(egm: Egm, direction: Direction, command: MoneyCommand): Promise<Decision> {
  try {
    return decisionOf(await egm[direction](command));
  } catch {
    return "unknown";
  }
}

function decisionOf(answer: MachineAnswer): Decision {
  if (answer.outcome === "pending") return "unknown";
  if (answer.outcome === "done") return { outcome: "done", amount: answer.amount };
  // The machine knows this id with another content: only its own record can say what moved under it.
  if (answer.reason === "idInUse") return "unknown";
  return { outcome: "refused", amount: 0, reason: answer.reason };
}

/** Undefined: the machine does not answer, so nothing is ordered. */
async function metersBefore(egm: Egm): Promise<TransferMeters | undefined> {
  try {
    return transferMeters(await egm.meters());
  } catch {
    return undefined;
  }
}

const transferMeters = ({ totals }: EgmMeters): TransferMeters => ({
  cashIn: totals.cashInTotal,
  cashOut: totals.cashOutTotal,
});

/**
 * Reads the machine's own record of an intent that may have been sent. "Never seen" decides it as refused, if the meters agree: this agent alone
 * orders transfers and orders none while an intent is open. Where the meter of its direction has moved, the machine has lost the record (it was
 * cleared, or somebody else moved money); what moved then is for a person to explain, never for us to guess.
 */
async function readDecision(egm: Egm, id: string, entry: TransferEntry | undefined): Promise<Decision> {
  try {
    const record = await egm.transfer(id);
    if (record.state === "done") return { outcome: "done", amount: record.amount };
    if (record.state === "refused") return { outcome: "refused", amount: 0, reason: record.reason };
    if (record.state === "pending") return "unknown";
    if (entry?.before !== undefined) {
      const moved = transferMeters(await egm.meters())[entry.direction] - entry.before[entry.direction];
      const lost = Math.max(0, moved);
      if (moved !== 0) return { outcome: "refused", amount: 0, reason: "the machine has lost its record of it", lost };
    }
    return { outcome: "refused", amount: 0, reason: "never reached the machine" };
  } catch {
    return "unknown";
  }
}

/**
 * Keeps wagers away from the machine while money moves, also those of the machine's own buttons. A machine that can be locked and is not now moves
 * no money: nothing was ordered yet, so "no" is certain.
 */
async function lock(egm: Egm): Promise<Refused | undefined> {
  if (!egm.description.capabilities.locks) return undefined;
  try {
    const answer = await egm.lock(LOCK_MS);
    return answer.outcome === "locked" ? undefined : { refusal: refusalOf(answer.reason), reason: answer.reason };
  } catch {
    return { refusal: "unreachable", reason: "the machine does not answer" };
  }
}

/** The answer does not wait for it, and a machine that misses it ends the lock by its time. */
function unlock(egm: Egm): void {
  if (egm.description.capabilities.locks) egm.unlock().catch(() => undefined);
}

/** What the player reads when the machine refuses for one of its reasons. Every lockup needs an attendant. */
const OTHER_REFUSALS = {
  unknownButton: "other",
  locked: "attendant",
  inGame: "inGame",
  tooSoon: "busy",
  held: "other",
  noCredit: "nothingToPay",
  stakeAboveLimit: "amountOutsideLimits",
  stakeChanged: "other",
  atLimit: "amountOutsideLimits",
  badAmount: "amountOutsideLimits",
  badId: "other",
  overLimit: "amountOutsideLimits",
  idInUse: "idConflict",
  nothingToPay: "nothingToPay",
} as const satisfies Record<Exclude<EgmRefusal, LockupRefusal>, MoneyRefusal>;

/** Journals keep the machine's reason as it was written, also by an older version. */
function refusalOf(reason: string): MoneyRefusal {
  if (isLockupRefusal(reason)) return "attendant";
  return Object.hasOwn(OTHER_REFUSALS, reason) ? OTHER_REFUSALS[reason as keyof typeof OTHER_REFUSALS] : "other";
}

/** A decision as it goes to the platform: a refusal with its kind. */
export function withRefusal(outcome: TransferOutcome): EgmMoneyAnswer {
  return outcome.outcome === "refused" ? { ...outcome, refusal: refusalOf(outcome.reason ?? "") } : outcome;
}

function no({ refusal, reason }: Refused): EgmMoneyAnswer {
  return { outcome: "refused", amount: 0, refusal, reason: reason.slice(0, 200) };
}

function unknown(reason: string): EgmMoneyAnswer {
  return { outcome: "unknown", amount: 0, reason };
}

/** The command keeps the queue until the machine has answered, however late; the platform gets "unknown" in time. */
function withPatience(clock: Clock, work: Promise<Handled<EgmMoneyAnswer>>): Promise<Handled<EgmMoneyAnswer>> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(MACHINE_SILENCE_MS_MAX, () => resolve(done(unknown("the machine is silent"))));
    void work.then(resolve, reject).finally(stop);
  });
}
