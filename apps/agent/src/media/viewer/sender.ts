import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, VideoCodec, ViewerConnection } from "../../ports/transport.ts";
import type { FramePackets } from "../rtp/frame-packets.ts";
import type { ReceiverReport } from "../rtp/rtcp.ts";
import { readRtcp } from "../rtp/rtcp.ts";
import type { MediaPacket } from "../rtp/rtp.ts";
import { compactNtp } from "../rtp/rtp.ts";
import type { LinkFlow } from "./departures.ts";
import { createOutlet } from "./outlet.ts";
import type { Counts, RateLimits, RateObservation } from "./rate-control.ts";
import {
  hasRefused,
  isRoomy,
  RATE_STEP_MS,
  startRate,
  stepProtection,
  stepRate,
  TWINS_COST,
  UNPROTECTED,
} from "./rate-control.ts";

/**
 * `crowd`: a media server, for any number of watchers. `staff`: somebody at the console; it comes after everybody. Nothing is encoded for
 * either that costs a player.
 */
export type ViewerRole = "player" | "spectator" | "crowd" | "staff";

/** Figures of one viewer's link, for logs, meters and tests. */
export interface ViewerStats {
  /** The bitrate of rate control, bit/s. */
  readonly bitrate: number;
  /** Sent during the last second, bit/s. */
  readonly sentBps: number;
  /** How long the queue in the link is, ms; null where the browser does not report when packets arrive. */
  readonly queueMs: number | null;
  readonly roundTripMs: number | null;
  readonly lossFraction: number;
  readonly frames: number;
  /** Frames held back because this viewer's link is narrower than the encoder's rate. */
  readonly held: number;
  readonly repeated: number;
  /** Frames are protected, because the link loses packets. */
  readonly protects: boolean;
}

/** The sending side of one viewer: sequence numbers, repeats, reports, rate. Independent of encoders and of other viewers. */
export interface ViewerSender {
  /** Null until connected, and while paused. */
  readonly codec: VideoCodec | null;
  readonly connected: boolean;
  /** The bitrate for frames, bit/s: with protection a part of the link's. */
  readonly bitrate: number;
  /** The link has refused a rate; until then there is no sign that it is narrow. */
  readonly refused: boolean;
  connect(streams: NegotiatedStreams): void;
  /** Pauses frames, not sound. True when frames are wanted again, which must start with a key frame. */
  pause(paused: boolean): boolean;
  /** The viewer wants its frames evenly (true) or at once; until it says so, at once. */
  smooth(smooth: boolean): void;
  /** Sends a frame, or skips it: before the first key frame, or when `thinned` and over this link's rate. */
  frame(frame: FramePackets, thinned: boolean): void;
  sound(packet: MediaPacket): void;
  /** Frames were left out for it: nothing is sent before the next key frame. */
  skipped(): void;
  /** Reads one RTCP packet; true when the browser requests a key frame, or needs one because a repeat would be too late. */
  rtcp(packet: Uint8Array): boolean;
  /** One look of rate control, each `RATE_LOOK_MS`; true when a key frame would end a hold. */
  step(): boolean;
  /** Sender reports, once a second. */
  report(): void;
  /** How long frames have been held back, ms. */
  heldMs(): number;
  stats(): ViewerStats;
}

/** `mayProtect`: on a link that loses packets frames may be protected; for the player, not for spectators. */
export function createViewerSender(
  clock: Clock,
  connection: ViewerConnection,
  limits: RateLimits,
  mayProtect = false,
): ViewerSender {
  const link = createLinkObserver(clock.now());
  const filter = createFrameFilter(clock);
  const allowance = createAllowance(limits, mayProtect, clock.now());
  let outlet: ReturnType<typeof createOutlet> | null = null;

  return {
    get codec() {
      return filter.paused ? null : (outlet?.videoCodec ?? null);
    },
    get connected() {
      return outlet !== null;
    },
    get bitrate() {
      return allowance.frames;
    },
    get refused() {
      return allowance.refused;
    },
    connect(streams) {
      // After an ICE restart the streams continue: a new sequence would look like a gap to the decoder.
      outlet ??= createOutlet(clock, connection, streams, allowance.whole);
      filter.pause(streams.paused === true);
    },
    pause: filter.pause,
    smooth: (smooth) => outlet?.smooth(smooth),
    frame(frame, thinned) {
      if (outlet && filter.admits(frame, thinned, allowance.frames)) outlet.frame(frame.packets, allowance.protects);
    },
    sound: (packet) => outlet?.sound(packet),
    skipped: filter.skipped,
    rtcp(packet) {
      const now = clock.now();
      return outlet !== null && receive(packet, outlet, link, allowance.hasRoom(now, link.roundTripMs), now);
    },
    step() {
      if (outlet) {
        const sent = { bps: outlet.videoBps(), counts: outlet.losses(), flow: outlet.flow(), ...outlet.protection() };
        allowance.step(clock.now(), link, sent);
      }
      outlet?.tune(link.roundTripMs, allowance.whole);
      return filter.thinning.wantsKeyFrame(clock.now(), allowance.frames);
    },
    report: () => outlet?.report(),
    heldMs: () => (filter.thinning.heldSinceMs === null ? 0 : clock.now() - filter.thinning.heldSinceMs),
    stats: () => ({
      bitrate: allowance.whole,
      sentBps: outlet?.sentBps() ?? 0,
      queueMs: allowance.queueMs,
      roundTripMs: link.roundTripMs,
      lossFraction: link.lossFraction,
      ...filter.counts(),
      repeated: outlet?.repeated() ?? 0,
      protects: allowance.protects,
    }),
  };
}

/** Reads one RTCP packet; true when a key frame is wanted. `hasRoom`: packets may be repeated generously. */
function receive(
  packet: Uint8Array,
  outlet: ReturnType<typeof createOutlet>,
  link: ReturnType<typeof createLinkObserver>,
  hasRoom: boolean,
  nowMs: number,
): boolean {
  let wantsKeyFrame = false;
  for (const message of readRtcp(packet)) {
    if (message.kind === "nack")
      wantsKeyFrame = outlet.repeat(message.ssrc, message.sequences, hasRoom) || wantsKeyFrame;
    else if (message.kind === "arrivals") outlet.arrived(message.arrivals, hasRoom);
    else if (message.kind === "keyFrame") wantsKeyFrame ||= message.ssrc === outlet.videoSsrc;
    else if (message.report.ssrc === outlet.videoSsrc) link.report(message.report, nowMs);
  }
  return wantsKeyFrame;
}

/** Decides which frames are sent to the viewer: after a gap the next one is a key frame. */
function createFrameFilter(clock: Clock) {
  const thinning = createThinning(clock.now());
  let synchronised = false;
  let paused = false;
  let frames = 0;
  let held = 0;
  return {
    thinning,
    get paused() {
      return paused;
    },
    pause(next: boolean): boolean {
      const again = paused && !next;
      paused = next;
      if (again) synchronised = false;
      return again;
    },
    skipped() {
      synchronised = false;
    },
    admits({ keyFrame, bytes }: FramePackets, thinned: boolean, bitrate: number): boolean {
      if (!synchronised && !keyFrame) return false;
      synchronised = !thinned || thinning.admits(bytes, keyFrame, clock.now(), bitrate);
      if (!synchronised) held += 1;
      else frames += 1;
      if (!thinned) thinning.released();
      return synchronised;
    },
    counts: () => ({ frames, held }),
  };
}

/** The bitrate of one link, and whether frames are protected. `mayProtect`: see `createViewerSender`. */
function createAllowance(limits: RateLimits, mayProtect: boolean, nowMs: number) {
  let rate = startRate(limits, nowMs);
  let protection = UNPROTECTED;
  let cost = TWINS_COST;
  let queueMs: number | null = null;
  let protectedAtMs = nowMs;
  return {
    get queueMs() {
      return queueMs;
    },
    /** The whole bitrate of the link, bit/s. */
    get whole() {
      return rate.bitrate;
    },
    /** The share for frames, bit/s. */
    get frames() {
      return protection.on ? Math.round(rate.bitrate / cost) : rate.bitrate;
    },
    get protects() {
      return protection.on;
    },
    get refused() {
      return hasRefused(rate);
    },
    /** Whether packets may be repeated generously. */
    hasRoom: (now: number, roundTripMs: number | null) => mayProtect && isRoomy(rate.backedOffAtMs, roundTripMs, now),
    /** One step of rate control. */
    step(
      now: number,
      link: ReturnType<typeof createLinkObserver>,
      sent: {
        readonly bps: number;
        readonly counts: Counts;
        readonly cost: number;
        readonly counted: boolean;
        readonly flow: LinkFlow | null;
      },
    ): void {
      const copies = protection.on && !sent.counted ? sent.cost : 1;
      const { flow } = sent;
      queueMs = flow?.queueMs ?? null;
      // The browser reports each packet once.
      const carried = flow && { ...flow, deliveredBps: flow.deliveredBps * copies };
      rate = stepRate(rate, { ...link.observe(now), flow: carried, sentBps: sent.bps * copies }, limits);
      if (!mayProtect || now - protectedAtMs < RATE_STEP_MS) return;
      protectedAtMs = now;
      const { bitrate, backedOffAtMs } = rate;
      const { roundTripMs } = link;
      cost = sent.cost;
      protection = stepProtection(protection, {
        nowMs: now,
        counts: sent.counts,
        bitrate,
        bitrateMin: limits.min,
        backedOffAtMs,
        roundTripMs,
      });
    },
  };
}

/** Unused bitrate that may be saved, ms. */
const SAVED_MS = 500;

/**
 * Keeps one viewer within its own link while the encoder follows another's: frames are sent until its allowance is used up,
 * then none until a key frame fits, because a frame without its predecessor cannot be decoded.
 */
interface Thinning {
  /** Whether a frame of this size may be sent now, bytes; one that is sent uses up allowance. */
  admits(bytes: number, keyFrame: boolean, nowMs: number, bitrate: number): boolean;
  /** True when frames are held back and a key frame could be afforded. */
  wantsKeyFrame(nowMs: number, bitrate: number): boolean;
  /** The viewer is not thinned any more, and a frame was sent without a check. */
  released(): void;
  /** Since when frames are held back, or null. */
  readonly heldSinceMs: number | null;
}

export function createThinning(nowMs: number): Thinning {
  let creditBytes = 0;
  let filledAtMs = nowMs;
  let heldSinceMs: number | null = null;
  let creditMax = 0;

  const fill = (now: number, bitrate: number) => {
    creditMax = (bitrate / 8000) * SAVED_MS;
    creditBytes = Math.min(creditMax, creditBytes + ((now - filledAtMs) * bitrate) / 8000);
    filledAtMs = now;
  };

  return {
    admits(bytes, keyFrame, now, bitrate) {
      fill(now, bitrate);
      const affordable = creditBytes >= Math.min(bytes, creditMax);
      if (!affordable || (heldSinceMs !== null && !keyFrame)) {
        heldSinceMs ??= now;
        return false;
      }
      heldSinceMs = null;
      creditBytes -= bytes;
      return true;
    },
    wantsKeyFrame(now, bitrate) {
      fill(now, bitrate);
      return heldSinceMs !== null && creditBytes >= creditMax / 2;
    },
    released() {
      heldSinceMs = null;
    },
    get heldSinceMs() {
      return heldSinceMs;
    },
  };
}

/** A longer round trip comes from a wrong echo, not from the link. */
const ROUND_TRIP_MS_MAX = 10_000;

/** Loss is judged over at least this time and this many packets: each NACK carries a report over a handful. */
const LOSS_WINDOW_MS = 1_000;
const LOSS_WINDOW_PACKETS = 50;

/** Collects what a receiver reports, for rate control and statistics. */
export function createLinkObserver(nowMs: number) {
  let lossFraction = 0;
  let unreadLoss = 0;
  let roundTripMs: number | null = null;
  let roundTripAtMs = nowMs;
  let heardAtMs = nowMs;
  let window: { atMs: number; report: ReceiverReport } | null = null;

  const judgeLoss = (report: ReceiverReport, now: number) => {
    window ??= { atMs: now, report };
    const packets = (report.highestSequence - window.report.highestSequence) >>> 0;
    if (now - window.atMs < LOSS_WINDOW_MS || packets < LOSS_WINDOW_PACKETS) return;
    lossFraction = Math.min(1, Math.max(0, (report.lostTotal - window.report.lostTotal) / packets));
    unreadLoss = Math.max(unreadLoss, lossFraction);
    window = { atMs: now, report };
  };

  return {
    report(report: ReceiverReport, now: number): void {
      heardAtMs = now;
      judgeLoss(report, now);
      if (report.lastSenderReport === 0) return;
      const echo = (compactNtp(now) - report.lastSenderReport - report.delaySinceLast) >>> 0;
      const echoMs = (echo * 1000) / 65_536;
      if (echoMs > ROUND_TRIP_MS_MAX) return;
      roundTripMs = echoMs;
      roundTripAtMs = now;
    },
    get roundTripMs() {
      return roundTripMs;
    },
    get lossFraction() {
      return lossFraction;
    },
    /** For one step of rate control; a reported loss is judged once. */
    observe(now: number): Omit<RateObservation, "flow" | "sentBps"> {
      const lossFraction = unreadLoss;
      unreadLoss = 0;
      return { nowMs: now, lossFraction, roundTripMs, roundTripAtMs, heardAtMs };
    },
  };
}
