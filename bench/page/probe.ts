import type { ConnectionTimes, ReceiverSums } from "./connection-log.ts";
import { logConnections } from "./connection-log.ts";
import type { ShownFrame } from "./frame-log.ts";
import { logFrames } from "./frame-log.ts";

/** What the bench saw of a page since it last asked. Times are ms. */
export type Seen = {
  readonly frames: readonly ShownFrame[];
  /** The key went down, and the picture with the flipped marker. Times are since 1970. */
  readonly presses: readonly { readonly at: number; readonly frame: ShownFrame }[];
  /** The click on a machine's card and the first picture of it, since 1970. */
  readonly firsts: readonly { readonly clickedAt: number; readonly shownAt: number }[];
  /** What the page itself showed as its delay, each time it changed it. */
  readonly readoutsMs: readonly number[];
};

export type Probe = {
  take(): Seen;
  /** Of every connection since the page began. */
  connections(): readonly ConnectionTimes[];
  /** Of the connection that stands now. */
  sums(): Promise<ReceiverSums | null>;
};

/*
 * Runs in every page of the bench, before the web. It watches from outside: the web knows nothing of it, and nothing the web does
 * is changed.
 */

type Kept = { -readonly [K in keyof Seen]: Seen[K][number][] };
const nothing = (): Kept => ({ frames: [], presses: [], firsts: [], readoutsMs: [] });
const connections = logConnections();
let seen = nothing();
let marker: boolean | null = null;
let pressed: { at: number; marker: boolean } | null = null;
let clickedAt: number | null = null;

function shown(frame: ShownFrame): void {
  seen.frames.push(frame);
  if (clickedAt !== null) seen.firsts.push({ clickedAt, shownAt: frame.shownAt });
  clickedAt = null;
  if (frame.marker === null) return;
  if (pressed !== null && frame.marker !== pressed.marker) {
    seen.presses.push({ at: pressed.at, frame });
    pressed = null;
  }
  marker = frame.marker;
}

function watchPage(): void {
  const known = new WeakSet<HTMLVideoElement>();
  let told: string | undefined;
  new MutationObserver(() => {
    for (const video of document.querySelectorAll("video")) {
      if (known.has(video)) continue;
      known.add(video);
      logFrames(video, shown);
    }
    const delay = document.querySelector<HTMLElement>("main[data-delay-ms]")?.dataset["delayMs"];
    if (delay !== undefined && delay !== told) seen.readoutsMs.push(Number(delay));
    told = delay;
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-delay-ms"] });
}

addEventListener(
  "keydown",
  ({ code, repeat, timeStamp }) => {
    if (code === "Space" && !repeat && marker !== null) pressed = { at: performance.timeOrigin + timeStamp, marker };
  },
  { capture: true },
);
addEventListener(
  "click",
  ({ target, timeStamp }) => {
    const card = target instanceof Element ? target.closest("[data-machine] a") : null;
    if (card !== null) clickedAt = performance.timeOrigin + timeStamp;
  },
  { capture: true },
);
watchPage();

const probe: Probe = {
  take() {
    const taken = seen;
    seen = nothing();
    return taken;
  },
  connections: () => connections.times,
  sums: connections.sums,
};
Object.assign(globalThis, { longarmProbe: probe });
