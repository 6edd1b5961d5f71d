import type { Stop, Timers } from "@longarm/link/socket";

/** Which video of the agent the page wants now. The agent does not send the rest, so the browser does not decode it. */
export type Wanted = {
  readonly machine: boolean;
  /** The room around it. */
  readonly room: boolean;
};

/** Wait after an offer that was not answered, ms; doubles up to the maximum. The platform accepts one offer every two seconds. */
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 30_000;
/** Video that is wanted again has so long to arrive before it is missing, ms. */
const BACK_MS = 2_000;

/** Keeps what the agent sends in step with what is wanted: one offer at a time, repeated until it is answered. */
export class WantedVideo {
  readonly #timers: Timers;
  readonly #offer: () => Promise<boolean>;
  #now: Wanted = { machine: true, room: false };
  #offering = false;
  #again = false;
  #retryMs = RETRY_MS;
  #stopRetry: Stop = () => {};
  #stopBack: Stop = () => {};
  #comingBack = false;
  #shown = false;
  #ended = false;

  /** `offer`: sends the agent what is wanted; true once the agent knows it. */
  constructor(timers: Timers, offer: () => Promise<boolean>) {
    this.#timers = timers;
    this.#offer = offer;
  }

  /** A page that does not show the machine does not show the room either. The room waits for the machine's first frame, which its offer would delay. */
  get now(): Wanted {
    const { machine, room } = this.#now;
    return { machine, room: machine && room && this.#shown };
  }

  /** The machine's video is not missing: it is not wanted, or was requested again just now. */
  get resting(): boolean {
    return !this.#now.machine || this.#comingBack;
  }

  change(part: Partial<Wanted>): void {
    const next = { ...this.#now, ...part };
    if (next.machine === this.#now.machine && next.room === this.#now.room) return;
    if (next.machine && !this.#now.machine) this.#comeBack();
    this.#now = next;
    this.sync();
  }

  /** A frame of the machine was shown. */
  frameShown(): void {
    if (this.#shown) return;
    this.#shown = true;
    if (this.#now.room) this.sync();
  }

  /** Makes an offer where one is needed: also after a change of the connection. */
  sync(): void {
    this.#stopRetry();
    this.#again = this.#offering;
    if (!this.#offering && !this.#ended) void this.#makeOffer();
  }

  end(): void {
    this.#ended = true;
    this.#stopRetry();
    this.#stopBack();
  }

  #comeBack(): void {
    this.#comingBack = true;
    this.#stopBack();
    this.#stopBack = this.#timers.after(BACK_MS, () => {
      this.#comingBack = false;
    });
  }

  async #makeOffer(): Promise<void> {
    this.#offering = true;
    const known = await this.#offer();
    this.#offering = false;
    if (this.#ended) return;
    if (this.#again) this.sync();
    else if (known) this.#retryMs = RETRY_MS;
    else {
      this.#stopRetry = this.#timers.after(this.#retryMs, () => this.sync());
      this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
    }
  }
}
