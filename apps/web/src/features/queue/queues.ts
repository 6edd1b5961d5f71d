import type { PlaceMove, QueueCall, QueuePlace, QueueWish } from "@longarm/contract/player-queue";
import { QueueAnswer, queueCalls } from "@longarm/contract/player-queue";
import type { Live } from "@longarm/ui/live.ts";
import * as z from "zod/mini";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";

/** The player's places in queues as this page knows them. */
export type QueuesNow = {
  /** Undefined: not known yet. `absent`: this platform has no queues. */
  readonly answer: QueueAnswer | "absent" | undefined;
  /** Why the last reading failed; what is known stays. */
  readonly failure: ApiFailure | undefined;
  /** The places that are called, the one whose time ends first before the others. */
  readonly calls: readonly CalledPlace[];
  /** To the platform and back, as last measured, ms; undefined: not measured. */
  readonly roundTripMs: number | undefined;
};

/** A place whose turn it is, and until when on the page's clock. */
export type CalledPlace = { readonly place: QueuePlace; readonly call: QueueCall; readonly endsAt: number };

/** How a place stopped being called by something else than an act on this page. */
export type CallEnd = "missed" | "ended" | "elsewhere";

export type Queues = {
  readonly now: Live<QueuesNow>;
  /** A `queue` notification that came at this moment of the page's clock; one that cannot be read changes nothing. */
  pushed(data: unknown, at: number): void;
  /** Reads the places; a push that comes meanwhile is newer. */
  load(): Promise<void>;
  /** Each answers undefined, or why it was refused. */
  join(wish: QueueWish): Promise<ApiFailure | undefined>;
  leave(id: string): Promise<ApiFailure | undefined>;
  /** `why`: the connection is too weak to play. */
  pass(id: string, why?: "link"): Promise<ApiFailure | undefined>;
  move(id: string, to: PlaceMove): Promise<ApiFailure | undefined>;
  /** Measures the connection. */
  measure(): Promise<void>;
  /** Whether the call of this place was answered by an act on this page. */
  isAnsweredHere(placeId: string): boolean;
  /** The player sits down from this page. */
  sitting(placeId: string): void;
};

/** How often a connection is measured at once; the shortest counts, since the first may have to be opened. */
const MEASURES = 3;
/**
 * A press that travels for half a second is refused as stale, and the picture that it goes by is as old: from this way there and back on, ms, no game is fair
 * (`PLAYABLE_DELAY_MS_MAX` at the machine).
 */
const WEAK_MS = 1_000;

/** A platform without queues answers so. */
const NOT_FOUND = 404;

/** The player's places, as the platform answers and pushes them. `clock`: the page's own, which never goes back. */
export function createQueues(api: Pick<ApiClient, "make">, clock: () => number): Queues {
  const now = createStore<QueuesNow>(() => ({
    ...{ answer: undefined, failure: undefined, calls: [] },
    roundTripMs: undefined,
  }));
  let pushes = 0;
  const answeredHere = new Set<string>();

  function take(answer: QueueAnswer, at: number): void {
    const before = now.getState().calls;
    const calls = callsIn(answer, at, before);
    // A call that begins has no answer yet.
    for (const { place } of calls)
      if (!before.some((known) => known.place.id === place.id)) answeredHere.delete(place.id);
    now.setState({ answer, failure: undefined, calls });
  }
  async function act(id: string | undefined, made: ReturnType<typeof api.make<typeof queueCalls.queue>>) {
    if (id !== undefined) answeredHere.add(id);
    const given = await made;
    if (given.ok) take(given.data, clock());
    else if (id !== undefined) answeredHere.delete(id);
    return given.ok ? undefined : given.failure;
  }
  return {
    now,
    pushed(data, at) {
      const read = z.safeParse(QueueAnswer, data);
      if (!read.success) return;
      pushes += 1;
      take(read.data, at);
    },
    async load() {
      const before = pushes;
      const given = await api.make(queueCalls.queue);
      if (pushes !== before) return;
      if (given.ok) take(given.data, clock());
      else if (given.failure.httpStatus === NOT_FOUND) now.setState({ answer: "absent", failure: undefined });
      else now.setState({ failure: given.failure });
    },
    join: (body) => act(undefined, api.make(queueCalls.joinQueue, { body })),
    leave: (id) => act(id, api.make(queueCalls.leaveQueue, { body: { id } })),
    pass: (id, why) => act(id, api.make(queueCalls.passQueue, { body: { id, ...(why !== undefined && { why }) } })),
    move: (id, to) => act(undefined, api.make(queueCalls.moveQueue, { body: { id, to } })),
    async measure() {
      let roundTripMs = Number.POSITIVE_INFINITY;
      for (let count = 0; count < MEASURES; count += 1) {
        const from = clock();
        const given = await api.make(queueCalls.queue);
        if (!given.ok) return;
        roundTripMs = Math.min(roundTripMs, clock() - from);
      }
      now.setState({ roundTripMs });
    },
    isAnsweredHere: (id) => answeredHere.has(id),
    sitting: (id) => void answeredHere.add(id),
  };
}

/** Each answer says how long a call still lasts. The way here only takes from it, so the earliest end is the nearest to the true one. */
function callsIn({ places }: QueueAnswer, at: number, before: readonly CalledPlace[]): readonly CalledPlace[] {
  const called = places.flatMap((place) => {
    const { id, call } = place;
    if (call === null) return [];
    const known = before.find((one) => one.place.id === id && one.call.machineId === call.machineId);
    return [{ place, call, endsAt: Math.min(at + call.leftMs, known?.endsAt ?? Number.POSITIVE_INFINITY) }];
  });
  return called.toSorted((one, other) => one.endsAt - other.endsAt);
}

/** The places that are known. */
export function placesIn({ answer }: QueuesNow): readonly QueuePlace[] {
  return answer === undefined || answer === "absent" ? [] : answer.places;
}

/** The connection as it was measured cannot carry a fair game. */
export const isWeak = ({ roundTripMs = 0 }: QueuesNow): boolean => roundTripMs >= WEAK_MS;

/** The place whose turn it is. */
export const calledIn = ({ calls }: QueuesNow): CalledPlace | undefined => calls[0];

/** How the call of a place came to its end, from what is known afterwards; undefined: it has not, or was answered here. */
export function callEnd(before: CalledPlace, now: QueuesNow, isAnsweredHere: boolean): CallEnd | undefined {
  const { answer } = now;
  if (answer === undefined || answer === "absent") return undefined;
  const after = answer.places.find(({ id }) => id === before.place.id);
  if (after !== undefined && after.call?.machineId === before.call.machineId) return undefined;
  if (answer.ended.some(({ id }) => id === before.place.id)) return "ended";
  if (isAnsweredHere) return undefined;
  return after !== undefined && after.misses > before.place.misses ? "missed" : "elsewhere";
}

/** The player's place for this machine: the nearest turn, where several would do. */
export function placeFor(now: QueuesNow, machineId: string): QueuePlace | undefined {
  return placesIn(now)
    .filter(({ machines }) => machines.some(({ id }) => id === machineId))
    .toSorted((one, other) => one.ahead - other.ahead)[0];
}
