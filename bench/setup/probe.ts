import { PICTURE_HEIGHT, PICTURE_WIDTH, TIME_CODE } from "@longarm/reels/picture/reading/layout";
import type { TimeCode } from "@longarm/reels/picture/reading/time-code";
import { readTimeCode, timeCodeAge } from "@longarm/reels/picture/reading/time-code";

/** When a connection of the page came as far, ms since 1970; null: it did not. */
export type ConnectionTimes = {
  readonly madeAt: number;
  answeredAt: number | null;
  /** A pair of addresses is connected. */
  pairedAt: number | null;
  /** DTLS is done too. */
  connectedAt: number | null;
};

/** Sums of the browser's own counters of received pictures, seconds and numbers. */
export type ReceiverSums = {
  /** From a picture's first packet until it left the jitter buffer; and the part of it until its last packet. */
  readonly jitterBufferS: number;
  readonly assembledS: number;
  readonly emitted: number;
  /** Decoded and not shown. */
  readonly dropped: number;
  /** Of the pair that carries the media: the page's protocol, and its way to a TURN server. */
  readonly protocol: string | null;
  readonly relayProtocol: string | null;
};

type ConnectionLog = {
  /** Times of each connection, in the order they were made. */
  readonly times: readonly ConnectionTimes[];
  /** Of the current connection; null: there is none. */
  sums(): Promise<ReceiverSums | null>;
};

const now = (): number => performance.timeOrigin + performance.now();

/** Notes every connection that the page makes from now on. None is kept alive by it. */
function logConnections(): ConnectionLog {
  const times: ConnectionTimes[] = [];
  const made: WeakRef<RTCPeerConnection>[] = [];
  globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
    construct(target, args, self) {
      const peer = Reflect.construct(target, args, self) as RTCPeerConnection;
      made.push(new WeakRef(peer));
      times.push(timesOf(peer));
      return peer;
    },
  });
  return {
    times,
    async sums() {
      const connected = made.map((one) => one.deref()).findLast((peer) => peer?.connectionState === "connected");
      return connected === undefined ? null : sumsOf(await connected.getStats());
    },
  };
}

function timesOf(peer: RTCPeerConnection): ConnectionTimes {
  const times: ConnectionTimes = { madeAt: now(), answeredAt: null, pairedAt: null, connectedAt: null };
  peer.addEventListener("signalingstatechange", () => {
    if (peer.signalingState === "stable") times.answeredAt ??= now();
  });
  peer.addEventListener("iceconnectionstatechange", () => {
    if (peer.iceConnectionState === "connected") times.pairedAt ??= now();
  });
  peer.addEventListener("connectionstatechange", () => {
    if (peer.connectionState === "connected") times.connectedAt ??= now();
  });
  return times;
}

function sumsOf(report: RTCStatsReport): ReceiverSums {
  const rows = [...report.values()] as Record<string, unknown>[];
  const inbound = rows.find((row) => row["type"] === "inbound-rtp" && row["kind"] === "video") ?? {};
  const transport = rows.find((row) => row["type"] === "transport") ?? {};
  const pair = rows.find((row) => row["id"] === transport["selectedCandidatePairId"]) ?? {};
  const local = rows.find((row) => row["id"] === pair["localCandidateId"]) ?? {};
  return {
    jitterBufferS: Number(inbound["jitterBufferDelay"] ?? 0),
    assembledS: Number(inbound["totalAssemblyTime"] ?? 0),
    emitted: Number(inbound["jitterBufferEmittedCount"] ?? 0),
    dropped: Number(inbound["framesDropped"] ?? 0),
    protocol: (local["protocol"] as string | undefined) ?? null,
    relayProtocol: (local["relayProtocol"] as string | undefined) ?? null,
  };
}

/** One picture as it was shown: when (ms since 1970), how old it was then, and its press marker. */
export type ShownFrame = {
  readonly shownAt: number;
  /**
   * By the time of capture painted into it. Null where that cannot be read with certainty, or is not the one its RTP timestamp
   * reports: a late callback finds the next picture in the element already.
   */
  readonly ageMs: number | null;
  /** Null where the time code cannot be read. */
  readonly marker: boolean | null;
  /** The time painted into it, ms modulo 2^16; null where it cannot be read. It may be the next picture's, as above. */
  readonly code: number | null;
  /** Its RTP timestamp, when its last packet came (ms since 1970) and its time in the decoder (ms); null: the browser does not report it. */
  readonly rtp: number | null;
  readonly receivedAt: number | null;
  readonly decodeMs: number | null;
};

/** RTP timestamps are the capture clock at 90 kHz, 32 bits of it. */
const RTP_PER_MS = 90;
const RTP_TURN = 2 ** 32;
const CODE_TURN = 65_536;

/** Reports each picture of the machine that a video element presents, read from the strip along its lower edge; none of the room's camera. */
function logFrames(video: HTMLVideoElement, shown: (frame: ShownFrame) => void): void {
  const read = createReader();
  const next = async (_now: number, metadata: VideoFrameCallbackMetadata): Promise<void> => {
    const { presentationTime, rtpTimestamp, receiveTime, processingDuration } = metadata;
    video.requestVideoFrameCallback(next);
    if (video.videoWidth !== PICTURE_WIDTH) return;
    const shownAt = performance.timeOrigin + presentationTime;
    const code = await read(video);
    const capturedAt = rtpTimestamp === undefined ? undefined : capturedNear(shownAt, rtpTimestamp);
    const agrees = code !== null && capturedAt !== undefined && isSame(code, capturedAt);
    shown({
      shownAt,
      ageMs: agrees ? shownAt - capturedAt : null,
      marker: code?.marker ?? null,
      code: code?.time ?? null,
      rtp: rtpTimestamp ?? null,
      receivedAt: receiveTime === undefined ? null : performance.timeOrigin + receiveTime,
      decodeMs: processingDuration === undefined ? null : processingDuration * 1_000,
    });
  };
  video.requestVideoFrameCallback(next);
}

/** The capture time (ms since 1970) nearest to `at` that has this RTP timestamp. */
function capturedNear(at: number, rtpTimestamp: number): number {
  const turns = Math.round((at * RTP_PER_MS - rtpTimestamp) / RTP_TURN);
  return (turns * RTP_TURN + rtpTimestamp) / RTP_PER_MS;
}

/** The code holds whole milliseconds, the timestamp is rounded too. */
function isSame(code: TimeCode, capturedAt: number): boolean {
  const apart = timeCodeAge(code, capturedAt);
  return Math.min(apart, CODE_TURN - apart) <= 1.5;
}

/** Copies only the luma of the strip out of the decoded frame: a canvas would turn the whole frame into RGB first, 10 ms of processor time. */
function createReader(): (video: HTMLVideoElement) => Promise<TimeCode | null> {
  const { y, height } = TIME_CODE;
  const rect = { x: 0, y, width: PICTURE_WIDTH, height };
  const data = new Uint8Array((PICTURE_WIDTH * PICTURE_HEIGHT * 3) / 2);
  return async (video) => {
    const frame = new VideoFrame(video);
    try {
      // Planes of the strip lie one behind the other, luma first, where the strip is in a whole frame.
      await frame.copyTo(data.subarray(y * PICTURE_WIDTH), { rect });
      return frame.format === "I420" || frame.format === "NV12"
        ? readTimeCode({ data, width: PICTURE_WIDTH, height: PICTURE_HEIGHT, layout: "i420" })
        : null;
    } finally {
      frame.close();
    }
  };
}

/** What the bench saw of a page since its last reading. Times are ms. */
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
  /** Of the current connection. */
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
  let lastDelay: string | undefined;
  new MutationObserver(() => {
    for (const video of document.querySelectorAll("video")) {
      if (known.has(video)) continue;
      known.add(video);
      logFrames(video, shown);
    }
    const delay = document.querySelector<HTMLElement>("main[data-delay-ms]")?.dataset["delayMs"];
    if (delay !== undefined && delay !== lastDelay) seen.readoutsMs.push(Number(delay));
    lastDelay = delay;
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
