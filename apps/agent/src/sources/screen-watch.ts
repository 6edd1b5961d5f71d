import { statSync } from "node:fs";
import { connect } from "node:net";
import type { Clock, Stop } from "../ports/clock.ts";

/** How often an X server is looked for, ms. */
const LOOK_MS = 1_000;

/**
 * Says once that a local X server has gone or was started anew: the capture itself does not notice, and shows its last picture for
 * ever. A server without a socket in the usual place is not watched.
 */
export function watchScreen(display: string, clock: Clock, gone: () => void): Stop {
  const [, number = ""] = /^:(\d+)/.exec(display) ?? [];
  const path = `/tmp/.X11-unix/X${number}`;
  const first = socketOf(path);
  if (first === undefined) return () => undefined;
  let stopped = false;
  const tell = () => {
    if (stopped) return;
    stop();
    gone();
  };
  const look = () => {
    if (socketOf(path) !== first) tell();
    else {
      const socket = connect(path, () => socket.destroy());
      socket.on("error", tell);
    }
  };
  const stopLooking = clock.every(LOOK_MS, look);
  function stop(): void {
    stopped = true;
    stopLooking();
  }
  return stop;
}

function socketOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
