import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSoundClock } from "../broadcast.ts";
import { createFramePacketizer, packetizeH264, packetizeVp8, splitAnnexB } from "./frame-packets.ts";
import { compactNtp, EVENLY, ntpTime, rtpHeaderBytes, rtpTimestamp, setTransportSequence, writeRtp } from "./rtp.ts";

const stream = { payloadType: 102, ssrc: 0x01020304, playoutDelayId: 5, transportSequenceId: 2 };

/** Puts payloads together again as a receiver does (RFC 6184). */
function reassembleH264(payloads: readonly Uint8Array[]): number[][] {
  const nals: number[][] = [];
  for (const payload of payloads) {
    const type = payload[0]! & 0x1f;
    if (type === 24) {
      for (let at = 1; at < payload.length; ) {
        const size = (payload[at]! << 8) | payload[at + 1]!;
        nals.push([...payload.subarray(at + 2, at + 2 + size)]);
        at += 2 + size;
      }
    } else if (type === 28) {
      if (payload[1]! & 0x80) nals.push([(payload[0]! & 0xe0) | (payload[1]! & 0x1f)]);
      nals.at(-1)!.push(...payload.subarray(2));
    } else nals.push([...payload]);
  }
  return nals;
}

const nal = fc
  .tuple(
    fc.constantFrom(0x67, 0x68, 0x65, 0x41),
    fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 5000 }),
  )
  .map(([header, body]) => [header, ...body]);

describe("H.264 payloads", () => {
  test("carry every NAL unit unchanged, in order, within the limit", () => {
    fc.assert(
      fc.property(fc.array(nal, { minLength: 1, maxLength: 5 }), fc.boolean(), (nals, longCodes) => {
        const code = longCodes ? [0, 0, 0, 1] : [0, 0, 1];
        const payloads = packetizeH264(Uint8Array.from(nals.flatMap((unit) => [...code, ...unit])), 1140);
        expect(reassembleH264(payloads)).toEqual(nals);
        for (const payload of payloads) expect(payload.length).toBeLessThanOrEqual(1140);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test("leave out delimiters and SEI, and join the parameter sets", () => {
    const unit = Uint8Array.from([
      0, 0, 0, 1, 9, 16, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3, 0, 0, 1, 6, 5, 0, 0, 1, 0x65, 8,
    ]);
    expect(splitAnnexB(unit)).toHaveLength(5);
    const [only, ...rest] = packetizeH264(unit);
    expect(rest).toEqual([]);
    expect([...only!]).toEqual([24 | 0x60, 0, 3, 0x67, 1, 2, 0, 2, 0x68, 3, 0, 2, 0x65, 8]);
  });

  test("cut a slice into nearly equal pieces", () => {
    const sizes = packetizeH264(Uint8Array.from([0, 0, 1, 0x65, ...new Array(1200).fill(7)]), 1140).map(
      (p) => p.length,
    );
    expect(sizes).toEqual([602, 602]);
  });
});

describe("VP8 payloads", () => {
  test("start with the descriptor and carry the frame unchanged", () => {
    const unit = Uint8Array.from({ length: 3000 }, (_, at) => at & 255);
    const payloads = packetizeVp8(unit, 0x12345);
    expect(payloads.flatMap((payload) => [...payload.subarray(4)])).toEqual([...unit]);
    expect([...payloads[0]!.subarray(0, 4)]).toEqual([0x90, 0x80, 0x80 | 0x23, 0x45]);
    expect(payloads[1]![0]).toBe(0x80);
  });
});

describe("an RTP packet", () => {
  test("carries playout delay 0/0, and a transport sequence number once it leaves", () => {
    const packet = { payload: Uint8Array.from([1, 2, 3]), timestamp: 0xfffffff0, marker: true };
    const first = writeRtp(stream, packet, 65_535);
    expect(first.toString("hex")).toBe(`90e6ffff${"fffffff0"}01020304bede00025200000021000000010203`);
    setTransportSequence(first, stream, 0x1234);
    expect(first.toString("hex")).toBe(`90e6ffff${"fffffff0"}01020304bede00025200000021123400010203`);
    const evenly = writeRtp(stream, packet, 65_535, EVENLY);
    expect(evenly.subarray(16, 20).toString("hex")).toBe("52001005");
    expect(rtpHeaderBytes(first)).toBe(first.length - 3);
  });

  test("has no extension block when none was agreed on", () => {
    const bare = writeRtp(
      { ...stream, playoutDelayId: null, transportSequenceId: null },
      { payload: new Uint8Array(1), timestamp: 0, marker: false },
      0,
    );
    setTransportSequence(bare, { ...stream, transportSequenceId: null }, 7);
    expect(bare.length).toBe(13);
    expect(rtpHeaderBytes(bare)).toBe(12);
  });

  test("of the last piece of a frame has the marker", () => {
    const frame = createFramePacketizer("vp8")(new Uint8Array(3000), true, 1_700_000_000_000.5);
    expect(frame.packets.map(({ marker }) => marker)).toEqual([false, false, true]);
    expect(frame.timestamp).toBe((1_700_000_000_000.5 * 90) % 2 ** 32);
  });
});

describe("times", () => {
  test("the RTP timestamp is the capture clock modulo 2^32", () => {
    expect(rtpTimestamp(1000, 90_000)).toBe(90_000);
    expect(rtpTimestamp(2 ** 32 / 90 + 1, 90_000)).toBe(90);
  });

  test("NTP time and its middle", () => {
    expect(ntpTime(500)).toEqual({ seconds: 2_208_988_800, fraction: 2 ** 31 });
    expect(compactNtp(500)).toBe(((2_208_988_800 % 65_536) * 65_536 + 32_768) % 2 ** 32);
  });

  test("sound steps evenly through jitter and follows a gap", () => {
    const clock = createSoundClock(960);
    const first = clock(1_000_000);
    expect(clock(1_000_023)).toBe(first + 960);
    expect(clock(1_000_037)).toBe(first + 1920);
    expect(clock(1_001_000)).toBe(first + 48_000);
  });
});
