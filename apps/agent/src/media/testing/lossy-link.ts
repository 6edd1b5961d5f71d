import type { ViewerConnection } from "../../ports/transport.ts";
import { seededDice } from "../../testing/dice.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { createFramePacketizer } from "../rtp/frame-packets.ts";
import { compactNtp, FIXED_HEADER_BYTES, rtpHeaderBytes } from "../rtp/rtp.ts";
import { RATE_LOOK_MS } from "../viewer/rate-control.ts";
import { createViewerSender } from "../viewer/sender.ts";
import { burstMeter, writeArrivals } from "./narrow-link.ts";

/** As Chromium has it: how often it looks for packets to request again, and after how long it requests one again (it learns no round trip), ms. */
const NACK_LOOK_MS = 20;
const NACK_AGAIN_MS = 100;
const NACKS_MAX = 10;
/** How often it reports arrivals, ms. */
const REPORT_MS = 50;
const FRAME_MS = 1_000 / 30;
const ENCODE_MS_MAX = 5;
const START_MS = 1_700_000_000_000;
const STREAM = { payloadType: 108, ssrc: 0x1234, playoutDelayId: null, transportSequenceId: 3 };
const REPAIR = { payloadType: 49, ssrc: 0x1235 };
const LIMITS = { start: 1_000_000, min: 250_000, max: 1_100_000 };
/** Where a repair packet has its first number and its mask, after its header. */
const BASE_AT = 16;
const MASK_AT = 18;

export interface Losses {
  /** Share of packets lost, each way. */
  readonly loss: number;
  /** Packets lost together, on average. */
  readonly burst?: number;
  /** One way, ms. */
  readonly delayMs: number;
  /** The browser takes no repair packets. */
  readonly twins?: boolean;
  /** The share of its rate that the encoder makes. */
  readonly made?: number;
}

/** Plays for so long over a link that loses packets, in virtual time: the sender is the agent's, encoder and browser are imitated. */
export function playOverLosses(losses: Losses, playMs: number, seed: number) {
  const clock = fakeClock(START_MS);
  const dice = seededDice(seed);
  const [down, up] = [lossyWay(losses, dice), lossyWay(losses, dice)];
  const later = (run: () => void) => clock.after(losses.delayMs, run);
  let bytes = 0;
  let mediaBytes = 0;
  const bursts = burstMeter();
  const takenAtMs = new Map<number, number>();
  const browser = imitateBrowser(clock, (packet) => {
    if (!up()) later(() => sender.rtcp(packet));
  });
  const connection = {
    sendVideo(packets: readonly Uint8Array[]) {
      for (const sent of packets) {
        // The agent writes its number into a packet of which a copy may go later.
        const packet = Buffer.from(sent);
        bytes += packet.length;
        bursts.add(packet.length, sender.stats().bitrate, clock.now());
        browser.sent(packet);
        if (!down()) later(() => browser.take(packet));
      }
    },
    sendAudio: () => undefined,
    sendRtcp: () => undefined,
  } as unknown as ViewerConnection;
  const sender = createViewerSender(clock, connection, LIMITS, true);
  const video = losses.twins === true ? STREAM : { ...STREAM, repair: REPAIR };
  sender.connect({ videoCodec: "vp8", video, audio: null, cname: "m" });
  const packetize = createFramePacketizer("vp8");
  let first = true;
  clock.every(FRAME_MS, () => {
    const size = Math.round((sender.bitrate / 8_000) * FRAME_MS * (losses.made ?? 0.8) * (0.7 + 0.6 * dice()));
    const atMs = clock.now();
    clock.after(ENCODE_MS_MAX * dice(), () => {
      const frame = packetize(new Uint8Array(size), first, atMs);
      mediaBytes += frame.bytes;
      takenAtMs.set(frame.timestamp, atMs);
      sender.frame(frame, false);
      first = false;
    });
  });
  clock.every(RATE_LOOK_MS, () => sender.step());
  clock.every(1_000, () => !up() && later(() => sender.rtcp(roundTripReport(clock.now() - 2 * losses.delayMs))));
  clock.advance(playMs);
  const shown = browser.shown.filter(({ atMs }) => atMs > START_MS);
  const ages = shown.map(({ atMs, timestamp }) => atMs - (takenAtMs.get(timestamp) ?? Number.NaN));
  const gaps = shown.slice(1).map(({ atMs }, at) => atMs - (shown[at]?.atMs ?? 0));
  return {
    ages,
    gaps,
    longestGapMs: Math.max(...gaps),
    /** Bytes sent for each of the encoder's. */
    cost: bytes / mediaBytes,
    /** The largest burst, as a share of the rate buffer. */
    largestBurst: bursts.most(),
    stats: sender.stats(),
  };
}

/** Whether the next packet is lost. */
function lossyWay({ loss, burst = 1 }: Losses, dice: () => number): () => boolean {
  let isBurst = false;
  return () => {
    isBurst = isBurst ? dice() < 1 - 1 / burst : dice() < loss / burst;
    return isBurst;
  };
}

/** Chromium's receiver: requests, repairs and reports as it does, and shows each frame as soon as it and all before it are there. */
function imitateBrowser(clock: ReturnType<typeof fakeClock>, send: (rtcp: Buffer) => void) {
  const known = new Map<number, { readonly timestamp: number; readonly marker: boolean }>();
  const repairs = new Set<{ readonly members: readonly number[]; readonly timestamp: number }>();
  const shown: { readonly atMs: number; readonly timestamp: number }[] = [];
  let newest = -1;
  let next = -1;
  const requests = createRequests(clock, send);
  const arrivals = createArrivalReports(clock, send);

  const show = () => {
    for (;;) {
      let end = next;
      while (known.get(end)?.marker === false) end += 1;
      const last = known.get(end);
      if (last === undefined) return;
      shown.push({ atMs: clock.now(), timestamp: last.timestamp });
      for (let number = next; number <= end; number += 1) known.delete(number);
      next = end + 1;
    }
  };
  const repair = () => {
    for (const one of repairs) {
      const lost = one.members.filter((number) => number >= next && !known.has(number));
      if (lost.length > 1) continue;
      repairs.delete(one);
      const [number] = lost;
      if (number === undefined) continue;
      add(number, { timestamp: one.timestamp, marker: markers.has(number & 0xffff) });
      return repair();
    }
  };
  const markers = new Set<number>();
  const add = (number: number, packet: { readonly timestamp: number; readonly marker: boolean }) => {
    requests.arrived(number);
    if (number < next || known.has(number)) return;
    known.set(number, packet);
  };

  return {
    shown,
    /** Notes what left, for packets that only a repair packet brings: the marker is a part of what is repaired. */
    sent(packet: Buffer): void {
      if (packet.readUInt32BE(8) !== STREAM.ssrc) return;
      const number = packet.readUInt16BE(2);
      if (isMarked(packet)) markers.add(number);
      else markers.delete(number);
    },
    take(packet: Buffer): void {
      const head = rtpHeaderBytes(packet);
      arrivals.note(packet.readUInt16BE(head - 3));
      const timestamp = packet.readUInt32BE(4);
      if (packet.readUInt32BE(8) === REPAIR.ssrc) {
        const base = whole(packet.readUInt16BE(head + BASE_AT), newest);
        const mask = packet.readUInt16BE(head + MASK_AT) & 0x7fff;
        const members = [...Array(15).keys()].filter((bit) => (mask >> (14 - bit)) & 1).map((bit) => base + bit);
        repairs.add({ members, timestamp });
        if (repairs.size > 100) for (const one of repairs) if (repairs.size > 60) repairs.delete(one);
      } else {
        const number = newest < 0 ? packet.readUInt16BE(2) : whole(packet.readUInt16BE(2), newest);
        if (newest < 0) [newest, next] = [number, number];
        const lost = [];
        for (let at = newest + 1; at < number; at += 1) if (at >= next && !known.has(at)) lost.push(at);
        newest = Math.max(newest, number);
        add(number, { timestamp, marker: isMarked(packet) });
        requests.send(lost);
      }
      repair();
      show();
    },
  };
}

/** The nearest number to another that has these 16 bits. */
const whole = (number: number, near: number) => number + Math.round((near - number) / 65_536) * 65_536;

/** Requests what is missing, at once and again and again. */
function createRequests(clock: ReturnType<typeof fakeClock>, sendRtcp: (rtcp: Buffer) => void) {
  const missing = new Map<number, { atMs: number; times: number }>();
  const send = (numbers: readonly number[]) => {
    if (numbers.length === 0) return;
    for (const number of numbers)
      missing.set(number, { atMs: clock.now(), times: (missing.get(number)?.times ?? 0) + 1 });
    sendRtcp(writeNack(numbers));
  };
  clock.every(NACK_LOOK_MS, () => {
    const due = [...missing].filter(([, { atMs }]) => clock.now() - atMs >= NACK_AGAIN_MS);
    for (const [number, { times }] of due) if (times >= NACKS_MAX) missing.delete(number);
    send(due.flatMap(([number]) => (missing.has(number) ? number : [])));
  });
  return { send, arrived: (number: number) => void missing.delete(number) };
}

/** Reports when packets arrived. */
function createArrivalReports(clock: ReturnType<typeof fakeClock>, send: (rtcp: Buffer) => void) {
  let arrivals = new Map<number, number>();
  let [reported, highest] = [0, -1];
  clock.every(REPORT_MS, () => {
    if (arrivals.size === 0) return;
    const from = Math.min(reported, ...arrivals.keys());
    send(writeArrivals(from, highest, arrivals));
    reported = highest + 1;
    arrivals = new Map();
  });
  return {
    note(number: number): void {
      const full = whole(number, highest);
      arrivals.set(full, clock.now());
      highest = Math.max(highest, full);
    },
  };
}

function writeNack(numbers: readonly number[]): Buffer {
  const out = Buffer.alloc(12 + 4 * numbers.length);
  out.writeUInt16BE(0x81cd, 0);
  out.writeUInt16BE(out.length / 4 - 1, 2);
  out.writeUInt32BE(STREAM.ssrc, 8);
  for (const [at, number] of numbers.entries()) out.writeUInt16BE(number & 0xffff, FIXED_HEADER_BYTES + 4 * at);
  return out;
}

const isMarked = (packet: Buffer) => ((packet[1] ?? 0) & 0x80) !== 0;

/** A receiver report that echoes a sender report which left then. */
function roundTripReport(leftAtMs: number): Buffer {
  const out = Buffer.alloc(32);
  out.writeUInt32BE(0x81c90007, 0);
  out.writeUInt32BE(STREAM.ssrc, 8);
  out.writeUInt32BE(compactNtp(leftAtMs), 24);
  return out;
}
