import type { Stop, Timers } from "@longarm/link/socket";

/** What of the agent's pictures the page wants now. What it does not want is not sent, and so not decoded. */
export type Wanted = {
  /** The machine's own. */
  readonly picture: boolean;
  /** The room around it. */
  readonly room: boolean;
};

/** After an offer that was not answered, ms; doubles up to the most. The platform lets one offer through each two seconds. */
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 30_000;
/** A picture that is wanted again has so long to come before it is missed, ms. */
const BACK_MS = 2_000;

export type WantedDeps = {
  readonly timers: Timers;
  /** Tells the agent what is wanted; true when it knows. */
  readonly ask: () => Promise<boolean>;
};

/** Keeps what the agent sends in step with what is wanted: one question at a time, asked again until it is answered. */
export class WantedPictures {
  readonly #deps: WantedDeps;
  #now: Wanted = { picture: true, room: false };
  #asking = false;
  #again = false;
  #retryMs = RETRY_MS;
  #stopRetry: Stop = () => {};
  #stopBack: Stop = () => {};
  #comingBack = false;
  #ended = false;

  constructor(deps: WantedDeps) {
    this.#deps = deps;
  }

  /** Who does not look at the machine does not look at the room either. */
  get now(): Wanted {
    const { picture, room } = this.#now;
    return { picture, room: picture && room };
  }

  /** The machine's picture is not missed: it is not wanted, or is just being asked for again. */
  get resting(): boolean {
    return !this.#now.picture || this.#comingBack;
  }

  change(part: Partial<Wanted>): void {
    const next = { ...this.#now, ...part };
    if (next.picture === this.#now.picture && next.room === this.#now.room) return;
    if (next.picture && !this.#now.picture) this.#comeBack();
    this.#now = next;
    this.look();
  }

  /** Asks, where something is to be asked: also after a change of the connection. */
  look(): void {
    this.#stopRetry();
    this.#again = this.#asking;
    if (!this.#asking && !this.#ended) void this.#ask();
  }

  end(): void {
    this.#ended = true;
    this.#stopRetry();
    this.#stopBack();
  }

  #comeBack(): void {
    this.#comingBack = true;
    this.#stopBack();
    this.#stopBack = this.#deps.timers.after(BACK_MS, () => {
      this.#comingBack = false;
    });
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    const known = await this.#deps.ask();
    this.#asking = false;
    if (this.#ended) return;
    if (this.#again) this.look();
    else if (known) this.#retryMs = RETRY_MS;
    else {
      this.#stopRetry = this.#deps.timers.after(this.#retryMs, () => this.look());
      this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
    }
  }
}
