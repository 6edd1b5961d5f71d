import type { EgmMoneyAnswer, EgmTransferAnswer, MoneyRefusal } from "@longarm/contract/agent-link";
import type { Handled } from "@longarm/link/answer";
import { done, refused as refuse, refused } from "@longarm/link/answer";
import type { Journal } from "../journal/journal.ts";
import type { TransferEntry } from "../journal/state.ts";
import { rememberDeclined } from "../journal/state.ts";
import type { Turns } from "../machine/turns.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm } from "../ports/egm.ts";
import type { Grants } from "../seat/grants.ts";
import type { Decision } from "./ask-machine.ts";
import { askMachine, readDecision, refusalOfMachine, withRefusal } from "./ask-machine.ts";
import type { Steps } from "./steps.ts";

/** A money command as the platform asks it. `amount` undefined: everything (cash-out only). */
export type MoneyAsk = { epoch: number; transferId: string; amount?: number | undefined };
export type Direction = TransferEntry["direction"];
export type MoneyAnswer = EgmMoneyAnswer;

/** Below the link's own 8 s, so that "unknown" comes from us and names its reason. */
export const MACHINE_SILENCE_MS_MAX = 6_000;

/** Longer than a machine that answers needs; the machine ends a lock that its agent did not, ms. */
const LOCK_MS = 10_000;

export type MoneyDeskDeps = {
  readonly machineId: string;
  readonly egm: Egm;
  readonly journal: Journal;
  readonly grants: Grants;
  readonly turns: Turns;
  readonly clock: Clock;
  readonly steps: Steps;
};

/** Moves money on one machine, each id at most once across kill -9. */
export interface MoneyDesk {
  /**
   * A known id with the same content answers its first outcome, whatever the epoch. Refuses with: transfer.id_conflict. A new id of an
   * old epoch, or while the journal cannot be written, is answered `refused`: the machine was not asked, and no copy of that id ever asks it.
   */
  order(direction: Direction, ask: MoneyAsk): Promise<Handled<MoneyAnswer>>;
  /** `egm.transfer` of the link. */
  readBack(transferId: string): ReturnType<typeof readBack>;
  /** Decides every open intent by the machine's own record; false when one is still open. */
  recover(): Promise<boolean>;
}

export function createMoneyDesk(deps: MoneyDeskDeps): MoneyDesk {
  const { machineId, egm, journal, turns, clock, steps } = deps;
  const underWay = createUnderWay();
  const promising = new Set<string>();
  const settler = createSettler(deps);
  const settle = async (id: string): Promise<void> => {
    await turns.money(() => settler.settle(id));
  };
  const decide = createDecide({ ...deps, promising, settler });

  return {
    order: async (direction, ask) => {
      const leave = underWay.enter(ask.transferId);
      const work = (async () => {
        await steps(`${direction}.received`);
        return await turns.money(() => decide(direction, ask));
      })().finally(leave);
      const answer = await withPatience(clock, work);
      // After the answer has left: the link sends it before any timer runs.
      clock.after(0, () => void steps(`${direction}.answered`));
      return answer;
    },
    readBack: (transferId) =>
      readBack({ machineId, egm, journal, promising, underWay: underWay.has, settle }, transferId),
    recover: () =>
      turns.money(async () => {
        // An agent that was killed during a transfer has left its lock behind.
        await egm.unlock();
        return await settler.settleAll();
      }),
  };
}

type DecideDeps = MoneyDeskDeps & { promising: ReadonlySet<string>; settler: Settler };

/** Decides one command, in the machine's turn. */
function createDecide(deps: DecideDeps) {
  const { machineId, egm, journal, grants, clock, steps, promising, settler } = deps;
  const memory = journal.machine(machineId);

  function decline(id: string, refused: Refused): Handled<MoneyAnswer> {
    rememberDeclined(memory, id);
    return done(no(refused));
  }

  async function whyNot(direction: Direction, { epoch, amount }: MoneyAsk): Promise<Refused | undefined> {
    const isOld = epoch < grants.epoch();
    const reason = await grants.admit(epoch);
    // An epoch that is not old is refused only when it cannot be written down.
    if (reason !== undefined) return { refusal: isOld ? "staleEpoch" : "agentFault", reason };
    if (direction === "cashIn" && amount === undefined)
      return { refusal: "amountOutsideLimits", reason: "a cash-in needs its amount" };
    if ((amount ?? 0) % egm.description.denominationMinor !== 0)
      return { refusal: "amountOutsideLimits", reason: "badAmount" };
    if (await settler.settleAll()) return undefined;
    return { refusal: "beingChecked", reason: "another transfer is being checked" };
  }

  /** Of an intent that is journalled. */
  async function apply(entry: TransferEntry): Promise<MoneyAnswer> {
    await steps(`${entry.direction}.journalled`);
    const decision = await askMachine(egm, entry);
    await steps(`${entry.direction}.machineDone`);
    await settler.keep(entry.id, decision);
    await steps(`${entry.direction}.outcomeJournalled`);
    return decision === "unknown" ? unknown("the machine gave no clear answer") : withRefusal(decision);
  }

  return async (direction: Direction, ask: MoneyAsk): Promise<Handled<MoneyAnswer>> => {
    const { transferId, epoch } = ask;
    const amount = ask.amount ?? null;
    const known = memory.transfers.get(transferId);
    if (known !== undefined) {
      const same = known.direction === direction && known.amount === amount;
      if (!same) return refuse("transfer.id_conflict");
      const decision = await settler.settle(transferId);
      return done(decision === "unknown" ? unknown("the machine cannot say yet") : withRefusal(decision));
    }
    const givenUp = promising.has(transferId) || memory.forgotten.has(transferId) || memory.declined.has(transferId);
    if (givenUp) return done(no({ refusal: "other", reason: "this id was given up" }));
    const refused = (await whyNot(direction, ask)) ?? (await lock(egm));
    if (refused !== undefined) return decline(transferId, refused);
    const entry = { id: transferId, direction, amount, epoch, at: clock.now() };
    try {
      await journal.append({ t: "intent", m: machineId, ...entry });
    } catch (error) {
      unlock(egm);
      const reason = error instanceof Error ? error.message : String(error);
      return decline(transferId, { refusal: "agentFault", reason });
    }
    return done(await apply(entry).finally(() => unlock(egm)));
  };
}

/**
 * Keeps wagers away from the machine while money moves, also those of the machine's own buttons. A machine that cannot be locked moves no
 * money: nothing was ordered yet, so "no" is certain.
 */
async function lock(egm: Egm): Promise<Refused | undefined> {
  try {
    const answer = await egm.lock(LOCK_MS);
    if (answer.outcome === "locked") return undefined;
    return { refusal: refusalOfMachine[answer.reason], reason: answer.reason };
  } catch {
    return { refusal: "unreachable", reason: "the machine does not answer" };
  }
}

/** The answer does not wait for it, and a machine that misses it ends the lock by its time. */
function unlock(egm: Egm): void {
  egm.unlock().catch(() => undefined);
}

/** The turn is kept until the machine has answered, however late; the platform gets "unknown" in time. */
function withPatience(clock: Clock, work: Promise<Handled<MoneyAnswer>>): Promise<Handled<MoneyAnswer>> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(MACHINE_SILENCE_MS_MAX, () => resolve(done(unknown("the machine is silent"))));
    void work.then(resolve, reject).finally(stop);
  });
}

/** Why the desk refuses: the kind for the player, and a sentence for the log. */
type Refused = { readonly refusal: MoneyRefusal; readonly reason: string };

function no({ refusal, reason }: Refused): MoneyAnswer {
  return { outcome: "refused", amount: 0, refusal, reason: reason.slice(0, 200) };
}

function unknown(reason: string): MoneyAnswer {
  return { outcome: "unknown", amount: 0, reason };
}

/** Commands that wait or run, by id, so that a read-back says `pending` and never promises such an id away. */
interface UnderWay {
  has(id: string): boolean;
  /** Answers how to leave. */
  enter(id: string): () => void;
}

function createUnderWay(): UnderWay {
  const counts = new Map<string, number>();
  return {
    has: (id) => counts.has(id),
    enter: (id) => {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      return () => {
        const left = (counts.get(id) ?? 1) - 1;
        if (left === 0) counts.delete(id);
        else counts.set(id, left);
      };
    },
  };
}

/** Decides intents that a crash or a silent machine left open, by the machine's own record. Used in the machine's turn. */
interface Settler {
  /** The outcome of an intent, read from the machine when the journal has none. */
  settle(id: string): Promise<Decision>;
  /** True when no intent is open any more. */
  settleAll(): Promise<boolean>;
  open(): TransferEntry[];
  /** Keeps a decision. Failing to is harmless: the intent stays open and the machine's record decides again. */
  keep(id: string, decision: Decision): Promise<void>;
}

function createSettler({ machineId, egm, journal }: { machineId: string; egm: Egm; journal: Journal }): Settler {
  const { transfers } = journal.machine(machineId);

  const settler: Settler = {
    settle: async (id) => {
      const known = transfers.get(id)?.outcome;
      if (known !== undefined) return known;
      const decision = await readDecision(egm, id);
      await settler.keep(id, decision);
      return decision;
    },
    settleAll: async () => {
      for (const entry of settler.open()) await settler.settle(entry.id);
      return settler.open().length === 0;
    },
    open: () => [...transfers.values()].filter((entry) => entry.outcome === undefined),
    keep: async (id, decision) => {
      if (decision === "unknown") return;
      await journal.append({ t: "outcome", m: machineId, id, ...decision }).catch(() => undefined);
    },
  };
  return settler;
}

type WireRecord = ReturnType<typeof wireRecord>;

function wireRecord(record: "done" | "refused" | "pending" | "neverSeen", amount = 0) {
  return { record, amount } satisfies Parameters<typeof EgmTransferAnswer.parse>[0];
}

type ReadBackDeps = {
  readonly machineId: string;
  readonly egm: Egm;
  readonly journal: Journal;
  /** The command of this id waits or runs right now. */
  readonly underWay: (transferId: string) => boolean;
  /** Decides an open intent by the machine's record, in the machine's turn. */
  readonly settle: (transferId: string) => Promise<void>;
  /** Ids being promised as never seen; commands for them are refused from the first moment on. */
  readonly promising: Set<string>;
};

/**
 * `egm.transfer`: what is known of an id. Answering `neverSeen` is a promise, durable before it is given.
 * Refuses with: machine.unreachable (the machine or the journal cannot be asked now).
 */
async function readBack(deps: ReadBackDeps, transferId: string): Promise<Handled<WireRecord>> {
  if (deps.underWay(transferId)) return done(wireRecord("pending"));
  const memory = deps.journal.machine(deps.machineId);
  if (memory.transfers.has(transferId)) return done(await ofIntent(deps, transferId));
  if (memory.forgotten.has(transferId)) return done(wireRecord("neverSeen"));
  return await promiseNeverSeen(deps, transferId);
}

async function ofIntent(deps: ReadBackDeps, transferId: string): Promise<WireRecord> {
  const memory = deps.journal.machine(deps.machineId);
  if (memory.transfers.get(transferId)?.outcome === undefined) await deps.settle(transferId);
  const outcome = memory.transfers.get(transferId)?.outcome;
  return outcome === undefined ? wireRecord("pending") : wireRecord(outcome.outcome, outcome.amount);
}

async function promiseNeverSeen(deps: ReadBackDeps, transferId: string): Promise<Handled<WireRecord>> {
  const { machineId, egm, journal, promising } = deps;
  promising.add(transferId);
  try {
    // The journal may be younger than the machine's memory (a new box beside an old machine), so the machine is asked too.
    const record = await egm.transfer(transferId);
    if (record.state !== "neverSeen") return done(wireRecord(record.state, record.amount));
    await journal.append({ t: "forgotten", m: machineId, id: transferId });
    return done(wireRecord("neverSeen"));
  } catch (error) {
    return refused("machine.unreachable", { detail: error instanceof Error ? error.message : String(error) });
  } finally {
    promising.delete(transferId);
  }
}
