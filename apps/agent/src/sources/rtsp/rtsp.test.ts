import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packetizeH264, splitAnnexB } from "../../media/rtp/frame-packets.ts";
import { ntpTime, writeRtp } from "../../media/rtp/rtp.ts";
import type { AccessUnit } from "./access-units.ts";
import { createAccessUnits } from "./access-units.ts";
import type { RtspMessage } from "./messages.ts";
import { authorization, createRtspReader, h264TrackOf, RtspProblem } from "./messages.ts";

describe("messages of a camera", () => {
  const answer = Buffer.from("RTSP/1.0 200 OK\r\nCSeq: 3\r\nSession: 12;timeout=30\r\nContent-Length: 4\r\n\r\nv=0\n");
  const packet = Buffer.of(0x24, 1, 0, 2, 7, 9);
  const request = Buffer.from("OPTIONS rtsp://viewer/ RTSP/1.0\r\nCSeq: 1\r\n\r\n");
  const stream = Buffer.concat([packet, answer, request, packet, answer]);

  test("are cut wherever the network cut them", () => {
    const whole = createRtspReader()(stream);
    expect(whole.map(({ is }) => is)).toEqual(["packet", "answer", "other", "packet", "answer"]);
    expect(whole[1]).toMatchObject({ status: 200, sequence: 3, body: "v=0\n" });
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (places) => {
        const read = createRtspReader();
        const found: RtspMessage[] = [];
        let from = 0;
        for (const to of [...places.toSorted((a, b) => a - b), stream.length]) {
          found.push(...read(stream.subarray(from, to)));
          from = to;
        }
        expect(found).toEqual(whole);
      }),
      { seed: 3 },
    );
  });

  test.each([
    ["another protocol", "HTTP/1.1 200 OK\r\n\r\n"],
    ["a body that is too long", "RTSP/1.0 200 OK\r\nContent-Length: 99999\r\n\r\n"],
    ["a length that is none", "RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n"],
    ["a header without a name", "RTSP/1.0 200 OK\r\n: x\r\n\r\n"],
    ["endless headers", `RTSP/1.0 200 OK\r\n${"a: b\r\n".repeat(70)}\r\n`],
    ["a head without an end", "R".repeat(20_000)],
  ])("with %s are refused", (_, text) => {
    expect(() => createRtspReader()(Buffer.from(text))).toThrow(RtspProblem);
  });

  test("of any bytes are read or refused, and nothing else", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        try {
          createRtspReader()(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RtspProblem);
        }
      }),
      { seed: 5 },
    );
  });
});

describe("a challenge", () => {
  const proof = { method: "GET", uri: "/dir/index.html", user: "Mufasa", password: "CircleOfLife" };
  const nonce = 'nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';

  test("is answered as RFC 2069 (with its erratum) does, and by its count where the camera counts", () => {
    const plain = authorization(
      [`Digest realm="testrealm@host.com", ${nonce}, opaque="5ccc"`, 'Basic realm="x"'],
      proof,
    );
    expect(plain).toContain('response="1949323746fe6a43ef61f9606e7febea"');
    expect(plain).toContain('opaque="5ccc"');
    const counted = authorization([`Digest realm="r", ${nonce}, qop="auth,auth-int", algorithm=SHA-256`], proof);
    expect(counted).toMatch(
      /response="[0-9a-f]{64}", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="[0-9a-f]{16}"$/,
    );
    expect(counted).not.toContain("CircleOfLife");
  });

  test("is answered in the clear only where the camera knows nothing better", () => {
    expect(authorization(['Basic realm="camera"'], proof)).toBe("Basic TXVmYXNhOkNpcmNsZU9mTGlmZQ==");
    expect(authorization(["Digest algorithm=FOO, nonce=1", "Negotiate"], proof)).toBeUndefined();
    expect(authorization([], proof)).toBeUndefined();
    // A camera cannot put words into the answer.
    const forged = authorization(['Digest realm="a\r\nX: y", nonce="1"'], proof) ?? "";
    expect(forged).not.toMatch(/[\r\n]/);
  });
});

test("a description names its H.264 track, or there is none", () => {
  const video = (...lines: string[]) => ["v=0", "m=audio 0 RTP/AVP 0", "m=video 0 RTP/AVP 96", ...lines].join("\r\n");
  const base = "rtsp://camera/live";
  expect(
    h264TrackOf(
      video(
        "a=rtpmap:96 H264/90000",
        "a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0I=,aM4=",
        "a=control:track1",
      ),
      base,
    ),
  ).toEqual({
    control: `${base}/track1`,
    payloadType: 96,
    parameterSets: [Buffer.of(0x67, 0x42), Buffer.of(0x68, 0xce)],
  });
  expect(h264TrackOf(video("a=rtpmap:96 H264/90000", "a=control:*"), base)?.control).toBe(base);
  expect(h264TrackOf(video("a=rtpmap:96 H264/90000", "a=control:rtsp://camera/x"), base)?.control).toBe(
    "rtsp://camera/x",
  );
  for (const other of [
    video("a=rtpmap:96 H265/90000"),
    video("a=rtpmap:960 H264/90000"),
    video("a=rtpmap:96 H264/90000", "a=fmtp:96 packetization-mode=2"),
    "m=audio 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000",
    "",
  ])
    expect(h264TrackOf(other, base)).toBeUndefined();
});

describe("frames", () => {
  const STREAM = { payloadType: 96, ssrc: 7, playoutDelayId: null, absSendTimeId: null };
  const SETS = [Buffer.of(0x67, 1, 2), Buffer.of(0x68, 3)];
  const unitOf = (...parts: readonly Uint8Array[]) =>
    Buffer.concat(parts.flatMap((part) => [Buffer.of(0, 0, 0, 1), part]));
  const slice = (head: number, length: number) => Buffer.alloc(length, 9).fill(head, 0, 1);
  const KEY = slice(0x65, 5_000);
  const OTHER = slice(0x41, 300);

  /** Packets of units, one each 3,000 ticks from `from`; `marked`: which of a frame's packets say that they are its last. */
  function packets(
    units: readonly Buffer[],
    { from = 0, marked = (at: number, of: number) => at === of - 1 } = {},
  ): Buffer[] {
    let sequence = 65_530;
    return units.flatMap((unit, n) => {
      const payloads = packetizeH264(unit);
      return payloads.map((payload, at) => {
        const timestamp = (from + n * 3_000) % 2 ** 32;
        sequence = (sequence + 1) & 0xffff;
        return Buffer.from(writeRtp(STREAM, { payload, timestamp, marker: marked(at, payloads.length) }, sequence, 0));
      });
    });
  }
  function framesOf(sent: readonly Buffer[], parameterSets: readonly Buffer[] = []): AccessUnit[] {
    const found: AccessUnit[] = [];
    const units = createAccessUnits({ payloadType: 96, parameterSets }, (unit) => found.push(unit));
    for (const packet of sent) units.packet(packet);
    return found;
  }
  const parts = ({ unit }: AccessUnit) => splitAnnexB(unit).map((part) => part.length);

  test("are put together again at their last packet, over the ends of both counts", () => {
    const units = [unitOf(...SETS, KEY), unitOf(OTHER, OTHER), unitOf(slice(0x41, 2_000))];
    const found = framesOf(packets(units, { from: 2 ** 32 - 3_000 }));
    expect(found.map(parts)).toEqual([[3, 2, 5_000], [300, 300], [2_000]]);
    expect(found.map(({ keyFrame }) => keyFrame)).toEqual([true, false, false]);
    expect(found.map(({ atMs }) => Math.round(atMs - (found[0]?.atMs ?? 0)))).toEqual([0, 33, 67]);
    expect(found.some(({ damaged }) => damaged)).toBe(false);
  });

  test("have the parameter sets of the description, or the last ones that came, where a key frame has none", () => {
    expect(framesOf(packets([unitOf(KEY)]), SETS).map(parts)).toEqual([[3, 2, 5_000]]);
    const later = framesOf(packets([unitOf(Buffer.of(0x67, 1, 2, 3), Buffer.of(0x68, 4)), unitOf(KEY)]), SETS);
    expect(later.map(parts)).toEqual([[4, 2, 5_000]]);
  });

  test("of a camera that marks nothing, or each slice, end with the next one", () => {
    const units = [0, 1, 2, 3].map(() => unitOf(OTHER, slice(0x41, 1_100), OTHER));
    expect(framesOf(packets(units, { marked: () => false })).map(parts)).toEqual(
      [0, 1, 2].map(() => [300, 1_100, 300]),
    );
    // The first frame is cut by its wrong marks; from then on they are not believed.
    const [, ...rest] = framesOf(packets(units, { marked: () => true })).map(parts);
    expect(rest.slice(-2)).toEqual([0, 1].map(() => [300, 1_100, 300]));
  });

  test("say when something was lost before or in them", () => {
    const sent = packets([unitOf(OTHER), unitOf(KEY), unitOf(OTHER), unitOf(OTHER)]);
    const without = sent.filter((_, at) => at !== 2);
    expect(framesOf(without).map(({ damaged }) => damaged)).toEqual([false, true, false, false]);
    expect(framesOf(sent.toSpliced(1, sent.length - 3)).map(({ damaged }) => damaged)).toEqual([false, true, false]);
  });

  test("know the wall clock's time of count 0 by a sender report", () => {
    const units = createAccessUnits({ payloadType: 96, parameterSets: [] }, () => undefined);
    const report = Buffer.alloc(28);
    report.set([0x80, 200, 0, 6]);
    const { seconds, fraction } = ntpTime(1_700_000_001_000);
    report.writeUInt32BE(seconds, 8);
    report.writeUInt32BE(fraction, 12);
    report.writeUInt32BE(90_000, 16);
    // It may come before the first frame.
    expect(units.zeroAtMs(report)).toBeCloseTo(1_700_000_000_000, 0);
    for (const packet of packets([unitOf(OTHER)], { from: 90_000 })) units.packet(packet);
    expect(units.zeroAtMs(report)).toBeCloseTo(1_700_000_000_000, 0);
    expect(units.zeroAtMs(Buffer.concat([Buffer.of(0x80, 201, 0, 1, 0, 0, 0, 7), report]))).toBeCloseTo(
      1_700_000_000_000,
      0,
    );
    expect(units.zeroAtMs(report.subarray(0, 19))).toBeUndefined();
  });

  test("of any packets are made or left out, and nothing else", () => {
    const payload = fc.tuple(fc.constantFrom(24, 28, 0x7c, 0x65, 0x41, 0, 30), fc.uint8Array({ maxLength: 40 }));
    const packet = fc.tuple(fc.nat(3), fc.nat(3), fc.boolean(), payload, fc.uint8Array({ maxLength: 16 }));
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 30 }), (sent) => {
        const bytes = sent.map(([sequence, time, marker, [head, body], odd]) =>
          odd.length % 2 === 1
            ? Buffer.from(odd)
            : Buffer.from(
                writeRtp(
                  STREAM,
                  { payload: Uint8Array.of(head, ...body), timestamp: time * 3_000, marker },
                  sequence,
                  0,
                ),
              ),
        );
        for (const { unit } of framesOf(bytes)) expect(unit.length).toBeGreaterThan(4);
      }),
      { seed: 9, numRuns: 500 },
    );
  });
});
