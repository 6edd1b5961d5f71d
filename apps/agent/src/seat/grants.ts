import type { Journal } from "../journal/journal.ts";
import type { JournalSeat } from "../journal/records.ts";
import type { Clock } from "../ports/clock.ts";

/** A grant as the platform gives it; `leaseMs` counts from its arrival, by our clock. */
export type SeatGrant = { epoch: number; playSessionId: string; leaseMs: number };

/** Why a press or a command of an epoch is not let through; undefined: it is. */
export type SeatRefusal = "stale epoch" | "seat not granted" | "lease expired";

/** The seat of one machine as its agent enforces it. The epoch only grows, also across restarts. */
export interface Grants {
  /** The highest epoch ever seen; 0: none. */
  epoch(): number;
  /** The grant of the present epoch, whether its lease lives or not. */
  seat(): JournalSeat | undefined;
  /** Grants or renews. Resolves to "stale epoch" for a lower one; rejects when a new epoch cannot be made durable. */
  grant(grant: SeatGrant): Promise<"stale epoch" | undefined>;
  /** Takes the grant of this epoch away at once. */
  revoke(epoch: number): Promise<"stale epoch" | undefined>;
  /** Whether a press of this epoch may pass now. */
  check(epoch: number): SeatRefusal | undefined;
  /** Whether a money command of this epoch may pass; a higher one than known becomes the known one. */
  admit(epoch: number): Promise<string | undefined>;
  /** Called when every holder of an epoch below this one has lost the seat; answers how to stop. */
  onLost(lost: (belowEpoch: number) => void): () => void;
}

export function createGrants(deps: { machineId: string; journal: Journal; clock: Clock }): Grants {
  const { machineId, journal, clock } = deps;
  const memory = journal.machine(machineId);
  let { epoch } = memory;
  let seat = seatOfBefore(memory.seat, clock.now());
  let raised = 0;
  /** The highest epoch that was taken away: a renewal that was still on its way must not give it back. */
  let revoked = 0;
  /** The present epoch is granted and that is being written: a renewal meanwhile is no new grant. */
  let granting = false;
  const losses = createLosses();

  function keep(next: JournalSeat | undefined): Promise<void> {
    return journal.append({ t: "seat", m: machineId, epoch, ...(next === undefined ? {} : { seat: next }) });
  }

  /** The old holder is out from this moment, even if the disk is full: an epoch must never fall back. */
  function raise(next: number): void {
    epoch = next;
    seat = undefined;
    raised += 1;
    granting = false;
    losses.tell(next);
  }

  async function grant({ epoch: asked, playSessionId, leaseMs }: SeatGrant): Promise<"stale epoch" | undefined> {
    if (asked < epoch || asked <= revoked) return "stale epoch";
    const next: JournalSeat = { playSessionId, leaseMs, at: clock.now() };
    if (asked === epoch && seat !== undefined) {
      seat = next;
      // A lost renewal only shortens a lease after a restart.
      await keep(next).catch(() => undefined);
      return undefined;
    }
    if (asked > epoch || !granting) raise(asked);
    granting = true;
    const mine = raised;
    try {
      await keep(next);
      // A revoke or a grant of another epoch that came meanwhile is newer than this one.
      if (raised === mine) seat = next;
    } finally {
      if (raised === mine) granting = false;
    }
    return undefined;
  }

  async function admit(asked: number): Promise<string | undefined> {
    if (asked <= epoch) return asked < epoch ? "stale epoch" : undefined;
    raise(asked);
    return await problemOf(keep(undefined));
  }

  return {
    epoch: () => epoch,
    seat: () => seat,
    grant,
    admit,
    revoke: async (asked) => {
      if (asked < epoch) return "stale epoch";
      revoked = asked;
      raise(asked);
      losses.tell(asked + 1);
      await keep(undefined).catch(() => undefined);
      return undefined;
    },
    check: (asked) => (asked < epoch ? "stale epoch" : leaseRefusal(asked === epoch ? seat : undefined, clock.now())),
    onLost: losses.on,
  };
}

function problemOf(write: Promise<void>): Promise<string | undefined> {
  return write.then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Who wants to know that holders below an epoch have lost the seat. */
function createLosses() {
  const listeners = new Set<(belowEpoch: number) => void>();
  return {
    tell(belowEpoch: number): void {
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

/** A clock that went back across a restart must not lengthen a lease. */
function seatOfBefore(seat: JournalSeat | undefined, nowMs: number): JournalSeat | undefined {
  return seat === undefined ? undefined : { ...seat, at: Math.min(seat.at, nowMs) };
}
