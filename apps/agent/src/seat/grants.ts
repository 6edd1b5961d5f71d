import type { HoldReason, PlayRules } from "@longarm/contract/player-protection";
import type { Journal } from "../journal/journal.ts";
import type { JournalSeat } from "../journal/records.ts";
import type { Clock } from "../ports/clock.ts";

/** A grant as the platform gives it; `leaseMs` and the `paidForMs` of its rules count from its arrival, by our clock. */
export type SeatGrant = { epoch: number; playSessionId: string; leaseMs: number; rules?: PlayRules | undefined };

/** Why a press or a command of an epoch is refused; undefined: it is not. */
export type SeatRefusal = "stale epoch" | "seat not granted" | "lease expired";

/** The seat of one machine as its agent enforces it. The epoch only grows, also across restarts. */
export interface Grants {
  /** The highest epoch ever seen; 0: no epoch yet. */
  epoch(): number;
  /** The grant of the present epoch, whether its lease lives or not. */
  seat(): JournalSeat | undefined;
  /** The rules that came with the present grant or its newest renewal; undefined: none. A restart keeps them. */
  rules(): PlayRules | undefined;
  /** Why new paid games are held now; undefined: they are not. */
  held(): HoldReason | undefined;
  /** Grants or renews. Resolves to "stale epoch" for a lower one; rejects when a new epoch cannot be made durable. */
  grant(grant: SeatGrant): Promise<"stale epoch" | undefined>;
  /** Revokes the grant of this epoch at once. */
  revoke(epoch: number): Promise<"stale epoch" | undefined>;
  /** Whether a press of this epoch may pass now. */
  check(epoch: number): SeatRefusal | undefined;
  /** Whether the present holder has this epoch, whether its lease lives or not: also while its grant is still being written. */
  holds(epoch: number): boolean;
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
  const keep = (next: JournalSeat | undefined): Promise<void> =>
    journal.append({ t: "seat", m: machineId, epoch, ...(next === undefined ? {} : { seat: next }) });

  /** The old holder has lost the seat from this moment, even if the disk is full: an epoch must never fall back. */
  function raise(next: number): void {
    epoch = next;
    seat = undefined;
    raised += 1;
    granting = false;
    losses.publish(next);
  }

  /** A renewal that the disk lost shortens the lease after a restart, and leaves the rules before it. */
  async function renew(next: JournalSeat): Promise<void> {
    seat = next;
    await keep(next).catch(() => undefined);
  }

  async function grant({ epoch: granted, playSessionId, leaseMs, rules }: SeatGrant) {
    if (granted < epoch || granted <= revoked) return "stale epoch" as const;
    const next: JournalSeat = { playSessionId, leaseMs, at: clock.now(), ...(rules && { rules }) };
    if (granted === epoch && seat !== undefined) {
      await renew(next);
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
    ...{ epoch: () => epoch, seat: () => seat, grant, admit, onLost: losses.on },
    ...createHold({ clock, seat: () => seat, heldFromNow: (now) => void renew(now) }),
    revoke: async (last) => {
      if (last < epoch) return "stale epoch";
      revoked = last;
      raise(last);
      losses.publish(last + 1);
      await keep(undefined).catch(() => undefined);
      return undefined;
    },
    holds: (given) => given === epoch && (seat !== undefined || granting),
    check: (given) => (given < epoch ? "stale epoch" : leaseRefusal(given === epoch ? seat : undefined, clock.now())),
  };
}

type HoldDeps = {
  readonly clock: Clock;
  readonly seat: () => JournalSeat | undefined;
  /** Keeps, also over a restart, that the time for paid games is used up. Without room on the disk it holds as long as this process lives. */
  readonly heldFromNow: (seat: JournalSeat) => void;
};

/** The rules of the seat, and whether they hold paid games now. That they do is kept, so that no clock that is set back gives the time again. */
function createHold({ clock, seat, heldFromNow }: HoldDeps): Pick<Grants, "rules" | "held"> {
  return {
    rules: () => seat()?.rules,
    held: () => {
      const now = seat();
      const { paidForMs, heldFor = "limit" } = now?.rules ?? {};
      if (now === undefined || paidForMs === undefined || clock.now() - now.at < paidForMs) return undefined;
      if (paidForMs > 0) heldFromNow(usedUp(now));
      return heldFor;
    },
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

/**
 * A clock that was set back before a restart must not lengthen a lease. How long the player may still start games is then unknown, so that none
 * starts before a renewal says it again.
 */
function seatOfBefore(seat: JournalSeat | undefined, nowMs: number): JournalSeat | undefined {
  if (seat === undefined || seat.at <= nowMs) return seat;
  return { ...usedUp(seat), at: nowMs };
}

/** The seat, with the time for paid games used up where there was a limit. */
function usedUp(seat: JournalSeat): JournalSeat {
  return seat.rules?.paidForMs === undefined ? seat : { ...seat, rules: { ...seat.rules, paidForMs: 0 } };
}
