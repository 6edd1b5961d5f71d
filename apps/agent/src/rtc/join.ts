import type { AgentNotify } from "../link/agent-peer.ts";
import type { MachineBroadcast } from "../media/broadcast.ts";
import type { IceCandidate, IceServer } from "../ports/transport.ts";
import { OfferProblem } from "../ports/transport.ts";
import type { PressGate } from "../press/gate.ts";
import type { Watching, WatchingList } from "./watching.ts";

export type ViewerOffer = {
  viewerId: string;
  role: "player" | "spectator";
  epoch?: number | undefined;
  sdp: string;
  iceServers: readonly IceServer[];
  framesPerSecond?: number | undefined;
};

export type JoinDeps = {
  readonly machineId: string;
  readonly broadcast: MachineBroadcast;
  readonly gate: PressGate;
  readonly notify: AgentNotify;
};

/** Candidates that come while an offer is still being answered; a browser sends a handful. */
const EARLY_CANDIDATES_MAX = 32;

/** Candidates by viewer whose offer is being answered. */
export interface EarlyCandidates {
  /** False when no offer of this viewer is being answered. */
  keep(viewerId: string, candidate: IceCandidate): boolean;
  /** Answers what was kept meanwhile, once. */
  open(viewerId: string): () => readonly IceCandidate[];
}

export function createEarlyCandidates(): EarlyCandidates {
  const waiting = new Map<string, IceCandidate[]>();
  return {
    keep: (viewerId, candidate) => {
      const list = waiting.get(viewerId);
      if (list !== undefined && list.length < EARLY_CANDIDATES_MAX) list.push(candidate);
      return list !== undefined;
    },
    open: (viewerId) => {
      const list: IceCandidate[] = [];
      waiting.set(viewerId, list);
      return () => {
        if (waiting.get(viewerId) === list) waiting.delete(viewerId);
        return list.splice(0);
      };
    },
  };
}

/** Makes one viewer's connection. Rejects with an `OfferProblem`; the connection of before then stays as it was. */
export async function join(
  deps: JoinDeps,
  list: WatchingList,
  early: EarlyCandidates,
  offer: ViewerOffer,
): Promise<{ sdp: string }> {
  const { machineId, broadcast, gate, notify } = deps;
  const { viewerId, role, sdp, iceServers, framesPerSecond } = offer;
  const epoch = role === "player" ? offer.epoch : undefined;
  const entry: Watching = { viewer: undefined, epoch, state: "connecting" };
  const before = list.get(viewerId);
  list.set(viewerId, entry);
  const takeEarly = early.open(viewerId);
  try {
    const joined = await broadcast.addViewer({
      viewerId,
      role,
      sdp,
      iceServers,
      framesPerSecond,
      onPress: (message) => onPress(gate, message, epoch),
      connected: () => list.settle(viewerId, entry, "connected"),
      interrupted: () => list.settle(viewerId, entry, "connecting"),
      closed: () => list.settle(viewerId, entry, "closed"),
      candidate: (candidate) => notify("rtc.candidate", { ...candidate, machineId, viewerId }),
    });
    entry.viewer = joined.viewer;
    for (const candidate of takeEarly()) joined.viewer.addCandidate(candidate);
    if (list.get(viewerId) !== entry) {
      // The seat was lost, or the viewer was closed, while the offer was being answered.
      await joined.viewer.close();
      throw new OfferProblem("The connection was closed before it was made.");
    }
    list.tell(viewerId, entry.state);
    return { sdp: joined.sdp };
  } catch (error) {
    if (before === undefined || list.get(viewerId) !== entry) list.settle(viewerId, entry, "closed");
    else list.set(viewerId, before);
    throw error;
  } finally {
    takeEarly();
  }
}

/** Spectators have no epoch, and their presses are not even answered. */
async function onPress(gate: PressGate, message: Uint8Array, epoch: number | undefined): Promise<Uint8Array | null> {
  if (epoch === undefined) return null;
  const reply = await gate.frame(message, epoch);
  return reply === undefined ? null : new TextEncoder().encode(JSON.stringify(reply));
}
