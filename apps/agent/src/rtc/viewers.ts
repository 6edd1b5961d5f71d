import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { Queue } from "../machine/machine-queue.ts";
import { createQueue } from "../machine/machine-queue.ts";
import type { MachineViewer } from "../media/broadcast.ts";
import { OfferProblem } from "../ports/transport.ts";
import type { Grants } from "../seat/grants.ts";
import type { JoinDeps, ViewerOffer } from "./join.ts";
import { createEarlyCandidates, join } from "./join.ts";
import { createWatchingList } from "./watching.ts";

export type { ViewerOffer } from "./join.ts";

export type ViewersDeps = JoinDeps & { readonly grants: Grants };

/** Who watches one machine. A player's connection lives as long as its epoch; the picture of a spectator does not depend on the seat. */
export interface Viewers {
  /** Refuses with: seat.stale_epoch, request.invalid (the offer cannot be answered; the detail says why). */
  offer(offer: ViewerOffer): Promise<Handled<{ sdp: string }>>;
  /** A candidate of the browser; null ends its list. Unknown viewers are ignored. */
  candidate(viewerId: string, candidate: { candidate: string | null; sdpMid: string | null }): void;
  close(viewerId: string): Promise<void>;
  /** Tells the platform about everybody again. */
  tellAll(): void;
  /** Closes everybody. */
  end(): Promise<void>;
}

export function createViewers(deps: ViewersDeps): Viewers {
  const list = createWatchingList(deps.machineId, deps.notify);
  const early = createEarlyCandidates();
  const inOrder = createQueueByViewer();

  async function answer(offer: ViewerOffer): Promise<Handled<{ sdp: string }>> {
    if (!mayWatch(deps.grants, offer)) return refused("seat.stale_epoch");
    const entry = list.get(offer.viewerId);
    const same = entry?.viewer?.role === offer.role && entry.epoch === offer.epoch;
    try {
      if (!same || entry.viewer === undefined) return done(await join(deps, list, early, offer));
      return done(await restart(entry.viewer, offer));
    } catch (error) {
      if (error instanceof OfferProblem) return refused("request.invalid", { detail: error.message });
      throw error;
    }
  }

  /** A further offer is an ICE restart of the same page, or a new page under the old name: then it starts afresh. */
  async function restart(viewer: MachineViewer, offer: ViewerOffer): Promise<{ sdp: string }> {
    try {
      return { sdp: await viewer.renegotiate(offer.sdp) };
    } catch {
      return await join(deps, list, early, offer);
    }
  }

  const stopLost = deps.grants.onLost((epoch) => void list.closePlayersBelow(epoch));
  return {
    offer: (offer) => inOrder(offer.viewerId, () => answer(offer)),
    candidate: (viewerId, { candidate, sdpMid }) => {
      if (candidate === null || candidate === "") return;
      if (early.keep(viewerId, { candidate, sdpMid })) return;
      list.get(viewerId)?.viewer?.addCandidate({ candidate, sdpMid });
    },
    close: list.close,
    tellAll: list.tellAll,
    end: async () => {
      stopLost();
      await list.closeAll();
    },
  };
}

/** A player's connection is made for the present holder alone; its lease only rules presses. */
function mayWatch(grants: Grants, { role, epoch }: ViewerOffer): boolean {
  if (role === "spectator") return true;
  const refusal = epoch === undefined ? "stale epoch" : grants.check(epoch);
  return refusal === undefined || refusal === "lease expired";
}

/** Two offers of one viewer are answered one after the other; different viewers do not wait for each other. */
function createQueueByViewer(): <T>(viewerId: string, run: () => Promise<T>) => Promise<T> {
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
