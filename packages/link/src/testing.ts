import { keepFrames } from "./keep-frames.ts";
import type { FrameSocket, Stop, Timers } from "./socket.ts";

/** Timers that a test moves by hand. */
export function fakeTimers(): Timers & { advance(ms: number): void; readonly waiting: number } {
  let now = 0;
  const due = new Map<object, { at: number; run: () => void }>();
  return {
    after(delayMs, run): Stop {
      const key = {};
      due.set(key, { at: now + delayMs, run });
      return () => due.delete(key);
    },
    advance(ms) {
      now += ms;
      for (const [key, timer] of [...due].sort(([, a], [, b]) => a.at - b.at)) {
        if (timer.at > now || !due.delete(key)) continue;
        timer.run();
      }
    },
    get waiting() {
      return due.size;
    },
  };
}

/** One end of a socket in memory; `received` keeps every frame it was sent. */
export type MemorySocket = FrameSocket & { readonly received: string[] };

/** Two ends of a socket in memory. A frame arrives in order, at once; closing one end closes both. */
export function socketPair(): [MemorySocket, MemorySocket] {
  const ends = [keepFrames(), keepFrames()] as const;
  const received: [string[], string[]] = [[], []];
  let open = true;
  const make = (me: 0 | 1): MemorySocket => {
    const other = me === 0 ? 1 : 0;
    return {
      received: received[me],
      send(text) {
        if (!open) return;
        received[other].push(text);
        ends[other].text(text);
      },
      close(code, reason) {
        if (!open) return;
        open = false;
        for (const end of ends) end.closed(code, reason);
      },
      waitingBytes: () => 0,
      listen: ends[me].listen,
    };
  };
  return [make(0), make(1)];
}

/** The environment of a Node process that runs this module before its program: what a test does to a program does not ship with it. */
export function preload(source: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source.trim())}` };
}

/** Kills the process, as kill -9 would, when it publishes `{ name: step }` on the diagnostics channel. */
export const killedAt = (channel: string, step: string) =>
  preload(`
    import { subscribe } from "node:diagnostics_channel";
    subscribe("${channel}", ({ name }) => name === "${step}" && process.kill(process.pid, "SIGKILL"));`);
