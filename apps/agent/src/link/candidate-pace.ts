import type { Clock } from "../ports/clock.ts";
import type { AgentNotify } from "./agent-peer.ts";

/** Candidates told in a second over one link; dozens of players that join at once need fewer, because their answers carry most. */
export const CANDIDATES_PER_SECOND = 400;
const SECOND_MS = 1_000;

/**
 * Keeps our own candidates from flooding the link: the platform closes one that says too much, and with it all machines would go. What is
 * left out costs a browser one of its ways to us, never the others.
 */
export function paceCandidates(notify: AgentNotify, clock: Clock): AgentNotify {
  let secondAtMs = clock.now();
  let told = 0;
  return (method, data) => {
    if (method === "rtc.candidate") {
      const now = clock.now();
      if (now - secondAtMs >= SECOND_MS || now < secondAtMs) {
        secondAtMs = now;
        told = 0;
      }
      told += 1;
      if (told > CANDIDATES_PER_SECOND) return;
    }
    notify(method, data);
  };
}
