import type { AgentNotify } from "../link/agent-peer.ts";
import type { MachineViewer } from "../media/broadcast.ts";

export type ViewerState = "connecting" | "connected" | "closed";

/** One viewer. `epoch` is set for a player: the seat its connection speaks for. */
export type Watching = { viewer: MachineViewer | undefined; epoch: number | undefined; state: ViewerState };

/** Who watches a machine, and what the platform is told about it. */
export interface WatchingList {
  get(viewerId: string): Watching | undefined;
  set(viewerId: string, entry: Watching): void;
  tell(viewerId: string, state: ViewerState): void;
  /** Takes a new state of an entry over; one that was replaced meanwhile is nobody any more. */
  settle(viewerId: string, entry: Watching, state: ViewerState): void;
  close(viewerId: string): Promise<void>;
  /** Closes the players of older epochs. */
  closePlayersBelow(epoch: number): Promise<void>;
  tellAll(): void;
  closeAll(): Promise<void>;
}

export function createWatchingList(machineId: string, notify: AgentNotify): WatchingList {
  const watching = new Map<string, Watching>();

  const list: WatchingList = {
    get: (viewerId) => watching.get(viewerId),
    set: (viewerId, entry) => void watching.set(viewerId, entry),
    tell: (viewerId, state) => notify("viewers", { machineId, viewerId, state, count: watching.size }),
    settle: (viewerId, entry, state) => {
      if (watching.get(viewerId) !== entry) return;
      entry.state = state;
      if (state === "closed") watching.delete(viewerId);
      list.tell(viewerId, state);
    },
    close: async (viewerId) => {
      const entry = watching.get(viewerId);
      if (entry === undefined) return;
      list.settle(viewerId, entry, "closed");
      await entry.viewer?.close();
    },
    closePlayersBelow: async (epoch) => {
      const old = [...watching].filter(([, entry]) => entry.epoch !== undefined && entry.epoch < epoch);
      await Promise.all(old.map(([viewerId]) => list.close(viewerId)));
    },
    tellAll: () => {
      for (const [viewerId, entry] of watching) list.tell(viewerId, entry.state);
    },
    closeAll: async () => {
      await Promise.all([...watching.keys()].map(list.close));
    },
  };
  return list;
}
