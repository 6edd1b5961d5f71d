import type { Stop } from "@longarm/link/socket";

/** Owns what must end together: sockets, timers, connections. Ended in the opposite order of its making. */
export type Scope = {
  /** Runs at the end; at once when the end has come already. */
  onEnd(stop: Stop): void;
  end(): void;
  readonly ended: boolean;
};

export function createScope(): Scope {
  const stops: Stop[] = [];
  let ended = false;
  return {
    onEnd(stop) {
      if (ended) stop();
      else stops.push(stop);
    },
    end() {
      if (ended) return;
      ended = true;
      for (const stop of stops.reverse()) stop();
    },
    get ended() {
      return ended;
    },
  };
}
