import { ABS_SEND_TIME_ID, PAYLOAD } from "./connection.ts";
import { LinkEstimate } from "./link-estimate.ts";
import type { Picture } from "./pictures.ts";
import { Pictures } from "./pictures.ts";
import type { StreamCounts } from "./received-stream.ts";
import { ReceivedStream } from "./received-stream.ts";
import { readSenderReports, writeNack, writePli, writeReceiverReport, writeRemb } from "./rtcp.ts";
import type { RtpPacket } from "./rtp.ts";
import { readRtp } from "./rtp.ts";

export type MediaDeps = {
  readonly now: () => number;
  readonly sendRtcp: (packet: Buffer) => void;
  /** Pictures are missing: the page asks over its `clock` channel too. */
  readonly wantKey: () => void;
  readonly picture: (picture: Picture) => void;
};

const REPORT_EVERY_MS = 1_000;
/** Before the first one is known, ms. */
const ROUND_TRIP_MS = 100;
const NONE: StreamCounts = { packets: 0, bytes: 0, missed: 0, repaired: 0, reordered: 0, nacks: 0 };

/** Picture and sound of one connection from their RTP packets, and what their receiver tells the sender, as a browser does. */
export class Media {
  readonly #deps: MediaDeps;
  readonly #estimate = new LinkEstimate();
  #video: ReceivedStream | undefined;
  #sound: ReceivedStream | undefined;
  #pictures: Pictures | undefined;
  #roundTripMs = ROUND_TRIP_MS;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: MediaDeps) {
    this.#deps = deps;
  }

  counts(): { video: StreamCounts; sound: StreamCounts } {
    return { video: this.#video?.counts ?? NONE, sound: this.#sound?.counts ?? NONE };
  }

  /** A decrypted RTP packet. */
  rtp(bytes: Buffer): void {
    const packet = readRtp(bytes, ABS_SEND_TIME_ID);
    if (packet === undefined) return;
    const nowMs = this.#deps.now();
    if (packet.payloadType === PAYLOAD.opus) {
      this.#sound ??= new ReceivedStream(packet.ssrc, 48);
      this.#sound.take(packet.sequence, packet.timestamp, bytes.length, nowMs);
    } else if (packet.payloadType === PAYLOAD.h264 || packet.payloadType === PAYLOAD.vp8)
      this.#videoPacket(packet, bytes.length, nowMs);
  }

  rtcp(bytes: Buffer): void {
    for (const { ssrc, ntpMiddle } of readSenderReports(bytes))
      for (const stream of [this.#video, this.#sound])
        if (stream?.ssrc === ssrc) stream.senderReport(ntpMiddle, this.#deps.now());
  }

  /** Asks for what is missing and reports; to be called several times a second. */
  look(nowMs: number, roundTripMs: number | undefined): void {
    this.#roundTripMs = roundTripMs ?? ROUND_TRIP_MS;
    const video = this.#video;
    if (video !== undefined) {
      this.#askAgain(video, nowMs);
      const bitsPerSecond = this.#estimate.due(nowMs);
      if (bitsPerSecond !== undefined) this.#deps.sendRtcp(writeRemb(video.ssrc, bitsPerSecond));
    }
    if (nowMs - this.#reportedAtMs < REPORT_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    const streams = [video, this.#sound].filter((one) => one !== undefined);
    this.#deps.sendRtcp(writeReceiverReport(streams.map((one) => one.report(nowMs))));
  }

  #videoPacket(packet: RtpPacket, bytes: number, nowMs: number): void {
    if (this.#video?.ssrc !== packet.ssrc) {
      this.#video = new ReceivedStream(packet.ssrc, 90);
      const codec = packet.payloadType === PAYLOAD.h264 ? "h264" : "vp8";
      this.#pictures = new Pictures({ codec, picture: this.#deps.picture });
    }
    this.#estimate.take(bytes, packet.sentAt, nowMs);
    const missed = this.#video.counts.missed;
    const number = this.#video.take(packet.sequence, packet.timestamp, bytes, nowMs);
    if (number === undefined) return;
    this.#pictures?.add(number, packet, nowMs);
    if (this.#video.counts.missed > missed) this.#askAgain(this.#video, nowMs);
  }

  #askAgain(video: ReceivedStream, nowMs: number): void {
    const sequences = video.toAsk(nowMs, this.#roundTripMs);
    if (sequences.length > 0) this.#deps.sendRtcp(writeNack(video.ssrc, sequences));
    if (!this.#pictures?.wantsKey(nowMs)) return;
    this.#deps.sendRtcp(writePli(video.ssrc));
    this.#deps.wantKey();
  }
}
