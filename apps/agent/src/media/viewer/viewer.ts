import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, VideoCodec, ViewerConnection } from "../../ports/transport.ts";
import type { RateLimits } from "../rate/rate-control.ts";
import { readRtcp } from "../rtcp/read.ts";
import type { MediaPacket } from "../rtp/packet.ts";
import type { PicturePackets } from "../rtp/picture-packets.ts";
import { createAllowance } from "./allowance.ts";
import { createLinkObserver } from "./link-observer.ts";
import { createOutlet } from "./outlet.ts";
import { createThinning } from "./thinning.ts";

export type ViewerRole = "player" | "spectator";

/** Figures of one viewer's link, for logs, meters and tests. */
export interface ViewerStats {
  /** What rate control allows, bit/s. */
  readonly bitrate: number;
  /** Really sent during the last second, bit/s. */
  readonly sentBps: number;
  /** The receiver's estimate, bit/s. */
  readonly rembBps: number | null;
  readonly roundTripMs: number | null;
  readonly lossFraction: number;
  readonly pictures: number;
  /** Pictures held back because this viewer's link is narrower than the encoder's rate. */
  readonly held: number;
  readonly repeated: number;
  /** Everything is sent twice, because the link loses packets. */
  readonly twins: boolean;
}

/** The sending side of one viewer: sequence numbers, repairs, reports, rate. Knows no encoder and no other viewer. */
export interface ViewerSender {
  /** Null until connected, and while paused. */
  readonly codec: VideoCodec | null;
  readonly connected: boolean;
  /** What the pictures may take, bit/s: with twins a part of what the link may carry. */
  readonly bitrate: number;
  /** The link has refused some rate; until then nothing says that it is narrow. */
  readonly refused: boolean;
  connect(streams: NegotiatedStreams): void;
  /** No pictures for now; sound goes on. True when pictures are wanted again, which begins with a key frame. */
  pause(paused: boolean): boolean;
  /** Sends a picture, or leaves it out: before the first key frame, or when `thinned` and over this link's rate. */
  picture(picture: PicturePackets, thinned: boolean): void;
  sound(packet: MediaPacket): void;
  /** Pictures have been left out for it: nothing goes before the next key frame. */
  skipped(): void;
  /** Reads one RTCP packet; true when the browser asks for a key frame, or needs one because a repeat comes too late. */
  rtcp(packet: Uint8Array): boolean;
  /** One turn of rate control, each 300 ms; true when a key frame would end a hold. */
  step(): boolean;
  /** Sender reports, once a second. */
  report(): void;
  /** How long pictures are being held back, ms. */
  heldMs(): number;
  stats(): ViewerStats;
}

/** `mayTwin`: a link that loses packets may have each of them twice; for the player, not for everybody who watches. */
export function createViewerSender(
  clock: Clock,
  connection: ViewerConnection,
  limits: RateLimits,
  mayTwin = false,
): ViewerSender {
  const link = createLinkObserver(clock.now());
  const gate = createGate(clock);
  const allowance = createAllowance(limits, mayTwin, clock.now());
  let outlet: ReturnType<typeof createOutlet> | null = null;

  return {
    get codec() {
      return gate.paused ? null : (outlet?.videoCodec ?? null);
    },
    get connected() {
      return outlet !== null;
    },
    get bitrate() {
      return allowance.pictures;
    },
    get refused() {
      return allowance.refused;
    },
    connect(streams) {
      // After an ICE restart the streams go on: a new sequence would look like a break to the decoder.
      outlet ??= createOutlet(clock, connection, streams);
      gate.pause(streams.paused === true);
    },
    pause: gate.pause,
    picture(picture, thinned) {
      if (outlet && gate.admits(picture, thinned, allowance.pictures)) outlet.picture(picture.packets, allowance.twins);
    },
    sound: (packet) => outlet?.sound(packet),
    skipped: gate.skipped,
    rtcp(packet) {
      if (!outlet) return false;
      let wantsKeyFrame = false;
      for (const message of readRtcp(packet)) {
        if (message.kind === "nack") wantsKeyFrame = outlet.repeat(message.ssrc, message.sequences) || wantsKeyFrame;
        else if (message.kind === "remb") link.remb(message.bitsPerSecond, clock.now());
        else if (message.kind === "keyFrame") wantsKeyFrame ||= message.ssrc === outlet.videoSsrc;
        else if (message.report.ssrc === outlet.videoSsrc) link.report(message.report, clock.now());
      }
      return wantsKeyFrame;
    },
    step() {
      if (outlet) allowance.step(clock.now(), link, { bps: outlet.sentBps(), counts: outlet.losses() });
      outlet?.tune(link.roundTripMs, allowance.whole);
      return gate.thinning.wantsKeyFrame(clock.now(), allowance.pictures);
    },
    report: () => outlet?.report(),
    heldMs: () => (gate.thinning.heldSinceMs === null ? 0 : clock.now() - gate.thinning.heldSinceMs),
    stats: () => ({
      bitrate: allowance.whole,
      sentBps: outlet?.sentBps() ?? 0,
      rembBps: link.rembBps,
      roundTripMs: link.roundTripMs,
      lossFraction: link.lossFraction,
      ...gate.counts(),
      repeated: outlet?.repeated() ?? 0,
      twins: allowance.twins,
    }),
  };
}

/** Which pictures go to the viewer: after a break the next one is a key frame. */
function createGate(clock: Clock) {
  const thinning = createThinning(clock.now());
  let synchronised = false;
  let paused = false;
  let pictures = 0;
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
    admits({ keyFrame, bytes }: PicturePackets, thinned: boolean, bitrate: number): boolean {
      if (!synchronised && !keyFrame) return false;
      synchronised = !thinned || thinning.admits(bytes, keyFrame, clock.now(), bitrate);
      if (!synchronised) held += 1;
      else pictures += 1;
      if (!thinned) thinning.released();
      return synchronised;
    },
    counts: () => ({ pictures, held }),
  };
}
