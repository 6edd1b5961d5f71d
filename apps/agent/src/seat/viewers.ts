import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { AgentPeer } from "../link/agent-peer.ts";
import type { Queue } from "../machine/machine-queue.ts";
import { createQueue } from "../machine/machine-queue.ts";
import type { MachineBroadcast, MachineViewer } from "../media/broadcast.ts";
import type { Clock } from "../ports/clock.ts";
import type { IceCandidate, IceServer } from "../ports/transport.ts";
import { OfferProblem, PlacesTaken } from "../ports/transport.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { Grants } from "./grants.ts";
import type { PressGuard } from "./press-guard.ts";

export type ViewerOffer = {
  viewerId: string;
  role: "player" | "spectator" | "staff";
  epoch?: number | undefined;
  sdp: string;
  iceServers: readonly IceServer[];
  framesPerSecond?: number | undefined;
  complete?: boolean | undefined;
};

/** The viewers of one machine. A player's connection lives as long as its epoch; that of anybody else does not depend on the seat. */
export interface Viewers {
  /** Refuses with: seat.stale_epoch, spectators.full (no place is free), request.invalid (the offer cannot be answered; the detail says why). */
  offer(offer: ViewerOffer): Promise<Handled<{ sdp: string }>>;
  /** A candidate of the browser; null ends its list. Candidates of unknown viewers are ignored. */
  candidate(viewerId: string, candidate: { candidate: string | null; sdpMid: string | null }): void;
  close(viewerId: string): Promise<void>;
  /** Reports every viewer to this platform, and from now on whatever changes. */
  reportTo(platform: Pick<AgentPeer, "notify">): void;
  /** Closes every viewer's connection. */
  end(): Promise<void>;
}

export type ViewersDeps = {
  readonly machineId: string;
  readonly broadcast: MachineBroadcast;
  readonly grants: Grants;
  readonly clock: Pick<Clock, "after">;
  readonly pressGuard: PressGuard;
  /** Own candidates that may be sent; one that is dropped costs one browser one possible connection. */
  readonly candidates: RateLimit;
  /** The staff's viewers of all machines of the agent, by machine and viewer. */
  readonly staff: Set<string>;
};

/** Consoles that one agent serves at once, at all its machines: their encoders share its processors with those of players. */
export const STAFF_VIEWERS_MAX = 4;

export function createViewers(deps: ViewersDeps): Viewers {
  const { machineId, grants, candidates, staff } = deps;
  const list = createViewerList(machineId, candidates, (viewerId) => void staff.delete(`${machineId} ${viewerId}`));
  const early = createEarlyCandidates();
  const queue = createQueuePerViewer();

  async function answer(offer: ViewerOffer): Promise<Handled<{ sdp: string }>> {
    const granted = seatOf(deps, offer);
    if (granted === false) return refused("seat.stale_epoch");
    if (offer.role === "staff") {
      const place = `${machineId} ${offer.viewerId}`;
      if (staff.size >= STAFF_VIEWERS_MAX && !staff.has(place)) return refused("spectators.full");
      staff.add(place);
    }
    const entry = list.get(offer.viewerId);
    const same = entry?.viewer?.role === offer.role && entry.epoch === offer.epoch;
    try {
      const renewed = same ? entry.viewer : undefined;
      const answered = await (renewed === undefined ? join(deps, list, early, offer) : restart(renewed, offer));
      if (await granted) return done(answered);
      await list.close(offer.viewerId);
      return refused("seat.stale_epoch");
    } catch (error) {
      if (error instanceof PlacesTaken) return refused("spectators.full", { detail: error.message });
      if (error instanceof OfferProblem) return refused("request.invalid", { detail: error.message });
      throw error;
    }
  }

  /** A further offer is an ICE restart of the same page, or a new page under the same viewer id: then a new connection is made. */
  async function restart(viewer: MachineViewer, offer: ViewerOffer): Promise<{ sdp: string }> {
    try {
      return { sdp: await viewer.renegotiate(offer.sdp) };
    } catch {
      return await join(deps, list, early, offer);
    }
  }

  const stopListening = grants.onLost((epoch) => void list.closePlayersBelow(epoch));
  return {
    offer: (offer) => queue(offer.viewerId, () => answer(offer)),
    candidate: (viewerId, { candidate, sdpMid }) => {
      if (candidate === null || candidate === "") return;
      if (early.keep(viewerId, { candidate, sdpMid })) return;
      list.get(viewerId)?.viewer?.addCandidate({ candidate, sdpMid });
    },
    close: list.close,
    reportTo: list.reportTo,
    end: async () => {
      stopListening();
      await list.closeAll();
    },
  };
}

/** A grant comes so long after the offer that it overtakes, ms; the platform sends both at once. */
export const GRANT_WITHIN_MS = 2_000;

/**
 * Whether the offer is of the present holder: a player's connection is made for that one alone; the lease matters only for presses. An offer of a higher
 * epoch has overtaken its grant, and its answer waits for that: without it no browser can connect (record 0275).
 */
function seatOf({ grants, clock }: ViewersDeps, { role, epoch }: ViewerOffer): boolean | Promise<boolean> {
  if (role !== "player") return true;
  if (epoch === undefined || epoch < grants.epoch()) return false;
  if (epoch === grants.epoch()) return grants.holds(epoch);
  return new Promise((known) => {
    const end = () => {
      stopListening();
      stopWaiting();
      known(grants.holds(epoch));
    };
    // Behind the call that raises the epoch: only then does the seat have its new holder.
    const stopListening = grants.onLost(() => queueMicrotask(() => grants.epoch() >= epoch && end()));
    const stopWaiting = clock.after(GRANT_WITHIN_MS, end);
  });
}

/** Makes one viewer's connection. Rejects with an `OfferProblem`; the viewer's earlier connection then stays as it was. */
async function join(
  { broadcast, pressGuard }: ViewersDeps,
  list: ViewerList,
  early: EarlyCandidates,
  offer: ViewerOffer,
): Promise<{ sdp: string }> {
  const { viewerId, role } = offer;
  const epoch = role === "player" ? offer.epoch : undefined;
  const entry: WatchingViewer = { viewer: undefined, epoch, state: "connecting" };
  const before = list.get(viewerId);
  list.set(viewerId, entry);
  const takeEarly = early.collect(viewerId);
  try {
    const joined = await broadcast.addViewer({
      ...offer,
      presses: epoch === undefined ? null : pressGuard.receiver(epoch),
      connected: () => list.change(viewerId, entry, "connected"),
      interrupted: () => list.change(viewerId, entry, "connecting"),
      closed: () => list.change(viewerId, entry, "closed"),
      candidate: (candidate) => list.sendCandidate(viewerId, candidate),
    });
    entry.viewer = joined.viewer;
    for (const candidate of takeEarly()) joined.viewer.addCandidate(candidate);
    if (list.get(viewerId) !== entry) {
      // The seat was lost, or the viewer was closed, while the offer was being answered.
      await joined.viewer.close();
      throw new OfferProblem("The connection was closed before it was made.");
    }
    list.report(viewerId, entry.state);
    return { sdp: joined.sdp };
  } catch (error) {
    if (before === undefined || list.get(viewerId) !== entry) list.change(viewerId, entry, "closed");
    else list.set(viewerId, before);
    throw error;
  } finally {
    takeEarly();
  }
}

type ViewerState = "connecting" | "connected" | "closed";

/** One viewer. `epoch` is set for a player: its connection may press for that seat only. */
type WatchingViewer = { viewer: MachineViewer | undefined; epoch: number | undefined; state: ViewerState };

type ViewerList = ReturnType<typeof createViewerList>;

/** The viewers by id, and their reports to the platform. */
function createViewerList(machineId: string, candidates: RateLimit, gone: (viewerId: string) => void) {
  const viewers = new Map<string, WatchingViewer>();
  let platform: Pick<AgentPeer, "notify"> | undefined;

  const report = (viewerId: string, state: ViewerState): void =>
    platform?.notify("viewers", { machineId, viewerId, state, count: viewers.size });

  /** Sets a new state and reports it. An entry that was replaced meanwhile is ignored. */
  function change(viewerId: string, entry: WatchingViewer, state: ViewerState): void {
    if (viewers.get(viewerId) !== entry) return;
    entry.state = state;
    if (state === "closed") {
      viewers.delete(viewerId);
      gone(viewerId);
    }
    report(viewerId, state);
  }

  async function close(viewerId: string): Promise<void> {
    const entry = viewers.get(viewerId);
    if (entry === undefined) return;
    change(viewerId, entry, "closed");
    await entry.viewer?.close();
  }

  return {
    get: (viewerId: string) => viewers.get(viewerId),
    set: (viewerId: string, entry: WatchingViewer) => void viewers.set(viewerId, entry),
    report,
    change,
    close,
    /** Closes the players of earlier epochs. */
    async closePlayersBelow(epoch: number): Promise<void> {
      const old = [...viewers].filter(([, entry]) => entry.epoch !== undefined && entry.epoch < epoch);
      await Promise.all(old.map(([viewerId]) => close(viewerId)));
    },
    sendCandidate(viewerId: string, candidate: IceCandidate): void {
      if (candidates.take(1)) platform?.notify("rtc.candidate", { ...candidate, machineId, viewerId });
    },
    reportTo(peer: Pick<AgentPeer, "notify">): void {
      platform = peer;
      for (const [viewerId, entry] of viewers) report(viewerId, entry.state);
    },
    async closeAll(): Promise<void> {
      await Promise.all([...viewers.keys()].map(close));
    },
  };
}

/** Candidates that arrive while an offer is still being answered; a browser sends a handful. */
const EARLY_CANDIDATES_MAX = 32;

type EarlyCandidates = ReturnType<typeof createEarlyCandidates>;

/** Keeps the candidates of viewers whose offer is being answered. */
function createEarlyCandidates() {
  const waiting = new Map<string, IceCandidate[]>();
  return {
    /** False when no offer of this viewer is being answered. */
    keep(viewerId: string, candidate: IceCandidate): boolean {
      const list = waiting.get(viewerId);
      if (list !== undefined && list.length < EARLY_CANDIDATES_MAX) list.push(candidate);
      return list !== undefined;
    },
    /** Starts to keep them; returns the function that takes what was kept and stops. */
    collect(viewerId: string): () => readonly IceCandidate[] {
      const list: IceCandidate[] = [];
      waiting.set(viewerId, list);
      return () => {
        if (waiting.get(viewerId) === list) waiting.delete(viewerId);
        return list.splice(0);
      };
    },
  };
}

/** Answers two offers of one viewer one after the other; different viewers do not wait for each other. */
function createQueuePerViewer(): <T>(viewerId: string, run: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { run: Queue; waiting: number }>();
  return (viewerId, run) => {
    const queue = queues.get(viewerId) ?? { run: createQueue(), waiting: 0 };
    queues.set(viewerId, queue);
    queue.waiting += 1;
    return queue.run(run).finally(() => {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(viewerId);
    });
  };
}
