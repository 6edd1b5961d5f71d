import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyFrameLimit } from "../lane.ts";
import { createRepair } from "../viewer/outlet.ts";
import { readRtcp, writeSenderReport } from "./rtcp.ts";
import type { MediaPacket } from "./rtp.ts";

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));

describe("reading RTCP", () => {
  test("a compound of report, NACK, PLI, FIR and arrivals", () => {
    const compound = bytes(
      "81c90007 00000001 000000aa 40fffffe 00011000 00000000 12345678 00010000" + // RR, two repeats more than lost
        "81cd0003 00000001 000000aa fffe8001" + // NACK of 65534, and by its mask 65535 and 14
        "81ce0002 00000001 000000aa" + // PLI
        "84ce0004 00000001 00000000 000000aa 01000000" + // FIR
        "8fcd0007 00000001 000000aa fffe0006 00000205 2002c840 0408ffff 0c000000", // arrivals of 65534 and the next five, two of which did not come
    );
    expect(readRtcp(compound)).toEqual([
      {
        kind: "report",
        report: {
          ssrc: 0xaa,
          lostTotal: -2,
          highestSequence: 0x11000,
          lastSenderReport: 0x12345678,
          delaySinceLast: 65_536,
        },
      },
      { kind: "nack", ssrc: 0xaa, sequences: [65_534, 65_535, 14] },
      { kind: "keyFrame", ssrc: 0xaa },
      { kind: "keyFrame", ssrc: 0xaa },
      { kind: "arrivals", arrivals: { first: 65_534, arrivedAtMs: [129, 131, null, 130.75, null, 133.75] } },
    ]);
  });

  test("nothing hostile throws or runs on", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(5), (noise, type) => {
        const packet = noise.slice();
        if (packet.length > 3) {
          packet[0] = 0x80 | (packet[0]! & 31);
          packet[1] = 200 + type;
          packet[2] = 0;
          packet[3] = packet[3]! % 60;
        }
        expect(readRtcp(packet).length).toBeLessThan(200);
      }),
      { seed: 11, numRuns: 500 },
    );
    for (const feedback of [
      "8fcd0005 00000001 000000aa 0001ffff 00000205 3fff3fff", // more packets than a report has
      "8fcd0005 00000001 000000aa 00010002 00000205 20000000", // a run of nothing
      "8fcd0005 00000001 000000aa 00010002 00000205 60020000", // a symbol that is none
      "8fcd0005 00000001 000000aa 00010005 00000205 20050000", // steps beyond the end
      "8fcd0004 00000001 000000aa 00010005 00000205",
    ])
      expect(readRtcp(bytes(feedback))).toEqual([]);
    expect(readRtcp(bytes("81c9ffff 00000001"))).toEqual([]);
    expect(readRtcp(bytes("9fc90001 00000001"))).toEqual([]);
    expect(readRtcp(new Uint8Array(0))).toEqual([]);
  });
});

test("a sender report tells time, totals and name in whole words", () => {
  const report = writeSenderReport({ ssrc: 0xaa, packets: 3, bytes: 1000 }, "machine", 1_500, 777);
  expect(report.length % 4).toBe(0);
  expect(report.length).toBe((report.readUInt16BE(2) + 1 + report.readUInt16BE(30) + 1) * 4);
  expect([report.readUInt32BE(4), report.readUInt32BE(8), report.readUInt32BE(12)]).toEqual([
    0xaa,
    2_208_988_801,
    2 ** 31,
  ]);
  expect([report.readUInt32BE(16), report.readUInt32BE(20), report.readUInt32BE(24)]).toEqual([777, 3, 1000]);
  expect(report.subarray(38, 45).toString()).toBe("machine");
  expect(report[45]).toBe(0);
});

describe("repair", () => {
  const packet = (size: number): MediaPacket => ({ payload: new Uint8Array(size), timestamp: 0, marker: false });

  test("answers a packet once in nine tenths of a round trip", () => {
    const repair = createRepair(0);
    repair.setRoundTripMs(100);
    repair.sent(5, packet(100), 0);
    const times = [20, 50, 109, 111, 150, 202].map((now) => repair.repeats([5, 5], now).length);
    expect(times).toEqual([1, 0, 0, 1, 0, 1]);
  });

  test("knows nothing of packets never sent, too old or pushed out by later ones", () => {
    const repair = createRepair(0);
    expect(repair.repeats([9], 1)).toEqual([]);
    repair.sent(9, packet(10), 0);
    expect(repair.repeats([9], 1_200)).toEqual([]);
    repair.sent(9 + 1024, packet(10), 1_200);
    expect(repair.repeats([9], 1_201)).toEqual([]);
  });

  test("says once that it gives up what is too old or beyond its budget, and not what was never sent", () => {
    const repair = createRepair(0);
    repair.sent(1, packet(10), 0);
    repair.repeats([1, 2], 10);
    repair.repeats([1], 12);
    expect(repair.gaveUp()).toBe(false);
    repair.repeats([1], 1_200);
    expect([repair.gaveUp(), repair.gaveUp()]).toEqual([true, false]);
    repair.sent(3, packet(48_001), 1_200);
    expect(repair.repeats([3], 1_210)).toEqual([]);
    expect(repair.gaveUp()).toBe(true);
  });

  test("shares the packet instead of copying it", () => {
    const repair = createRepair(0);
    const shared = packet(10);
    repair.sent(65_535, shared, 0);
    expect(repair.repeats([65_535], 1)[0]!.packet).toBe(shared);
  });

  test("stays within its budget, whatever is asked", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(1023), { maxLength: 200 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 250_000, max: 3_000_000 }),
        (nacks, bitrate) => {
          const repair = createRepair(0);
          repair.setBitrate(bitrate);
          let sent = 0;
          nacks.forEach((sequences, turn) => {
            const now = turn * 40;
            for (let sequence = 0; sequence < 1024; sequence += 1) repair.sent(sequence, packet(1000), now);
            sent += repair.repeats(sequences, now).length * 1000;
          });
          const elapsedMs = (nacks.length - 1) * 40;
          expect(sent).toBeLessThanOrEqual(48_000 + (bitrate / 8000) * 0.25 * elapsedMs);
        },
      ),
      { seed: 3, numRuns: 40 },
    );
  });
});

test("key frames keep their distance and no wish is lost", () => {
  const limit = createKeyFrameLimit(300);
  expect(limit.due(0, 0)).toBe(false);
  limit.want();
  expect(limit.due(0, 0)).toBe(true);
  limit.made(0, 0);
  limit.want();
  expect(limit.due(299, 299)).toBe(false);
  expect(limit.due(300, 300)).toBe(true);
  limit.made(300, 300);
  expect(limit.due(5_000, 5_000)).toBe(false);
});

test("a key frame of a game's begin is none of the frames that were on their way then, however long they take", () => {
  const limit = createKeyFrameLimit(300);
  limit.want(1_000);
  expect(limit.due(1_005, 960)).toBe(false);
  limit.made(1_040, 990);
  expect(limit.due(1_400, 999)).toBe(false);
  expect(limit.due(1_500, 1_001)).toBe(true);
  limit.made(1_500, 1_001);
  expect(limit.due(9_000, 9_000)).toBe(false);
});
