import type { BroadcastViewer, Entry } from "./join.ts";

/** One viewer by its name. */
type Seat = {
  /** Joined last: what is said to its viewer is meant for whatever plays. */
  readonly owner: Entry;
  /** The connection of the last join, or the one before once that has failed. */
  now: Entry;
  /** Plays on until `now` stands. */
  before: Entry | undefined;
};

const JOINED_AGAIN = "The same viewer has joined again.";

/**
 * Everybody who watches. A player who joins again keeps the connection that plays until the new one stands, and goes back to it when the
 * new one fails: over a link that is cut no new one can be made, and the old one plays on as soon as the link returns.
 */
export interface Succession {
  /** Every connection there is, the ones of before among them. */
  all(): Iterable<Entry>;
  /** Everybody once. */
  viewers(): Entry[];
  has(viewerId: string): boolean;
  /** Takes the place of the same viewer's; what that leaves over is ended. Answers the viewer to give out. */
  join(entry: Entry): Promise<BroadcastViewer>;
  /** The connection stands: the one of before is ended. */
  stands(entry: Entry): void;
  /** The connection has ended; true when the one of before goes on in its name. */
  left(entry: Entry): boolean;
}

export function createSuccession(): Succession {
  const seats = new Map<string, Seat>();
  const seatOf = (entry: Entry): Seat | undefined => {
    const seat = seats.get(entry.viewer.viewerId);
    return seat?.now === entry || seat?.before === entry ? seat : undefined;
  };
  const close = async (owner: Entry): Promise<void> => {
    const seat = seats.get(owner.viewer.viewerId);
    if (seat?.owner !== owner) return await owner.end(null);
    seats.delete(owner.viewer.viewerId);
    await Promise.all([seat.before?.end(null), seat.now.end(null)]);
  };
  // Made outside of `join`: what is made in there holds the connection of before too, that one the one before it, and so on without an end.
  const closer = (owner: Entry) => () => close(owner);

  return {
    *all() {
      for (const { before, now } of seats.values()) {
        if (before !== undefined) yield before;
        yield now;
      }
    },
    viewers: () => [...seats.values()].map(({ now }) => now),
    has: (viewerId) => seats.has(viewerId),
    async join(entry) {
      const { viewerId } = entry.viewer;
      const last = seats.get(viewerId);
      const known = [last?.before, last?.now].filter((one) => one !== undefined);
      const plays = known.find(({ role, sender }) => role === "player" && entry.role === role && sender.connected);
      const seat: Seat = { owner: entry, now: entry, before: plays };
      seats.set(viewerId, seat);
      await Promise.all(known.filter((one) => one !== plays).map((one) => one.end(JOINED_AGAIN)));
      return viewerOf(seat, closer(entry));
    },
    stands(entry) {
      const seat = seatOf(entry);
      if (seat?.now !== entry || seat.before === undefined) return;
      const { before } = seat;
      seat.before = undefined;
      void before.end(JOINED_AGAIN);
    },
    left(entry) {
      const seat = seatOf(entry);
      if (seat === undefined) return false;
      const { before } = seat;
      seat.before = undefined;
      if (entry === before) return false;
      if (before === undefined) seats.delete(entry.viewer.viewerId);
      else {
        seat.now = before;
        before.standFor(seat.owner);
      }
      return before !== undefined;
    },
  };
}

/** What is said to it reaches the connection that it is meant for: only that one can read an offer of its own page's side. */
function viewerOf(seat: Seat, close: () => Promise<void>): BroadcastViewer {
  const { viewerId, role } = seat.owner.viewer;
  return {
    viewerId,
    role,
    addCandidate(candidate) {
      seat.now.viewer.addCandidate(candidate);
      seat.before?.viewer.addCandidate(candidate);
    },
    async renegotiate(sdp) {
      const { before } = seat;
      try {
        return await seat.now.viewer.renegotiate(sdp);
      } catch (problem) {
        if (before === undefined) throw problem;
        return await before.viewer.renegotiate(sdp);
      }
    },
    sendPress: (message) => (seat.before ?? seat.now).viewer.sendPress(message),
    stats: () => (seat.before ?? seat.now).viewer.stats(),
    close,
  };
}
