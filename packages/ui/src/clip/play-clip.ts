import type { SegmentFacts } from "./segment.ts";
import { readSegment } from "./segment.ts";
import { asWebm } from "./webm.ts";

/** A segment that is here. `fromMs`: when its first frame was taken, ms since 1970 by the agent's clock. */
export type ClipSegmentBytes = { readonly fromMs: number; readonly bytes: ArrayBuffer };

/** A recording in a video element. Times are ms since 1970 by the agent's clock. */
export type PlayedClip = {
  /** When each frame was taken, in order. */
  readonly frames: readonly number[];
  readonly endMs: number;
  /** The number of the frame that is shown. */
  frame(): number;
  /** Shows a frame, and pauses. */
  show(frame: number): void;
  /** Plays on from where it is; behind a gap, from where there is a picture again. */
  play(): void;
  close(): void;
};

/** Longer than this without a picture is a gap where playing ends; less is passed by itself, s. */
const GAP_S = 0.5;

/**
 * Puts a recording into a video element. `cannotPlay`: this browser reads none of its formats. `stopped`: it cannot be played to its end after all.
 * @throws Error: a segment is damaged.
 */
export function playClip(
  video: HTMLVideoElement,
  segments: readonly ClipSegmentBytes[],
  stopped: () => void,
): PlayedClip | "cannotPlay" {
  const Source = sourceKind();
  const parts = segments.map(({ fromMs, bytes }) => ({ fromMs, ...playableOf(bytes, Source) }));
  const [first] = parts;
  if (Source === undefined || first === undefined || parts.some(({ type }) => type === undefined)) return "cannotPlay";
  const source = new Source();
  const address = URL.createObjectURL(source);
  video.disableRemotePlayback = true;
  video.src = address;
  const base = first.fromMs;
  const frames = parts.flatMap(({ fromMs, facts }) => facts.frames.map(({ atMs }) => fromMs + atMs));
  const endMs = Math.max(...parts.map(({ fromMs, facts }) => fromMs + facts.endMs));
  const begun = new AbortController();
  const once = { once: true, signal: begun.signal };
  source.addEventListener("sourceopen", () => void feed(source, endMs - base, base, parts).catch(stopped), once);
  video.addEventListener("error", stopped, once);
  video.addEventListener("waiting", () => passGap(video), { signal: begun.signal });
  const nowMs = () => base + video.currentTime * 1_000;

  return {
    ...{ frames, endMs },
    frame: () => frameAt(frames, nowMs()),
    show(frame) {
      video.pause();
      const at = frames[frame] ?? base;
      // The middle of the time in which it is shown: rounding finds no other frame.
      const half = Math.min(((frames[frame + 1] ?? endMs) - at) / 2, 15);
      video.currentTime = (at + half - base) / 1_000;
    },
    play() {
      const next = gapAt(video)?.end;
      if (next !== undefined) video.currentTime = next + 0.001;
      void video.play().catch(() => undefined);
    },
    close() {
      begun.abort();
      video.removeAttribute("src");
      video.load();
      URL.revokeObjectURL(address);
    },
  };
}

/** The number of the frame that is shown at a time: the last one taken by then. */
export function frameAt(frames: readonly number[], ms: number): number {
  let [low, high] = [0, frames.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((frames[middle] ?? 0) <= ms + 0.5) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** iPhones have a kind of their own. */
const sourceKind = (): typeof MediaSource | undefined =>
  (globalThis as { ManagedMediaSource?: typeof MediaSource }).ManagedMediaSource ?? globalThis.MediaSource;

type Playable = {
  readonly facts: SegmentFacts;
  /** Undefined: this browser does not read it. */
  readonly type: string | undefined;
  readonly bytes: BufferSource;
};

/** Browsers that make VP8 read it in WebM only. */
function playableOf(bytes: ArrayBuffer, Source: typeof MediaSource | undefined): Playable {
  const facts = readSegment(bytes);
  const reads = (type: string) => Source?.isTypeSupported(type) === true;
  if (reads(facts.type)) return { facts, type: facts.type, bytes };
  const webm = 'video/webm; codecs="vp8"';
  if (facts.codec === "vp8" && reads(webm)) return { facts, type: webm, bytes: asWebm(facts) };
  return { facts, type: undefined, bytes };
}

type Part = Playable & { readonly fromMs: number };

/** Each segment begins at its own time. */
async function feed(source: MediaSource, lengthMs: number, base: number, parts: readonly Part[]): Promise<void> {
  let type = parts[0]?.type ?? "";
  const buffer = source.addSourceBuffer(type);
  // A place that is not read yet can be shown: the browser waits until it is.
  source.duration = lengthMs / 1_000;
  for (const part of parts) {
    if (part.type !== undefined && part.type !== type) buffer.changeType(part.type);
    type = part.type ?? type;
    buffer.timestampOffset = (part.fromMs - base) / 1_000;
    await new Promise<void>((resolve, reject) => {
      buffer.addEventListener("updateend", () => resolve(), { once: true });
      buffer.addEventListener("error", () => reject(new Error("A segment was refused.")), { once: true });
      buffer.appendBuffer(part.bytes);
    });
  }
  source.endOfStream();
}

/** A browser may stop so much before a gap, s: at the begin of the last frame. */
const BEFORE_GAP_S = 0.3;

/** The gap in which playing is, or less than `before` ahead of which; s. */
function gapAt(video: HTMLVideoElement, before = 0): { readonly from: number; readonly end: number } | undefined {
  const { buffered, currentTime } = video;
  for (let n = 1; n < buffered.length; n += 1) {
    const [from, end] = [buffered.end(n - 1), buffered.start(n)];
    if (currentTime >= from - before && currentTime < end) return { from, end };
  }
  return undefined;
}

function passGap(video: HTMLVideoElement): void {
  const gap = gapAt(video, BEFORE_GAP_S);
  if (gap === undefined || video.paused) return;
  const isLong = gap.end - gap.from > GAP_S;
  if (isLong) video.pause();
  video.currentTime = (isLong ? gap.from : gap.end) + 0.002;
}
