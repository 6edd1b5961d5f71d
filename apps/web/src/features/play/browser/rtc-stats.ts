import type { RtcStats } from "../state/picture/rtc-port.ts";

type Totals = { jitterBufferDelay: number; jitterBufferEmittedCount: number; totalDecodeTime: number };
type Kept = RtcStats & { readonly totals?: Totals };

/** Reads the counters that matter out of the browser's report. Means are of the time since `before`. */
export function readStats(report: Iterable<[string, unknown]>, before: Kept | undefined): Kept {
  const all = [...report].map(([, entry]) => entry as Record<string, unknown>);
  const video = all.find((entry) => entry["type"] === "inbound-rtp" && entry["kind"] === "video") ?? {};
  const pair = all.find((entry) => entry["type"] === "candidate-pair" && entry["nominated"] === true) ?? {};
  const framesDecoded = numberOf(video["framesDecoded"]);
  const totals: Totals = {
    jitterBufferDelay: numberOf(video["jitterBufferDelay"]),
    jitterBufferEmittedCount: numberOf(video["jitterBufferEmittedCount"]),
    totalDecodeTime: numberOf(video["totalDecodeTime"]),
  };
  const old = before?.totals;
  const emitted = totals.jitterBufferEmittedCount - (old?.jitterBufferEmittedCount ?? 0);
  const decoded = framesDecoded - (before?.framesDecoded ?? 0);
  const roundTrip = pair["currentRoundTripTime"];
  return {
    videoBytes: numberOf(video["bytesReceived"]),
    packetsReceived: numberOf(video["packetsReceived"]),
    packetsLost: numberOf(video["packetsLost"]),
    framesDecoded,
    roundTripMs: typeof roundTrip === "number" ? roundTrip * 1_000 : undefined,
    jitterBufferMs: meanMs(totals.jitterBufferDelay - (old?.jitterBufferDelay ?? 0), emitted),
    decodeMs: meanMs(totals.totalDecodeTime - (old?.totalDecodeTime ?? 0), decoded),
    totals,
  };
}

function meanMs(seconds: number, count: number): number {
  return count > 0 && seconds > 0 ? (seconds * 1_000) / count : 0;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
