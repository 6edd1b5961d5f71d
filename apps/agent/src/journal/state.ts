import type { JournalRecord, JournalSeat, MachineReport, TransferMeters, TransferOutcome } from "./records.ts";
import { JOURNAL_VERSION } from "./records.ts";

/**
 * How many decided transfers are remembered per machine. The platform keeps one undecided transfer per machine at most, so an id
 * that far back is decided on both sides, and a late copy of it carries an old epoch and is refused for that.
 */
export const TRANSFERS_KEPT_MAX = 20_000;

/** A crash leaves at most one batch journalled but not acknowledged at the machine; this is many times that. */
export const SEEN_KEPT_MAX = 256;

export type TransferEntry = {
  readonly id: string;
  readonly direction: "cashIn" | "cashOut";
  /** Minor units; null: everything. */
  readonly amount: number | null;
  readonly epoch: number;
  readonly at: number;
  /** The machine's meters before it got the command. Absent: written by an older agent. */
  readonly before?: TransferMeters;
  /** Absent: the request may have reached the machine, and its outcome is not known yet. */
  outcome?: TransferOutcome;
};

export type WaitingEvent = { readonly seq: number; readonly egm: string; readonly told: MachineReport };

/** Refused ids that are remembered without a record. A copy of one comes over the same link, and soon; this is many times what a link carries. */
export const DECLINED_KEPT_MAX = 10_000;

/** Everything the journal says of one machine. Changed only by `applyRecord`, but for `declined`. */
export type MachineMemory = {
  epoch: number;
  seat: JournalSeat | undefined;
  transfers: Map<string, TransferEntry>;
  forgotten: Set<string>;
  /**
   * Ids refused without a record, as while the disk is full. The platform has taken the refusal for good, so a copy that comes later, when
   * there is room again, must not move money. A copy never outlives its link, and no link this process.
   */
  declined: Set<string>;
  /** The last event number given. */
  lastSeq: number;
  /** The last event number the platform has taken. */
  taken: number;
  /** Events after `taken`, in order. */
  waiting: WaitingEvent[];
  /** Names of the machine's events journalled last. */
  seen: Set<string>;
};

export type JournalState = Map<string, MachineMemory>;

export function memoryOf(state: JournalState, machineId: string): MachineMemory {
  const known = state.get(machineId);
  if (known !== undefined) return known;
  const fresh: MachineMemory = {
    epoch: 0,
    seat: undefined,
    transfers: new Map(),
    forgotten: new Set(),
    declined: new Set(),
    lastSeq: 0,
    taken: 0,
    waiting: [],
    seen: new Set(),
  };
  state.set(machineId, fresh);
  return fresh;
}

/** Folds one record in. The order of records is the order of facts. */
export function applyRecord(state: JournalState, record: JournalRecord): void {
  if (record.t === "journal") return;
  const memory = memoryOf(state, record.m);
  switch (record.t) {
    case "seat":
      if (record.epoch < memory.epoch) return;
      memory.epoch = record.epoch;
      memory.seat = record.seat;
      return;
    case "intent": {
      const { id, direction, amount, epoch, at, before } = record;
      memory.transfers.set(id, { id, direction, amount, epoch, at, ...(before === undefined ? {} : { before }) });
      return;
    }
    case "outcome": {
      const { t: _t, m: _m, id, ...outcome } = record;
      const entry = memory.transfers.get(id);
      if (entry !== undefined) entry.outcome = outcome;
      dropOldTransfers(memory);
      return;
    }
    case "forgotten":
      memory.forgotten.add(record.id);
      return;
    case "event":
      memory.lastSeq = Math.max(memory.lastSeq, record.seq);
      memory.waiting.push({ seq: record.seq, egm: record.egm, told: record.told });
      rememberSeen(memory, record.egm);
      return;
    case "taken":
      takeUpTo(memory, record.seq);
      return;
    case "place":
      memory.lastSeq = Math.max(memory.lastSeq, record.lastSeq);
      takeUpTo(memory, record.taken);
      for (const egm of record.seen) rememberSeen(memory, egm);
  }
}

/** Takes are cheap: waiting events are in order, so only the front goes. */
function takeUpTo(memory: MachineMemory, seq: number): void {
  memory.taken = Math.max(memory.taken, seq);
  memory.lastSeq = Math.max(memory.lastSeq, seq);
  const keepFrom = memory.waiting.findIndex((event) => event.seq > memory.taken);
  memory.waiting.splice(0, keepFrom === -1 ? memory.waiting.length : keepFrom);
}

const rememberSeen = (memory: MachineMemory, egm: string): void => keepNewest(memory.seen, egm, SEEN_KEPT_MAX);

/** Every further copy of this id is refused as well. */
export const rememberDeclined = (memory: MachineMemory, id: string): void =>
  keepNewest(memory.declined, id, DECLINED_KEPT_MAX);

function keepNewest(names: Set<string>, name: string, most: number): void {
  names.add(name);
  for (const oldest of names) {
    if (names.size <= most) return;
    names.delete(oldest);
  }
}

function dropOldTransfers(memory: MachineMemory): void {
  for (const [id, entry] of memory.transfers) {
    if (memory.transfers.size <= TRANSFERS_KEPT_MAX) return;
    if (entry.outcome !== undefined) memory.transfers.delete(id);
  }
}

/** The fewest records that say the same as `state`. */
export function* recordsOf(state: JournalState): Generator<JournalRecord> {
  yield { t: "journal", version: JOURNAL_VERSION };
  for (const [m, memory] of state) {
    yield { t: "seat", m, epoch: memory.epoch, ...(memory.seat === undefined ? {} : { seat: memory.seat }) };
    for (const { outcome, ...intent } of memory.transfers.values()) {
      yield { t: "intent", m, ...intent };
      if (outcome !== undefined) yield { t: "outcome", m, id: intent.id, ...outcome };
    }
    for (const id of memory.forgotten) yield { t: "forgotten", m, id };
    yield { t: "place", m, lastSeq: memory.lastSeq, taken: memory.taken, seen: [...memory.seen] };
    for (const event of memory.waiting) yield { t: "event", m, ...event };
  }
}
