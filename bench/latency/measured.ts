import type { Spread } from "../../rig/figures.ts";
import { meanOf, spreadOf } from "../../rig/figures.ts";
import type { ReceiverSums, Seen } from "../setup/probe.ts";
import { jitterBufferMs, paintedAges } from "./stages.ts";

/** What a page showed, from agent or peer; read in the same way for the agent and for the peer. */
export type Measured = {
  /** Glass to glass, by the time painted into each picture. */
  readonly ages: Spread | null;
  readonly presses: Spread | null;
  readonly pressesNotSeen: number;
  readonly picturesPerSecond: number;
  readonly longestGapMs: number;
  /** From the capture until the browser had the last packet. */
  readonly toBrowser: Spread | null;
  /** Mean time in the jitter buffer, ms. */
  readonly jitterMs: number | null;
  readonly decode: Spread | null;
  /** Mean from the decoder to the screen, ms; inferred: what is left of the pictures' time in the browser. */
  readonly presentMs: number | null;
  /** Means of `ages` and `presses`. */
  readonly meanAgeMs: number | null;
  readonly meanPressMs: number | null;
};

type Sums = { readonly from: ReceiverSums | null; readonly to: ReceiverSums | null };

export function measuredOf(seen: Seen, presses: number, { from, to }: Sums): Measured {
  const watched = watchedOf(seen);
  const painted = paintedAges(seen.frames);
  const measured = seen.frames.flatMap(({ shownAt, receivedAt, decodeMs }) =>
    receivedAt === null || decodeMs === null ? [] : [{ decodeMs, restMs: shownAt - receivedAt - decodeMs }],
  );
  return {
    ages: spreadOf(painted.map(({ ageMs }) => ageMs)),
    presses: watched.presses,
    pressesNotSeen: presses - (watched.presses?.n ?? 0),
    picturesPerSecond: watched.framesPerSecond,
    longestGapMs: watched.longestGapMs,
    toBrowser: spreadOf(
      painted.flatMap(({ frame: { shownAt, receivedAt }, ageMs }) =>
        receivedAt === null ? [] : [ageMs - (shownAt - receivedAt)],
      ),
    ),
    ...inBrowser(jitterBufferMs(from, to), meanOf(measured.map(({ restMs }) => restMs))),
    decode: spreadOf(measured.map(({ decodeMs }) => decodeMs)),
    meanAgeMs: meanOf(painted.map(({ ageMs }) => ageMs)),
    meanPressMs: meanOf(seen.presses.map(({ at, frame }) => frame.shownAt - at)),
  };
}

/**
 * The time of the shown pictures in the browser, without the decoder's, in two. The counters also hold pictures that waited and were
 * never shown: where they report more than there is, all of it is the jitter buffer's.
 */
function inBrowser(countedMs: number | null, restMs: number | null): Pick<Measured, "jitterMs" | "presentMs"> {
  if (countedMs === null || restMs === null) return { jitterMs: null, presentMs: null };
  const jitterMs = Math.min(countedMs, restMs);
  return { jitterMs, presentMs: restMs - jitterMs };
}

/** Why the media did not go where it was to go; null: it did. */
export function strayed(wanted: { readonly damage: unknown; readonly turn?: string }, sums: ReceiverSums | null) {
  if (sums === null) return "there is no connection";
  const { protocol, relayProtocol } = sums;
  if (wanted.turn !== undefined && relayProtocol !== wanted.turn) return `it went by ${relayProtocol ?? "no relay"}`;
  if (wanted.damage === "tcp only" && protocol !== "tcp") return `it went over ${protocol}`;
  return null;
}

/** A gap between two pictures that a player notices, ms: five pictures missing. */
const NOTICED_MS = 200;

/** What a time of watching came to. */
type Watched = {
  readonly ages: Spread | null;
  readonly readouts: Spread | null;
  readonly presses: Spread | null;
  readonly framesPerSecond: number;
  /** Gaps between two pictures, ms. */
  readonly gaps: readonly number[];
  readonly noticedGaps: number;
  readonly longestGapMs: number;
};

export function watchedOf({ frames, presses, readoutsMs }: Seen): Watched {
  const shown = frames.map(({ shownAt }) => shownAt);
  const gaps = shown.slice(1).map((at, index) => at - (shown[index] ?? at));
  const lastedMs = (shown.at(-1) ?? 0) - (shown[0] ?? 0);
  return {
    ages: spreadOf(frames.flatMap(({ ageMs }) => (ageMs === null ? [] : [ageMs]))),
    readouts: spreadOf(readoutsMs),
    presses: spreadOf(presses.map(({ at, frame }) => frame.shownAt - at)),
    framesPerSecond: lastedMs === 0 ? 0 : (gaps.length * 1000) / lastedMs,
    gaps,
    noticedGaps: gaps.filter((gap) => gap > NOTICED_MS).length,
    longestGapMs: Math.max(0, ...gaps),
  };
}
