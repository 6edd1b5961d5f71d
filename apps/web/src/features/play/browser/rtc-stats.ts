import type { MediaPath, RtcStats } from "../state/picture/rtc-port.ts";

type Totals = { jitterBufferDelay: number; jitterBufferEmittedCount: number; totalDecodeTime: number };
type Kept = RtcStats & { readonly totals?: Totals };

/** Reads the counters that matter out of the browser's report. Means are of the time since `before`. */
export function readStats(report: Iterable<[string, unknown]>, before: Kept | undefined): Kept {
  const all = [...report].map(([, entry]) => entry as Record<string, unknown>);
  const videos = all.filter((entry) => entry["type"] === "inbound-rtp" && entry["kind"] === "video");
  // The machine's own is the offer's first section; the room camera's comes beside it.
  const video = videos.find((entry) => entry["mid"] === "0") ?? videos[0] ?? {};
  const pair = selectedPair(all);
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
    linkBytes: numberOf(pair["bytesReceived"]),
    packetsReceived: numberOf(video["packetsReceived"]),
    packetsLost: numberOf(video["packetsLost"]),
    framesDecoded,
    roundTripMs: typeof roundTrip === "number" ? roundTrip * 1_000 : undefined,
    jitterBufferMs: meanMs(totals.jitterBufferDelay - (old?.jitterBufferDelay ?? 0), emitted),
    decodeMs: meanMs(totals.totalDecodeTime - (old?.totalDecodeTime ?? 0), decoded),
    path: pathOf(all, pair, video),
    totals,
  };
}

type Entry = Record<string, unknown>;

/** After a restart several pairs were nominated in turn: the transport says which is in use, where the browser tells. */
function selectedPair(all: readonly Entry[]): Entry {
  const id = all.find((entry) => entry["type"] === "transport")?.["selectedCandidatePairId"];
  const pairs = all.filter((entry) => entry["type"] === "candidate-pair");
  return pairs.find((entry) => id !== undefined && entry["id"] === id) ?? pairs.find(isNominated) ?? {};
}

const isNominated = (pair: Entry): boolean => pair["nominated"] === true;

function pathOf(all: readonly Entry[], pair: Entry, video: Entry): MediaPath {
  const byId = (id: unknown): Entry => all.find((entry) => id !== undefined && entry["id"] === id) ?? {};
  const own = byId(pair["localCandidateId"]);
  // A relayed address is always UDP; how the relay is reached stands beside it.
  const protocol = own["relayProtocol"] ?? own["protocol"];
  const overTcp = protocol === "tcp" || protocol === "tls" ? "tcp" : undefined;
  return {
    protocol: protocol === "udp" ? "udp" : overTcp,
    own: textOf(own["candidateType"]),
    theirs: textOf(byId(pair["remoteCandidateId"])["candidateType"]),
    codec: textOf(byId(video["codecId"])["mimeType"])?.replace(/^video\//, ""),
    width: sizeOf(video["frameWidth"]),
    height: sizeOf(video["frameHeight"]),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const sizeOf = (value: unknown): number | undefined => (typeof value === "number" && value > 0 ? value : undefined);

function meanMs(seconds: number, count: number): number {
  return count > 0 && seconds > 0 ? (seconds * 1_000) / count : 0;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
