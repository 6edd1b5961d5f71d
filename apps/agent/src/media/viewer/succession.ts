import type { BroadcastViewer, Entry } from "./viewer.ts";

/** The connections of one viewer id. */
type Place = {
  /** The entry that joined last; its `BroadcastViewer` controls whichever connection plays. */
  readonly owner: Entry;
  /** The connection of the last join, or the earlier one once that has failed. */
  now: Entry;
  /** The earlier connection, which plays until `now` is connected. */
  before: Entry | undefined;
};

const JOINED_AGAIN = "The same viewer has joined again.";

/**
 * The viewers of a broadcast. A player who joins again keeps the connection that plays until the new one is connected, and returns to it when the
 * new one fails: while the network is cut no new one can be made, and the old one continues as soon as the network returns.
 */
export interface Succession {
  /** Every connection, earlier ones included. */
  all(): Iterable<Entry>;
  /** Every viewer once. */
  viewers(): Entry[];
  has(viewerId: string): boolean;
  /** Adds a connection, which replaces the same viewer's others; those are ended. Resolves to the viewer for the caller. */
  join(entry: Entry): Promise<BroadcastViewer>;
  /** The connection is made: the earlier one is ended. */
  connected(entry: Entry): void;
  /** The connection has ended; true when the earlier one continues in its place. */
  left(entry: Entry): boolean;
}

export function createSuccession(): Succession {
  const places = new Map<string, Place>();
  const placeOf = (entry: Entry): Place | undefined => {
    const place = places.get(entry.viewer.viewerId);
    return place?.now === entry || place?.before === entry ? place : undefined;
  };
  const close = async (owner: Entry): Promise<void> => {
    const place = places.get(owner.viewer.viewerId);
    if (place?.owner !== owner) return await owner.end(null);
    places.delete(owner.viewer.viewerId);
    await Promise.all([place.before?.end(null), place.now.end(null)]);
  };
  // Made outside of `join`: a closure made in there would keep the earlier connection in memory, that one the one before it, and so on.
  const closer = (owner: Entry) => () => close(owner);

  return {
    *all() {
      for (const { before, now } of places.values()) {
        if (before !== undefined) yield before;
        yield now;
      }
    },
    viewers: () => [...places.values()].map(({ now }) => now),
    has: (viewerId) => places.has(viewerId),
    async join(entry) {
      const { viewerId } = entry.viewer;
      const last = places.get(viewerId);
      const known = [last?.before, last?.now].filter((one) => one !== undefined);
      const plays = known.find(({ role, sender }) => role === "player" && entry.role === role && sender.connected);
      const place: Place = { owner: entry, now: entry, before: plays };
      places.set(viewerId, place);
      await Promise.all(known.filter((one) => one !== plays).map((one) => one.end(JOINED_AGAIN)));
      return viewerOf(place, closer(entry));
    },
    connected(entry) {
      const place = placeOf(entry);
      if (place?.now !== entry || place.before === undefined) return;
      const { before } = place;
      place.before = undefined;
      void before.end(JOINED_AGAIN);
    },
    left(entry) {
      const place = placeOf(entry);
      if (place === undefined) return false;
      const { before } = place;
      place.before = undefined;
      if (entry === before) return false;
      if (before === undefined) places.delete(entry.viewer.viewerId);
      else {
        place.now = before;
        before.replace(place.owner);
      }
      return before !== undefined;
    },
  };
}

/** Each call goes to the right connection: only one of them can answer a further offer of its own page. */
function viewerOf(place: Place, close: () => Promise<void>): BroadcastViewer {
  const { viewerId, role } = place.owner.viewer;
  return {
    viewerId,
    role,
    addCandidate(candidate) {
      place.now.viewer.addCandidate(candidate);
      place.before?.viewer.addCandidate(candidate);
    },
    async renegotiate(sdp) {
      const { before } = place;
      try {
        return await place.now.viewer.renegotiate(sdp);
      } catch (problem) {
        if (before === undefined) throw problem;
        return await before.viewer.renegotiate(sdp);
      }
    },
    sendPress: (message) => (place.before ?? place.now).viewer.sendPress(message),
    stats: () => (place.before ?? place.now).viewer.stats(),
    close,
  };
}
