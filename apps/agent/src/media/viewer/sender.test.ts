import { describe, expect, test } from "vitest";
import type { ViewerConnection } from "../../ports/transport.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { createFramePacketizer } from "../rtp/frame-packets.ts";
import { compactNtp } from "../rtp/rtp.ts";
import { writeArrivals } from "../testing/narrow-link.ts";
import { createSentRate } from "./outlet.ts";
import { createLinkObserver, createThinning, createViewerSender } from "./sender.ts";
import { answerClock } from "./viewer.ts";

const limits = { start: 1_000_000, min: 250_000, max: 3_000_000 };
const stream = { payloadType: 108, ssrc: 0x1234, playoutDelayId: 5, transportSequenceId: 2 };
const streams = { videoCodec: "vp8" as const, video: stream, audio: { ...stream, ssrc: 0x99 }, cname: "m" };

function makeSender(mayProtect = false) {
  const clock = fakeClock(1_700_000_000_000);
  const video: Uint8Array[] = [];
  const rtcp: Uint8Array[] = [];
  const connection = {
    sendVideo: (packets: readonly Uint8Array[]) => video.push(...packets),
    sendAudio: () => undefined,
    sendRtcp: (packet: Uint8Array) => rtcp.push(packet),
  } as unknown as ViewerConnection;
  const sender = createViewerSender(clock, connection, limits, mayProtect);
  const packetize = createFramePacketizer("vp8");
  const frame = (keyFrame: boolean, bytes = 3000) => packetize(new Uint8Array(bytes), keyFrame, clock.now());
  const sequences = () => video.map((packet) => Buffer.from(packet).readUInt16BE(2));
  return { clock, sender, frame, video, rtcp, sequences };
}

function receiverReport(echoOfMs: number, highest: number, lost: number): Buffer {
  const report = Buffer.alloc(32);
  report.write("81c9000700000001", "hex");
  report.writeUInt32BE(stream.ssrc, 8);
  report.writeUInt32BE(lost, 12);
  report.writeUInt32BE(highest, 16);
  report.writeUInt32BE(compactNtp(echoOfMs), 24);
  return report;
}

describe("a viewer's sender", () => {
  test("begins with a key frame and numbers without gaps, also around held frames", () => {
    const { clock, sender, frame, sequences } = makeSender();
    sender.frame(frame(true), false);
    sender.connect(streams);
    sender.frame(frame(false), false);
    expect(sequences()).toEqual([]);
    sender.frame(frame(true), false);
    sender.frame(frame(false, 200_000), true);
    clock.advance(2_000);
    sender.frame(frame(false), true);
    expect(sequences()).toHaveLength(3);
    sender.frame(frame(true), true);
    const numbers = sequences();
    expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
    expect(numbers).toHaveLength(6);
    expect(sender.stats()).toMatchObject({ frames: 2, held: 1 });
  });

  test("a pause leaves frames out without a gap in the numbers, and ends with a key frame", () => {
    const { sender, frame, sequences } = makeSender();
    sender.connect(streams);
    sender.frame(frame(true), false);
    expect(sender.pause(true)).toBe(false);
    expect(sender.codec).toBeNull();
    expect(sender.pause(false)).toBe(true);
    expect(sender.codec).toBe("vp8");
    sender.frame(frame(false), false);
    expect(sequences()).toHaveLength(3);
    sender.frame(frame(true), false);
    const numbers = sequences();
    expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
    expect(numbers).toHaveLength(6);
  });

  test("repeats a lost packet once with the same number and a new transport sequence number", () => {
    const { clock, sender, frame, video } = makeSender();
    sender.connect(streams);
    sender.frame(frame(true), false);
    const lost = Buffer.from(video[1]!);
    clock.advance(30);
    const nack = Buffer.from(`81cd0003000000010000${(0x1234).toString(16)}00000000`, "hex");
    nack.writeUInt16BE(lost.readUInt16BE(2), 12);
    sender.rtcp(nack);
    sender.rtcp(nack);
    expect(video).toHaveLength(4);
    const again = Buffer.from(video[3]!);
    expect(again.subarray(0, 16)).toEqual(lost.subarray(0, 16));
    expect([lost.readUInt16BE(21), again.readUInt16BE(21)]).toEqual([1, 3]);
    expect(again.subarray(24)).toEqual(lost.subarray(24));
  });

  test("lets the browser show the frames evenly, in repeats too, and at once again when it is not wanted any more", () => {
    const { clock, sender, frame, video } = makeSender();
    sender.connect({ ...streams, video: { ...streams.video, playoutDelayId: 5 } });
    const delay = () => Buffer.from(video.at(-1)!).subarray(16, 20).toString("hex");
    sender.frame(frame(true), false);
    expect(delay()).toBe("52000000");
    sender.smooth(true);
    clock.advance(33);
    sender.frame(frame(false), false);
    expect(delay()).toBe("52001005");
    sender.smooth(false);
    clock.advance(33);
    sender.frame(frame(false), false);
    expect(delay()).toBe("52000000");
  });

  test("on a link that loses packets the player's go twice, at half the rate for each; a spectator's once", () => {
    for (const mayProtect of [true, false]) {
      const { clock, sender, frame, video, sequences } = makeSender(mayProtect);
      sender.connect(streams);
      sender.frame(frame(true, 300_000), false);
      const { bitrate } = sender;
      const nack = Buffer.from(`81cd0003000000010000${(0x1234).toString(16)}00000000`, "hex");
      for (const number of sequences().slice(0, 8)) {
        nack.writeUInt16BE(number, 12);
        sender.rtcp(nack);
        clock.advance(150);
        sender.step();
      }
      expect(sender.stats().protects).toBe(mayProtect);
      expect(sender.bitrate < bitrate).toBe(mayProtect);
      const before = video.length;
      sender.frame(frame(false, 3_000), false);
      expect(video.length - before).toBe(3);
      clock.advance(20);
      const [first, second] = [sequences().slice(before, before + 3), sequences().slice(before + 3)];
      expect(second).toEqual(mayProtect ? first : []);
    }
  });

  test("on a link that loses packets sends repair packets where the browser takes them, half of them a little later, and each repeat twice", () => {
    const { clock, sender, frame, video, sequences } = makeSender(true);
    const repair = { payloadType: 49, ssrc: 0x1235 };
    sender.connect({ ...streams, video: { ...streams.video, repair } });
    sender.frame(frame(true, 300_000), false);
    const { bitrate } = sender;
    const nack = Buffer.from(`81cd0003000000010000${(0x1234).toString(16)}00000000`, "hex");
    const ask = (number: number) => {
      nack.writeUInt16BE(number, 12);
      sender.rtcp(nack);
    };
    for (const number of sequences().slice(0, 8)) {
      ask(number);
      clock.advance(150);
      sender.step();
    }
    expect(sender.stats().protects).toBe(true);
    expect(sender.bitrate).toBeLessThan(bitrate);
    expect(sender.bitrate).toBeGreaterThanOrEqual(bitrate / 2);
    const ssrcs = (from: number) => video.slice(from).map((packet) => Buffer.from(packet).readUInt32BE(8));
    const before = video.length;
    sender.frame(frame(false, 3_000), false);
    expect(ssrcs(before)).toEqual([0x1234, 0x1234, 0x1234, 0x1235, 0x1235]);
    clock.advance(20);
    expect(ssrcs(before).slice(5)).toEqual([0x1235]);
    const repairs = video.slice(before + 3).map((packet) => Buffer.from(packet).readUInt16BE(2));
    // Behind the head of the extensions; that of the media has another one before it.
    const numbers = video.slice(before).map((packet, at) => Buffer.from(packet).readUInt16BE(at < 3 ? 21 : 17));
    expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
    expect(repairs).toEqual([repairs[0], repairs[0]! + 1, repairs[0]! + 2]);
    const after = video.length;
    ask(sequences().at(before)!);
    expect(video.length - after).toBe(1);
    clock.advance(20);
    expect(sequences().slice(after)).toEqual([sequences()[before], sequences()[before]]);
  });

  test("repeats twice for the player what a report of arrivals has as missing, before it is requested; not on a near or full link, and not for spectators", () => {
    const cases = [
      { mayProtect: true, roundTripMs: 80, lossy: false, repeats: 2 },
      { mayProtect: true, roundTripMs: 4, lossy: false, repeats: 0 },
      { mayProtect: true, roundTripMs: 80, lossy: true, repeats: 0 },
      { mayProtect: false, roundTripMs: 80, lossy: false, repeats: 0 },
    ];
    for (const { mayProtect, roundTripMs, lossy, repeats } of cases) {
      const { clock, sender, frame, video, sequences } = makeSender(mayProtect);
      sender.connect(streams);
      clock.advance(roundTripMs);
      // The second is of a link on which half of all packets are lost: the rate falls.
      for (const [highest, lost] of lossy
        ? ([
            [1_000, 0],
            [2_000, 500],
          ] as const)
        : ([[1_000, 0]] as const)) {
        sender.rtcp(receiverReport(clock.now() - roundTripMs, highest, lost));
        clock.advance(1_100);
      }
      sender.step();
      sender.frame(frame(true), false);
      clock.advance(60);
      const missing = () =>
        sender.rtcp(
          writeArrivals(
            0,
            2,
            new Map([
              [0, 5],
              [2, 6],
            ]),
          ),
        );
      missing();
      clock.advance(20);
      expect(sequences().slice(3)).toEqual(Array(repeats).fill(sequences()[1]));
      missing();
      clock.advance(20);
      expect(video).toHaveLength(3 + repeats);
      expect(sender.stats().repeated).toBe(repeats / 2);
    }
  });

  test("asks for a key frame when a repeat would come too late", () => {
    const { clock, sender, frame, video } = makeSender();
    sender.connect(streams);
    sender.frame(frame(true), false);
    const nack = Buffer.from(`81cd0003000000010000${(0x1234).toString(16)}00000000`, "hex");
    nack.writeUInt16BE(Buffer.from(video[1]!).readUInt16BE(2), 12);
    expect(sender.rtcp(nack)).toBe(false);
    clock.advance(1_500);
    expect(sender.rtcp(nack)).toBe(true);
    expect(sender.rtcp(Buffer.from("81cd00030000000100000099", "hex"))).toBe(false);
  });

  test("asks for a key frame on PLI for its own stream only, and reads the round trip", () => {
    const { clock, sender, rtcp } = makeSender();
    const pli = (ssrc: number) => Buffer.from(`81ce000200000001${ssrc.toString(16).padStart(8, "0")}`, "hex");
    expect(sender.rtcp(pli(0x1234))).toBe(false);
    sender.connect(streams);
    expect(sender.rtcp(pli(0x1234))).toBe(true);
    expect(sender.rtcp(pli(0x77))).toBe(false);
    sender.report();
    expect(rtcp).toHaveLength(2);
    const report = Buffer.alloc(32);
    report.write("81c9000700000001", "hex");
    report.writeUInt32BE(0x1234, 8);
    report.set(rtcp[0]!.subarray(10, 14), 24);
    clock.advance(80);
    sender.rtcp(report);
    expect(sender.stats().roundTripMs).toBeCloseTo(80, 0);
  });
});

describe("the link observer", () => {
  const at = (highestSequence: number, lostTotal: number) => ({
    ssrc: 1,
    highestSequence,
    lostTotal,
    lastSenderReport: 0,
    delaySinceLast: 0,
  });

  test("judges loss over a second and fifty packets, once, and not over the handful of one NACK", () => {
    const link = createLinkObserver(0);
    link.report(at(1_000, 0), 0);
    link.report(at(1_004, 2), 200);
    expect(link.observe(300).lossFraction).toBe(0);
    link.report(at(1_100, 20), 1_100);
    expect(link.observe(1_200).lossFraction).toBeCloseTo(0.2);
    expect(link.observe(1_500).lossFraction).toBe(0);
    link.report(at(1_300, -5), 2_300);
    expect(link.lossFraction).toBe(0);
  });

  test("takes no absurd round trip", () => {
    const link = createLinkObserver(0);
    link.report({ ...at(1, 0), lastSenderReport: 77, delaySinceLast: 0xffffffff }, 1_700_000_000_000);
    expect(link.roundTripMs).toBeNull();
  });
});

describe("thinning", () => {
  test("holds from the first frame that is too much until a key frame that fits", () => {
    const thinning = createThinning(0);
    const rate = 800_000;
    expect(thinning.admits(10_000, true, 1_000, rate)).toBe(true);
    expect(thinning.admits(45_000, false, 1_000, rate)).toBe(false);
    expect(thinning.admits(100, false, 1_300, rate)).toBe(false);
    expect(thinning.wantsKeyFrame(1_300, rate)).toBe(true);
    expect(thinning.admits(9_000, true, 1_300, rate)).toBe(true);
    expect(thinning.heldSinceMs).toBeNull();
  });
});

test("the rate of the last second forgets what is older", () => {
  const sent = createSentRate();
  sent.add(1000, 10_000);
  sent.add(1000, 10_500);
  expect(sent.bitsPerSecond(10_950)).toBeCloseTo(16_000 / 0.95);
  expect(sent.bitsPerSecond(11_200)).toBeCloseTo(8_000 / 0.9);
  expect(sent.bitsPerSecond(60_000)).toBe(0);
});

describe("the clock channel", () => {
  const clock = fakeClock(1_700_000_000_000);
  const ask = (text: string) => answerClock(Buffer.from(text), clock, { timestamp: 90, capturedAtMs: 1 });
  test("answers a question and nothing else", () => {
    const reply = ask('{"t0":5,"more":1}')!;
    const answer = JSON.parse(Buffer.from(reply.answer).toString());
    expect(reply.keyFrame).toBe(false);
    expect(ask('{"t0":5,"keyFrame":true}')?.keyFrame).toBe(true);
    expect(reply.smooth).toBe(false);
    expect(ask('{"t0":5,"smooth":true}')?.smooth).toBe(true);
    expect(ask('{"t0":5,"smooth":1}')).toBeNull();
    expect(answer).toEqual({ t0: 5, t1: clock.now(), t2: clock.now(), rtp: 90, capturedAt: 1 });
    for (const text of ["", "{", "null", "[]", '{"t0":"5"}', '{"t0":1e999}', '{"__proto__":{"t0":5}}']) {
      expect(ask(text)).toBeNull();
    }
  });
});
