import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRateLimit } from "../../../rate-limit.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { sctpChunk as chunk, sctpParameter as parameter, sctpPacket } from "../../testing/sctp-packets.ts";
import type { Association, ReadChunk } from "./sctp-guard.ts";
import { createOrder, openedLabel } from "./sctp-guard.ts";
import { readSctpPacket, SCTP } from "./sctp-packet.ts";

const TAG = 0x1234_5678;
const PORT = 5_000;

const packet = (chunks: Buffer, tag = TAG, to = PORT): Buffer => sctpPacket(chunks, { from: PORT, to, tag });

const sack = (gaps: number, duplicates = 0, entries = gaps + duplicates) => {
  const body = Buffer.alloc(12 + 4 * entries);
  body.writeUInt16BE(gaps, 8);
  body.writeUInt16BE(duplicates, 10);
  return body;
};
const beginning = (...parameters: Buffer[]) => Buffer.concat([Buffer.alloc(16, 1), ...parameters]);
const read = (chunks: Buffer, tag?: number, port?: number) => readSctpPacket(packet(chunks, tag, port), PORT, TAG);

/** One of each that a browser sends. */
const RIGHT: readonly Buffer[] = [
  chunk(SCTP.data, Buffer.alloc(13)),
  chunk(SCTP.data, Buffer.alloc(1_112)),
  chunk(SCTP.sack, sack(0)),
  chunk(SCTP.sack, sack(2, 1)),
  chunk(SCTP.heartbeat, parameter(1, Buffer.alloc(20))),
  chunk(SCTP.heartbeatAck, parameter(1, Buffer.alloc(20))),
  chunk(SCTP.abort),
  chunk(SCTP.abort, parameter(12, Buffer.from("Close called"))),
  chunk(SCTP.error, parameter(6, Buffer.alloc(4))),
  chunk(SCTP.cookieEcho, Buffer.alloc(24)),
  chunk(SCTP.reconfig, parameter(13, Buffer.alloc(14))),
  chunk(SCTP.reconfig, parameter(16, Buffer.alloc(8))),
  chunk(SCTP.forwardTsn, Buffer.alloc(8)),
];

const WITH_PARAMETERS: ReadonlySet<number> = new Set([
  ...[SCTP.init, SCTP.heartbeat, SCTP.heartbeatAck, SCTP.abort, SCTP.error, SCTP.reconfig],
]);

describe("a packet of SCTP", () => {
  test("is read when it is as a browser sends it, alone and with others", () => {
    for (const one of RIGHT) {
      expect(read(one)).toHaveLength(1);
      expect(read(Buffer.concat([one, chunk(SCTP.sack, sack(0))]))).toHaveLength(2);
    }
    expect(
      read(chunk(SCTP.init, beginning(parameter(0x8008, Buffer.from([130, 192])), parameter(0xc000))), 0),
    ).toHaveLength(1);
    // The library's own sender leaves out the padding of the last parameter.
    const unpadded = Buffer.concat([Buffer.alloc(16, 1), Buffer.from([0x80, 0x08, 0, 6, 130, 192])]);
    expect(read(chunk(SCTP.init, unpadded), 0)).toHaveLength(1);
  });

  test("is dropped with another tag, checksum or port, before anything of it is read", () => {
    for (const one of RIGHT) {
      expect(read(one, 0)).toBeUndefined();
      expect(read(one, TAG + 1)).toBeUndefined();
      expect(read(one, TAG, PORT + 1)).toBeUndefined();
      const changed = packet(one);
      changed[changed.length - 1] = (changed[changed.length - 1] as number) ^ 1;
      expect(readSctpPacket(changed, PORT, TAG)).toBeUndefined();
    }
    expect(read(chunk(SCTP.init, beginning()))).toBeUndefined();
    expect(read(Buffer.concat([chunk(SCTP.init, beginning()), chunk(SCTP.sack, sack(0))]), 0)).toBeUndefined();
  });

  test("attack 1: is dropped with a length of 0 to 3, or beyond its end, of a chunk or a parameter", () => {
    for (const type of Object.values(SCTP)) {
      for (const length of [0, 1, 2, 3, 2_000, 65_535]) {
        const tag = type === SCTP.init ? 0 : TAG;
        expect(read(chunk(type, Buffer.alloc(16, 1), length), tag), `${type} ${length}`).toBeUndefined();
        for (const body of [parameter(1, Buffer.alloc(4), length), beginning(parameter(1, Buffer.alloc(4), length))])
          if (WITH_PARAMETERS.has(type)) expect(read(chunk(type, body), tag), `${type} ${length}`).toBeUndefined();
      }
    }
  });

  test.each([
    ["unknown chunk", chunk(64, Buffer.alloc(8))],
    ["piece without a byte", chunk(SCTP.data, Buffer.alloc(12))],
    ["acknowledgement that counts more than it has", chunk(SCTP.sack, sack(65_535, 0, 4))],
    ["acknowledgement that counts less than it has", chunk(SCTP.sack, sack(1, 0, 4))],
    ["cookie that is none of ours", chunk(SCTP.cookieEcho, Buffer.alloc(23))],
    ["request for more streams", chunk(SCTP.reconfig, parameter(17, Buffer.alloc(8)))],
    ["request that is cut short", chunk(SCTP.reconfig, parameter(13, Buffer.alloc(11)))],
    ["end of a packet that is no chunk", Buffer.concat([chunk(SCTP.abort), Buffer.alloc(3)])],
    ["notice that names half a stream", chunk(SCTP.forwardTsn, Buffer.alloc(6))],
    ["nothing at all", Buffer.alloc(0)],
  ])("is dropped with %s", (_, chunks) => {
    expect(read(chunks)).toBeUndefined();
  });

  test("is read or dropped, and never throws or runs on, whatever was changed in it", () => {
    const changes = fc.array(fc.tuple(fc.nat(1_200), fc.nat(255)), { maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...RIGHT), { minLength: 1, maxLength: 8 }),
        changes,
        fc.nat(40),
        (chunks, changed, cut) => {
          const bytes = Buffer.concat(chunks);
          for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
          const whole = read(bytes.subarray(0, bytes.length - (cut % bytes.length)));
          for (const { body } of whole ?? []) expect(body.length).toBeLessThanOrEqual(bytes.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function association(given: Partial<Association> = {}): Association {
  return {
    ...{ associationState: 4, isStopped: false, localPort: PORT, localVerificationTag: TAG, localTsn: 110 },
    ...{ lastSackedTsn: 99, lastReceivedTsn: 499, advertisedRwnd: 0, sackMisOrdered: new Set<number>() },
    ...{ inboundStreams: {}, outboundQueue: [], sentQueue: [] },
    handleData: async () => undefined,
    receiveChunk: async () => undefined,
    receive: () => undefined,
    transmit: async () => undefined,
    ...given,
  };
}

describe("a chunk belongs", () => {
  const belongs = (chunk: ReadChunk, given?: Partial<Association>) => createOrder(association(given))(chunk);

  test("attack 2: to a handshake before it is established and never after, but for a cookie that is said again", () => {
    let state = 1;
    const sctp = {
      ...association(),
      get associationState() {
        return state;
      },
    };
    const order = createOrder(sctp);
    for (const type of [
      SCTP.data,
      SCTP.sack,
      SCTP.reconfig,
      SCTP.forwardTsn,
      SCTP.shutdown,
      SCTP.cookieAck,
      SCTP.initAck,
    ])
      expect(order({ type, tsn: 500, streamId: 0, cumulativeTsn: 500 })).toBe(false);
    expect(order({ type: SCTP.init })).toBe(true);
    const cookie = { type: SCTP.cookieEcho, body: Buffer.alloc(24, 1) };
    expect(order(cookie)).toBe(true);
    state = 4;
    expect(order(cookie)).toBe(true);
    expect(order({ type: SCTP.cookieEcho, body: Buffer.alloc(24, 2) })).toBe(false);
    expect(order({ type: SCTP.init })).toBe(false);
    for (const type of [SCTP.shutdown, SCTP.shutdownAck, SCTP.shutdownComplete, SCTP.initAck, SCTP.cookieAck])
      expect(order({ type })).toBe(false);
    expect(order({ type: SCTP.abort })).toBe(true);
    for (let n = 0; n < 40; n += 1) order(cookie);
    expect(order(cookie)).toBe(false);
  });

  test.each<[string, boolean, ReadChunk]>([
    ["all that was sent", true, { type: 3, cumulativeTsn: 109 }],
    ["nothing new", true, { type: 3, cumulativeTsn: 99 }],
    [
      "two runs behind a lost one",
      true,
      {
        type: 3,
        cumulativeTsn: 101,
        gaps: [
          [2, 3],
          [5, 8],
        ],
      },
    ],
    ["one that came twice", true, { type: 3, cumulativeTsn: 101, duplicates: [100] }],
    ["more than was sent", false, { type: 3, cumulativeTsn: 110 }],
    ["what was acknowledged before", false, { type: 3, cumulativeTsn: 98 }],
    ["a run beyond what was sent", false, { type: 3, cumulativeTsn: 101, gaps: [[2, 9]] }],
    ["a run that begins at none", false, { type: 3, cumulativeTsn: 101, gaps: [[0, 3]] }],
    ["a run that ends before it begins", false, { type: 3, cumulativeTsn: 101, gaps: [[4, 3]] }],
    [
      "runs that overlap",
      false,
      {
        type: 3,
        cumulativeTsn: 101,
        gaps: [
          [2, 5],
          [5, 6],
        ],
      },
    ],
    [
      "runs out of order",
      false,
      {
        type: 3,
        cumulativeTsn: 101,
        gaps: [
          [5, 6],
          [2, 3],
        ],
      },
    ],
    ["all numbers there are", false, { type: 3, cumulativeTsn: 101, gaps: [[0, 65_535]] }],
    ["one that came twice and was never sent", false, { type: 3, cumulativeTsn: 101, duplicates: [111] }],
  ])("attack 3: an acknowledgement of %s: %s", (_, expected, chunk) => {
    expect(belongs(chunk)).toBe(expected);
  });

  test("when its number is near those that came, and its stream is one of a few", () => {
    const data = { type: SCTP.data, tsn: 500, streamId: 0 };
    expect(belongs(data)).toBe(true);
    expect(belongs({ ...data, tsn: 499 })).toBe(true);
    expect(belongs({ ...data, tsn: 0 }, { lastReceivedTsn: 0xffff_ffff })).toBe(true);
    expect(belongs({ ...data, tsn: 5_000 })).toBe(false);
    expect(belongs({ ...data, tsn: 0x8000_0000 })).toBe(false);
    expect(belongs({ ...data, streamId: 64 })).toBe(false);
    expect(belongs(data, { isStopped: true })).toBe(false);
    expect(belongs({ type: SCTP.forwardTsn, cumulativeTsn: 510, streams: [[0, 1]] })).toBe(true);
    expect(belongs({ type: SCTP.forwardTsn, cumulativeTsn: 5_000 })).toBe(false);
    expect(belongs({ type: SCTP.forwardTsn, cumulativeTsn: 510, streams: [[65_535, 1]] })).toBe(false);
  });
});

test("a channel's opening is read when its lengths are right", () => {
  const opening = (label: string, labelBytes = label.length) => {
    const head = Buffer.alloc(12);
    head.set([3, 0x81]);
    head.writeUInt16BE(labelBytes, 8);
    return Buffer.concat([head, Buffer.from(label)]);
  };
  expect(openedLabel(opening("press"))).toBe("press");
  expect(openedLabel(opening("press", 4))).toBeUndefined();
  expect(openedLabel(opening("press", 65_535))).toBeUndefined();
  expect(openedLabel(opening("press").subarray(0, 11))).toBeUndefined();
  expect(openedLabel(Buffer.from([2]))).toBeUndefined();
});

test("a budget lets two seconds' worth through at once, and refuses what is more until time has passed", () => {
  const clock = fakeClock();
  const budget = createRateLimit(clock, 10);
  for (let n = 0; n < 20; n += 1) expect(budget.take(1)).toBe(true);
  expect(budget.take(1)).toBe(false);
  clock.advance(100);
  expect(budget.take(1)).toBe(true);
  expect(budget.take(1)).toBe(false);
});
