import type { Stop } from "@longarm/link/socket";

/** Owns what must end together: sockets, timers, connections. They end in the opposite order of their creation. */
export type Scope = {
  /** Runs at the end; at once when the scope has ended already. */
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
      const errors: unknown[] = [];
      for (const stop of stops.reverse()) {
        // A stop that throws must not keep a camera, a socket or a timer open.
        try {
          stop();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0)
        throw new AggregateError(errors, "A part of the game screen could not be ended; the others were.");
    },
    get ended() {
      return ended;
    },
  };
}
