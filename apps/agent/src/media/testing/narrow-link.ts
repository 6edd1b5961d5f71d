import type { ViewerConnection } from "../../ports/transport.ts";
import { seededDice } from "../../testing/dice.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { createFramePacketizer } from "../rtp/frame-packets.ts";
import { burstBytes } from "../viewer/pacer.ts";
import { RATE_LOOK_MS } from "../viewer/rate-control.ts";
import type { ViewerSender } from "../viewer/sender.ts";
import { createViewerSender } from "../viewer/sender.ts";

/** UDP, IP and the tag of SRTP. */
const ENVELOPE_BYTES = 38;
/** How often a browser reports arrivals, ms. */
const REPORT_MS = 50;
/** An encoder needs up to this for a frame, ms. */
const ENCODE_MS_MAX = 10;
const FRAME_MS = 1_000 / 30;
const START_MS = 1_700_000_000_000;

export interface LinkSettings {
  bitsPerSecond: number;
  /** One way, ms. */
  readonly delayMs: number;
  /** Room of its queue, ms; what does not fit is dropped. */
  readonly queueMs: number;
  /** Up to so much later for a packet, ms. */
  readonly jitterMs?: number;
  readonly loss?: number;
}

/** A link with one queue for all that goes through it, in virtual time. */
export function narrowLink(given: LinkSettings, seed = 1) {
  const settings = { ...given };
  const clock = fakeClock(START_MS);
  let freeAtMs = clock.now();
  const dice = seededDice(seed);
  return {
    clock,
    dice,
    settings,
    queueMs: () => Math.max(0, freeAtMs - clock.now()),
    /** Sends a packet through; false when it is dropped. */
    carry(bytes: number, arrive: (atMs: number) => void): boolean {
      const waitMs = Math.max(0, freeAtMs - clock.now());
      if (waitMs > settings.queueMs || dice() < (settings.loss ?? 0)) return false;
      freeAtMs = clock.now() + waitMs + (bytes * 8_000) / settings.bitsPerSecond;
      const jitterMs = dice() * (settings.jitterMs ?? 0);
      clock.after(freeAtMs - clock.now() + settings.delayMs + jitterMs, () => arrive(clock.now()));
      return true;
    },
  };
}

/** Counts bytes by the time at which they arrive, in ms since the start of the link's clock. */
export function arrivalMeter() {
  const arrived: { readonly atMs: number; readonly bytes: number }[] = [];
  return {
    add: (bytes: number, nowMs: number) => void arrived.push({ atMs: nowMs - START_MS, bytes }),
    /** Bit/s between two times. */
    rate(fromMs: number, toMs: number): number {
      const within = arrived.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
      return (within.reduce((sum, { bytes }) => sum + bytes, 0) * 8_000) / (toMs - fromMs);
    },
  };
}

/** The most that leaves at one moment, as a share of the rate buffer at the link's rate. */
export function burstMeter() {
  let [atMs, bytes, most] = [0, 0, 0];
  return {
    add(more: number, bitsPerSecond: number, nowMs: number): void {
      bytes = nowMs === atMs ? bytes + more : more;
      atMs = nowMs;
      most = Math.max(most, bytes / burstBytes(bitsPerSecond));
    },
    most: () => most,
  };
}

export type NarrowLink = ReturnType<typeof narrowLink>;

const STREAM = { payloadType: 108, ssrc: 0x1234, playoutDelayId: null, transportSequenceId: 3 };
/** Where a packet of the stream has its number: after the fixed header, the head of the extensions and the id. */
const NUMBER_AT = 17;

const LIMITS = { start: 1_000_000, min: 250_000, max: 3_000_000 };

/** A viewer behind the link: the sender is the agent's, encoder and browser are imitated. `made`: the share of its rate that the encoder makes. */
export function joinLink(link: NarrowLink, made = 1) {
  const { clock, dice, settings } = link;
  const frames: number[] = [];
  const meter = arrivalMeter();
  const bursts = burstMeter();
  let waiting = new Map<number, number>();
  let highest = -1;
  let reported = 0;
  const connection = {
    sendVideo(packets: readonly Uint8Array[]) {
      for (const packet of packets) {
        const bytes = Buffer.from(packet);
        const number = bytes.readUInt16BE(NUMBER_AT);
        bursts.add(bytes.length, sender.stats().bitrate, clock.now());
        link.carry(bytes.length + ENVELOPE_BYTES, (atMs) => {
          meter.add(bytes.length + ENVELOPE_BYTES, atMs);
          // The counter of a test does not turn over within 60,000 packets of one report.
          const full = number + Math.round((highest - number) / 65_536) * 65_536;
          waiting.set(full, atMs);
          highest = Math.max(highest, full);
          if (((bytes[1] ?? 0) & 0x80) !== 0) frames.push(atMs - START_MS);
        });
      }
    },
    sendAudio: () => undefined,
    sendRtcp: () => undefined,
  } as unknown as ViewerConnection;
  const sender: ViewerSender = createViewerSender(clock, connection, LIMITS);
  sender.connect({ videoCodec: "vp8", video: STREAM, audio: null, cname: "m" });
  const packetize = createFramePacketizer("vp8");
  let first = true;
  clock.every(FRAME_MS, () => {
    const bytes = (sender.bitrate / 8_000) * FRAME_MS * made * (0.7 + 0.55 * dice());
    clock.after(ENCODE_MS_MAX * dice(), () => {
      sender.frame(packetize(new Uint8Array(Math.round(bytes)), first, clock.now()), false);
      first = false;
    });
  });
  clock.every(RATE_LOOK_MS, () => sender.step());
  clock.every(REPORT_MS, () => {
    if (waiting.size === 0) return;
    const arrivals = waiting;
    waiting = new Map();
    const from = Math.min(reported, ...arrivals.keys());
    reported = highest + 1;
    const report = writeArrivals(from, highest, arrivals);
    clock.after(settings.delayMs, () => sender.rtcp(report));
  });
  clock.every(1_000, () => clock.after(settings.delayMs, () => sender.rtcp(emptyReport())));
  return {
    sender,
    rate: meter.rate,
    /** The largest burst, as a share of the rate buffer. */
    largestBurst: bursts.most,
    /** The longest time from a frame to the next between two times, ms. */
    longestGapMs(fromMs: number, toMs: number): number {
      const times = frames.filter((atMs) => atMs >= fromMs && atMs < toMs);
      return Math.max(...times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0)));
    },
  };
}

/** A receiver report of the stream without a round trip: it says that the browser is there. */
function emptyReport(): Buffer {
  const out = Buffer.alloc(32);
  out.write("81c90007", "hex");
  out.writeUInt32BE(STREAM.ssrc, 8);
  return out;
}

/** Transport-wide feedback of packets `from` to `to`, each with a large step. */
export function writeArrivals(from: number, to: number, arrivals: ReadonlyMap<number, number>): Buffer {
  const count = to - from + 1;
  const chunks = Math.ceil(count / 7);
  const firstAtMs = Math.min(...arrivals.values());
  const reference = Math.floor(firstAtMs / 64);
  const out = Buffer.alloc(Math.ceil((20 + 2 * chunks + 2 * arrivals.size) / 4) * 4);
  out.writeUInt16BE(0x8fcd, 0);
  out.writeUInt16BE(out.length / 4 - 1, 2);
  out.writeUInt16BE(from & 0xffff, 12);
  out.writeUInt16BE(count, 14);
  out.writeIntBE(((reference & 0xffffff) << 8) >> 8, 16, 3);
  let at = 20 + 2 * chunks;
  let ticks = reference * 256;
  for (let index = 0; index < count; index += 1) {
    const arrivedAtMs = arrivals.get(from + index);
    const chunkAt = 20 + 2 * Math.floor(index / 7);
    out.writeUInt16BE(out.readUInt16BE(chunkAt) | 0xc000, chunkAt);
    if (arrivedAtMs === undefined) continue;
    out.writeUInt16BE(out.readUInt16BE(chunkAt) | (2 << (12 - 2 * (index % 7))), chunkAt);
    const tick = Math.round(arrivedAtMs * 4);
    out.writeInt16BE(tick - ticks, at);
    ticks = tick;
    at += 2;
  }
  return out;
}
