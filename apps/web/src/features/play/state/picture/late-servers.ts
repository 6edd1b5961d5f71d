import type { IceServer } from "@longarm/contract/ice-server";
import type { Stop, Timers } from "@longarm/link/socket";
import { hasRelay, serversFor } from "../recovery/way.ts";
import type { Line } from "./line.ts";

/** A direct way has been found by then, where there is one, ms. */
const DIRECT_MS = 500;
/** Servers are good for ten minutes (docs/contract.md, section 3); those known for less than this are taken for good, ms. */
export const FRESH_MS = 300_000;

export type LateServersDeps = {
  /** Those of the settings. */
  readonly iceServers: readonly IceServer[];
  readonly timers: Timers;
  readonly now: () => number;
};

/**
 * The servers to ask for addresses, minted anew with each answer of the platform. A browser asks those that it learns of after its offer
 * only with a restart: where only a relay leads to the machine that is not put off until pictures are missed.
 */
export class LateServers {
  readonly #deps: LateServersDeps;
  readonly #restart: (line: Line) => void;
  #known: readonly IceServer[];
  #knownAt = Number.NEGATIVE_INFINITY;
  /** Asked none, or old ones. */
  #late: Line | undefined;
  #stop: Stop = () => {};

  constructor(deps: LateServersDeps, restart: (line: Line) => void) {
    this.#deps = deps;
    this.#restart = restart;
    this.#known = deps.iceServers;
  }

  get known(): readonly IceServer[] {
    return this.#known;
  }

  /** They were minted once, and may be good no more. */
  get worn(): boolean {
    return Number.isFinite(this.#knownAt) && this.#old;
  }

  get #old(): boolean {
    return this.#deps.now() - this.#knownAt >= FRESH_MS;
  }

  /** The line is about to restart. */
  ask(line: Line): void {
    line.setIceServers(this.#known);
    this.asked(line);
  }

  /** The line asks what was known until now. */
  asked(line: Line): void {
    this.#late = this.#old ? line : undefined;
    this.#stop();
  }

  /** What an answer to the line brought; nothing: what is known holds. */
  learned(servers: readonly IceServer[], line: Line | undefined): void {
    if (servers.length === 0) return;
    this.#known = servers;
    this.#knownAt = this.#deps.now();
    if (line === undefined || line !== this.#late || !hasRelay(serversFor(line.way, servers))) return;
    this.#late = undefined;
    this.#stop = this.#deps.timers.after(DIRECT_MS, () => {
      if (line.state === "connecting") this.#restart(line);
    });
  }

  end(): void {
    this.#stop();
  }
}
