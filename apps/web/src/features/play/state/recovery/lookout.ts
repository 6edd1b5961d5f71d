import type { Stop, Timers } from "@longarm/link/socket";
import { lossBetween } from "../picture/readout.ts";
import type { RtcStats } from "../picture/rtc-port.ts";
import type { Ladder, Sign } from "./ladder.ts";
import { LOOK_MS, POOR_LOSS } from "./ladder.ts";
import type { WayBack } from "./way-back.ts";

/** Counters are read at every second look, and told at every fifth. */
const LOOKS_A_READING = 2;
const LOOKS_A_TELLING = 5;

export type LookoutDeps = {
  readonly timers: Timers;
  /** The page is not on the screen: nothing is drawn. */
  readonly hidden: () => boolean;
  readonly ladder: Ladder;
  readonly wayBack: WayBack;
  readonly read: () => Promise<RtcStats | undefined> | undefined;
  /** The counters, twice a second. */
  readonly stats: (stats: RtcStats) => void;
  /** Ten times a second: for how long no picture came, ms. */
  readonly looked: (missingMs: number) => void;
  /** The picture is not wanted for now, so nothing of it is missing. */
  readonly resting: () => boolean;
  /** It is time to try UDP again. */
  readonly goBack: () => void;
};

/** Looks at the pictures and the counters regularly; what it sees drives the ladder and the way back to UDP. */
export class Lookout {
  readonly #deps: LookoutDeps;
  #stop: Stop = () => {};
  #looks = 0;
  #sign: Sign | undefined;
  #told: RtcStats | undefined;
  #ended = false;

  constructor(deps: LookoutDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stop();
    this.#stop = this.#deps.timers.after(LOOK_MS, () => {
      this.#look();
      this.start();
    });
  }

  end(): void {
    this.#ended = true;
    this.#stop();
  }

  #look(): void {
    const { ladder, wayBack, read, looked, goBack, resting } = this.#deps;
    this.#looks += 1;
    if (this.#looks % LOOKS_A_READING === 0) void read()?.then((stats) => this.#heard(stats));
    if (resting()) ladder.shown();
    ladder.look(this.#sign);
    const missingMs = ladder.missingMs();
    looked(missingMs);
    if (missingMs <= LOOK_MS && wayBack.due()) goBack();
  }

  #heard(stats: RtcStats | undefined): void {
    if (stats === undefined || this.#ended) return;
    const udp = stats.path.protocol !== "tcp";
    let poor = this.#sign?.poor === true;
    if (this.#told === undefined || this.#looks % LOOKS_A_TELLING === 0) {
      poor = lossBetween(this.#told, stats) >= POOR_LOSS;
      this.#told = stats;
      this.#deps.stats(stats);
      this.#deps.wayBack.goes(udp);
    }
    const { videoBytes: bytes, framesDecoded: frames, linkBytes } = stats;
    this.#sign = { bytes, frames, linkBytes, hidden: this.#deps.hidden(), poor, udp };
  }
}
