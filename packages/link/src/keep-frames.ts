import type { SocketEvents } from "./socket.ts";

/** Keeps what comes before somebody listens, and gives it first, in order. */
export function keepFrames(): SocketEvents & { listen(events: SocketEvents): void } {
  let listener: SocketEvents | undefined;
  const kept: ((events: SocketEvents) => void)[] = [];
  const give = (what: (events: SocketEvents) => void): void => {
    if (listener === undefined) kept.push(what);
    else what(listener);
  };
  return {
    text: (frame) => give((events) => events.text(frame)),
    binary: () => give((events) => events.binary()),
    closed: (code, reason) => give((events) => events.closed(code, reason)),
    listen(events) {
      listener = events;
      for (const what of kept.splice(0)) what(events);
    },
  };
}
