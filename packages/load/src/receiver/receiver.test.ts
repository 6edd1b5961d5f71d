import { expect, test } from "vitest";
import type { Picture } from "./frames.ts";
import { annexB, beginsKeyPicture, Pictures } from "./frames.ts";
import { AgentClock } from "./receiver.ts";
import {
  mediaKind,
  readRtp,
  readSenderReports,
  writeArrivals,
  writeNack,
  writePli,
  writeReceiverReport,
} from "./rtp.ts";
import { ArrivalLog, ReceivedStream } from "./stream.ts";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");

test("an RTP packet is read past its extensions and padding, and what is cut off is none", () => {
  const packet = bytes("b0 ed 0102 00000003 000000aa bede 0002 12 000000 21 abcd 00 aabbcc 000002".replaceAll(" ", ""));
  const read = readRtp(packet, 2);
  expect(read).toMatchObject({
    ...{ payloadType: 109, marker: true, sequence: 0x102, timestamp: 3, ssrc: 0xaa, transportSequence: 0xabcd },
  });
  expect(read?.payload.toString("hex")).toBe("aabbcc00");
  for (let length = 0; length < 20; length += 1) expect(readRtp(packet.subarray(0, length), 2)).toBeUndefined();
  expect(readRtp(Buffer.alloc(40, 0xff), 2)).toBeUndefined();
  expect([mediaKind(packet), mediaKind(bytes("80c8000600000000000000aa")), mediaKind(bytes("16feff"))]).toEqual([
    "rtp",
    "rtcp",
    undefined,
  ]);
});

test("RTCP is written as its readers want it", () => {
  const block = {
    ...{ ssrc: 0xaa, lostShare: 0.25, lostTotal: -2, highest: 0x11000, jitter: 7 },
    ...{ lastSenderReport: 0x12345678, delaySinceLast: 65_536 },
  };
  expect(writeReceiverReport([block]).toString("hex")).toBe(
    "81c9000700000001000000aa40fffffe00011000000000071234567800010000",
  );
  expect(writeNack(0xaa, [65_534, 65_535, 14, 40]).toString("hex")).toBe("81cd000400000001000000aafffe800100280000");
  expect(writePli(0xaa).toString("hex")).toBe("81ce000200000001000000aa");
  expect(writeArrivals(0xaa, 0xfffe, [129, 131, undefined, 130.75], 5).toString("hex")).toBe(
    "8fcd000600000001000000aafffe00040000020" + "5e880" + "0004" + "0008" + "ffff",
  );
  const report = `80c80006000000aa${"0011223344556677"}${"00000000".repeat(3)}`;
  expect(readSenderReports(bytes(`${report}81ca0001000000aa`))).toEqual([{ ssrc: 0xaa, ntpMiddle: 0x22334455 }]);
  expect(readSenderReports(bytes("80c8ffff000000aa"))).toEqual([]);
});

test("a stream knows what is missing across a roll-over, asks for it once a round trip, and drops what came before", () => {
  const stream = new ReceivedStream(1, 90);
  const take = (sequence: number, nowMs: number) => stream.take(sequence, 0, 100, nowMs);
  expect([take(65_534, 0), take(65_534, 0), take(1, 10)]).toEqual([65_534 + 65_536, undefined, 65_537 + 65_536]);
  expect(stream.toAsk(10, 100)).toEqual([65_535, 0]);
  expect(stream.toAsk(50, 100)).toEqual([]);
  expect(stream.toAsk(111, 100)).toEqual([65_535, 0]);
  expect([take(0, 120), take(0, 121)]).toEqual([65_536 + 65_536, undefined]);
  expect(stream.counts).toMatchObject({ packets: 3, missed: 2, repaired: 1, reordered: 0, nacks: 2 });
  expect(stream.report(200)).toMatchObject({ lostTotal: 1, lostShare: 0.25, highest: 0x20001 });
  expect(stream.toAsk(5_000, 100)).toEqual([]);
});

const part = (timestamp: number, marker: boolean, key = false) => ({
  ...{ timestamp, marker, payload: Buffer.from(key ? [24, 0, 4, 0x67] : [0x41, 1]) },
});

test("pictures begin with a key frame, wait for what is missing, and go on with the next key frame when it never comes", () => {
  const seen: Picture[] = [];
  const pictures = new Pictures({ codec: "h264", picture: (picture) => void seen.push(picture) });
  const times = () => seen.map(({ timestamp }) => timestamp);
  pictures.add(9, part(1, true), 0);
  pictures.add(10, part(2, false, true), 1);
  expect(times()).toEqual([]);
  pictures.add(11, part(2, true), 2);
  expect(seen).toMatchObject([{ timestamp: 2, key: true, atMs: 2, bytes: 6 }]);
  pictures.add(13, part(4, true), 3);
  pictures.add(12, part(3, true), 4);
  expect(times()).toEqual([2, 3, 4]);

  pictures.add(15, part(6, true), 10);
  expect([pictures.wantsKey(200), pictures.wantsKey(320), pictures.wantsKey(400)]).toEqual([false, true, false]);
  pictures.add(20, part(7, false, true), 500);
  pictures.add(21, part(7, true), 501);
  pictures.add(14, part(5, true), 502);
  expect(times()).toEqual([2, 3, 4, 7]);
  expect(pictures.wantsKey(5_000)).toBe(false);
});

test("an agent that skips numbers or never ends a picture costs no more memory, and is heard again once it behaves", () => {
  const stream = new ReceivedStream(1, 90);
  for (let at = 0; at < 200; at += 1) stream.take((at * 900) & 0xffff, 0, 100, at);
  expect(stream.toAsk(200, 100).length).toBeLessThanOrEqual(4_000);
  stream.senderReport(1, 0);
  expect(() => writeReceiverReport([stream.report(100 * 3_600_000)])).not.toThrow();

  const seen: Picture[] = [];
  const pictures = new Pictures({ codec: "h264", picture: (picture) => void seen.push(picture) });
  pictures.add(0, part(1, false, true), 0);
  pictures.add(1, part(1, true), 0);
  for (let number = 2; number < 6_000; number += 1) pictures.add(number, part(2, false), 1);
  pictures.add(6_000, part(3, false, true), 2);
  pictures.add(6_001, part(3, true), 2);
  expect(seen.map(({ timestamp, payloads }) => [timestamp, payloads.length])).toEqual([
    [1, 2],
    [3, 2],
  ]);
  // Nothing but beginnings: each is looked at once, not all of them for each.
  for (let number = 7_000; number < 8_500; number += 1) pictures.add(number, part(4, false, true), 3);
  pictures.add(8_500, part(4, true), 4);
  expect(seen.length).toBe(3);
});

test("a key frame is known by its first payload, and put together for a decoder", () => {
  const stap = bytes("38 0004 67 42e01f 0002 68 ce".replaceAll(" ", ""));
  const fragments = [bytes("7c 85 aabb".replaceAll(" ", "")), bytes("7c 45 cc".replaceAll(" ", ""))];
  expect([beginsKeyPicture(stap, "h264"), beginsKeyPicture(fragments[0]!, "h264")]).toEqual([true, false]);
  expect(annexB([stap, ...fragments]).toString("hex")).toBe(
    "0000000167" + "42e01f" + "0000000168ce" + "0000000165aabbcc",
  );
  // VP8: extended with a picture id of 15 bits, then a key frame, then none.
  expect(
    [bytes("90 80 8001 10".replaceAll(" ", "")), bytes("90 80 8001 11".replaceAll(" ", ""))].map((one) =>
      beginsKeyPicture(one, "vp8"),
    ),
  ).toEqual([true, false]);
  expect(beginsKeyPicture(Buffer.alloc(0), "h264")).toBe(false);
  expect(beginsKeyPicture(bytes("1080"), "vp8")).toBe(true);
});

test("arrivals are reported once, with what is missing between them, across a roll-over and whatever the sender's numbers do", () => {
  const log = new ArrivalLog();
  expect(log.due()).toBeUndefined();
  log.take(65_534, 10);
  log.take(0, 20);
  expect(log.due()).toEqual({ first: 65_534, arrivedAtMs: [10, undefined, 20], count: 0 });
  expect(log.due()).toBeUndefined();
  log.take(2, 30);
  expect(log.due()).toEqual({ first: 1, arrivedAtMs: [undefined, 30], count: 1 });
  for (let at = 0; at < 200; at += 1) log.take((at * 9_000) & 0xffff, at);
  const due = log.due();
  expect(due?.arrivedAtMs.length).toBeLessThanOrEqual(1_001);
  expect(writeArrivals(1, due!.first, due!.arrivedAtMs, due!.count).length % 4).toBe(0);
});

test("the agent's clock is that of its quickest answer, and only of questions that were asked", () => {
  const clock = new AgentClock();
  const answer = (t0: number, t1: number, more: object = {}) =>
    JSON.stringify({ t0, t1, t2: t1, rtp: null, capturedAt: null, ...more });
  for (const t0 of [100, 200]) clock.ask(t0);
  expect(clock.heard(answer(99, 5_000), 120)).toBeUndefined();
  expect(clock.heard("{", 120)).toBeUndefined();
  expect(clock.heard(answer(100, 1_110), 120)).toBe(20);
  expect(clock.heard(answer(200, 1_250, { rtp: 2 ** 32 - 900, capturedAt: 1_200 }), 300)).toBe(100);
  expect([clock.roundTripMs, clock.toAgent(500)]).toEqual([20, 1_500]);
  // Ten pictures' ticks later, across the wrap of the timestamp.
  expect(clock.ageMs(900, 500)).toBeCloseTo(1_500 - 1_220);
  expect(JSON.parse(clock.ask(400, true))).toEqual({ t0: 400, keyFrame: true });
});
