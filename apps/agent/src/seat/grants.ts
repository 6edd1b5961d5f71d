import type { Journal } from "../journal/journal.ts";
import type { JournalSeat } from "../journal/records.ts";
import type { Clock } from "../ports/clock.ts";

/** A grant as the platform gives it; `leaseMs` counts from its arrival, by our clock. */
export type SeatGrant = { epoch: number; playSessionId: string; leaseMs: number };

/** Why a press or a command of an epoch is refused; undefined: it is not. */
export type SeatRefusal = "stale epoch" | "seat not granted" | "lease expired";

/** The seat of one machine as its agent enforces it. The epoch only grows, also across restarts. */
export interface Grants {
  /** The highest epoch ever seen; 0: no epoch yet. */
  epoch(): number;
  /** The grant of the present epoch, whether its lease lives or not. */
  seat(): JournalSeat | undefined;
  /** Grants or renews. Resolves to "stale epoch" for a lower one; rejects when a new epoch cannot be made durable. */
  grant(grant: SeatGrant): Promise<"stale epoch" | undefined>;
  /** Revokes the grant of this epoch at once. */
  revoke(epoch: number): Promise<"stale epoch" | undefined>;
  /** Whether a press of this epoch may pass now. */
  check(epoch: number): SeatRefusal | undefined;
  /** Whether a money command of this epoch may pass; a higher one than known becomes the known one. */
  admit(epoch: number): Promise<string | undefined>;
  /** Calls back when every holder of an epoch below this one has lost the seat; returns the function that stops it. */
  onLost(lost: (belowEpoch: number) => void): () => void;
}

export function createGrants(deps: { machineId: string; journal: Journal; clock: Clock }): Grants {
  const { machineId, journal, clock } = deps;
  const memory = journal.machine(machineId);
  let { epoch } = memory;
  let seat = seatOfBefore(memory.seat, clock.now());
  let raised = 0;
  /** The highest revoked epoch: a renewal that was already under way must not restore it. */
  let revoked = 0;
  /** The grant of the present epoch is being written: a renewal meanwhile is not a new grant. */
  let granting = false;
  const losses = createLosses();

  function keep(next: JournalSeat | undefined): Promise<void> {
    return journal.append({ t: "seat", m: machineId, epoch, ...(next === undefined ? {} : { seat: next }) });
  }

  /** The old holder has lost the seat from this moment, even if the disk is full: an epoch must never fall back. */
  function raise(next: number): void {
    epoch = next;
    seat = undefined;
    raised += 1;
    granting = false;
    losses.publish(next);
  }

  async function grant({ epoch: granted, playSessionId, leaseMs }: SeatGrant): Promise<"stale epoch" | undefined> {
    if (granted < epoch || granted <= revoked) return "stale epoch";
    const next: JournalSeat = { playSessionId, leaseMs, at: clock.now() };
    if (granted === epoch && seat !== undefined) {
      seat = next;
      // A lost renewal only shortens a lease after a restart.
      await keep(next).catch(() => undefined);
      return undefined;
    }
    if (granted > epoch || !granting) raise(granted);
    granting = true;
    const mine = raised;
    try {
      await keep(next);
      // A revoke, or a grant of another epoch, that arrived meanwhile is newer than this one.
      if (raised === mine) seat = next;
    } finally {
      if (raised === mine) granting = false;
    }
    return undefined;
  }

  async function admit(commanded: number): Promise<string | undefined> {
    if (commanded <= epoch) return commanded < epoch ? "stale epoch" : undefined;
    raise(commanded);
    return await problemOf(keep(undefined));
  }

  return {
    epoch: () => epoch,
    seat: () => seat,
    grant,
    admit,
    revoke: async (last) => {
      if (last < epoch) return "stale epoch";
      revoked = last;
      raise(last);
      losses.publish(last + 1);
      await keep(undefined).catch(() => undefined);
      return undefined;
    },
    check: (given) => (given < epoch ? "stale epoch" : leaseRefusal(given === epoch ? seat : undefined, clock.now())),
    onLost: losses.on,
  };
}

function problemOf(write: Promise<void>): Promise<string | undefined> {
  return write.then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** The listeners for lost seats. */
function createLosses() {
  const listeners = new Set<(belowEpoch: number) => void>();
  return {
    publish(belowEpoch: number): void {
      for (const listener of listeners) listener(belowEpoch);
    },
    on(listener: (belowEpoch: number) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function leaseRefusal(seat: JournalSeat | undefined, nowMs: number): SeatRefusal | undefined {
  if (seat === undefined) return "seat not granted";
  return nowMs - seat.at > seat.leaseMs ? "lease expired" : undefined;
}

/** A clock that was set back before a restart must not lengthen a lease. */
function seatOfBefore(seat: JournalSeat | undefined, nowMs: number): JournalSeat | undefined {
  return seat === undefined ? undefined : { ...seat, at: Math.min(seat.at, nowMs) };
}
