import { createHmac } from "node:crypto";
import fc from "fast-check";
import { crc32c } from "werift";
import type { Watcher } from "./watcher.ts";

/* Packets that are right in most of what they say: an arbitrary of descriptions for each protocol, and how one becomes bytes for a connection. */

export type Way = "packet" | "raw" | "datagram";
/** The bytes, and what they go through. */
export type Made = { readonly way: Way; readonly bytes: Buffer };
export type Make = (watcher: NonNullable<Watcher>) => Made;

const u8 = (value: number): Buffer => Buffer.of(value & 0xff);
const u16 = (...values: readonly number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.of((value >> 8) & 0xff, value & 0xff)));
const u24 = (value: number): Buffer => Buffer.of((value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

const bytesOf = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes));
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
/** A length that lies, seldom. */
const lie = mostly(
  fc.constant(undefined),
  fc.constantFrom<number | undefined>(0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 255, 1_200, 65_535),
);
const near = mostly(fc.integer({ min: -2, max: 4 }), fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }));
const any16 = fc.nat(0xffff);
const any32 = fc.nat(0xffff_ffff);

/** Cut, flipped or doubled, seldom. */
const damage = mostly(
  fc.constant((bytes: Buffer) => bytes),
  fc.oneof(
    fc.nat(60).map((cut) => (bytes: Buffer) => bytes.subarray(0, Math.max(1, bytes.length - cut))),
    fc.tuple(fc.nat(1_200), fc.nat(255)).map(([at, byte]) => (bytes: Buffer) => {
      const changed = Buffer.from(bytes);
      if (changed.length > 0) changed[at % changed.length] = byte;
      return changed;
    }),
    fc.constant((bytes: Buffer) => Buffer.concat([bytes, bytes])),
  ),
);

const parameters = (types: readonly number[]) =>
  fc
    .array(fc.record({ type: mostly(fc.constantFrom(...types), any16), body: bytesOf(40), length: lie }), {
      maxLength: 6,
    })
    .map((all) =>
      Buffer.concat(
        all.map(({ type, body, length = 4 + body.length }) => padded(Buffer.concat([u16(type, length), body]))),
      ),
    );

type Body = (watcher: NonNullable<Watcher>) => Buffer;
const fixed = (arbitrary: fc.Arbitrary<Buffer>): fc.Arbitrary<Body> => arbitrary.map((bytes) => () => bytes);
const opening = fc
  .record({
    label: fc.constantFrom("press", "clock", "other", ""),
    lie: mostly(fc.constant(0), any16),
    kind: fc.nat(255),
  })
  .map(({ label, lie: more, kind }) =>
    Buffer.concat([u8(3), u8(kind), u16(0), u32(0), u16(label.length + more, 0), Buffer.from(label)]),
  );

const data: fc.Arbitrary<Body> = fc
  .record({
    ...{ ahead: near, stream: mostly(fc.nat(4), any16), order: mostly(fc.nat(3), any16) },
    kind: mostly(fc.constantFrom(50, 51, 53, 56, 57), any32),
    body: fc.oneof(bytesOf(600), opening, fc.constant(Buffer.of(2)), fc.constant(Buffer.alloc(0))),
  })
  .map(({ ahead, stream, order, kind, body }) => ({ sctp }) => {
    const tsn = sctp.localTsn + ahead;
    // The connection continues behind a piece that was right, so that later ones are looked at as well.
    if (ahead === 0) sctp.localTsn = (sctp.localTsn + 1) % 2 ** 32;
    return Buffer.concat([u32(tsn), u16(stream, order), u32(kind), body]);
  });
const gaps = fc.array(fc.tuple(mostly(fc.nat(6), any16), mostly(fc.nat(8), any16)), { maxLength: 8 });
const sack: fc.Arbitrary<Body> = fc
  .record({
    ahead: near,
    room: any32,
    gaps,
    many: mostly(fc.constant(1), fc.constant(30)),
    twice: fc.array(any32, { maxLength: 4 }),
    lie: mostly(fc.constant(0), any16),
  })
  .map(({ ahead, room, gaps: some, many, twice, lie: more }) => ({ sctp }) => {
    const all = Array.from({ length: many }, () => some).flat();
    return Buffer.concat([
      ...[u32((sctp.lastReceivedTsn ?? 0) + ahead), u32(room), u16(all.length + more, twice.length)],
      ...all.map(([first, last]) => u16(first, last)),
      ...twice.map(u32),
    ]);
  });
const forwardTsn: fc.Arbitrary<Body> = fc
  .record({ ahead: near, streams: fc.array(fc.tuple(mostly(fc.nat(4), any16), any16), { maxLength: 12 }) })
  .map(
    ({ ahead, streams }) =>
      ({ sctp }) =>
        Buffer.concat([u32(sctp.localTsn + ahead), ...streams.map(([stream, order]) => u16(stream, order))]),
  );
const reset = fc
  .record({
    type: mostly(fc.constantFrom(13, 16), fc.constantFrom(14, 15, 17, 18)),
    ahead: near,
    rest: bytesOf(30),
    length: lie,
  })
  .map(
    ({ type, ahead, rest, length = 8 + rest.length }): Body =>
      ({ sctp }) =>
        padded(Buffer.concat([u16(type, length), u32(sctp.localTsn + ahead), rest])),
  );
const beginning = fc
  .record({
    numbers: fc.array(any32, { minLength: 4, maxLength: 4 }),
    more: parameters([5, 6, 7, 9, 11, 12, 0x8000, 0x8008, 0xc000]),
  })
  .map(({ numbers, more }) => Buffer.concat([...numbers.map(u32), more]));

const chunkBodies: readonly (readonly [weight: number, type: number, body: fc.Arbitrary<Body>])[] = [
  ...([
    [8, 0, data],
    [6, 3, sack],
    [4, 192, forwardTsn],
    [4, 130, reset],
    [2, 1, fixed(beginning)],
    [1, 2, fixed(beginning)],
  ] as const),
  ...([
    [2, 4, fixed(parameters([1]))],
    [1, 5, fixed(parameters([1]))],
    [1, 9, fixed(parameters([1, 2, 3, 6, 13]))],
  ] as const),
  ...([
    [1, 10, fixed(bytesOf(30))],
    [1, 7, fixed(bytesOf(6))],
    [1, 8, fixed(bytesOf(4))],
    [1, 11, fixed(bytesOf(4))],
  ] as const),
  ...([
    [1, 14, fixed(bytesOf(4))],
    [1, 64, fixed(bytesOf(40))],
    [1, 132, fixed(bytesOf(40))],
    [1, 255, fixed(bytesOf(8))],
  ] as const),
];
const chunk = fc.record({
  made: fc.oneof(
    ...chunkBodies.map(([weight, type, body]) => ({ weight, arbitrary: body.map((make) => ({ type, make })) })),
  ),
  ...{ flags: fc.nat(15), length: lie },
});

const sctp: fc.Arbitrary<Make> = fc
  .record({
    ...{ chunks: fc.array(chunk, { minLength: 1, maxLength: 4 }), damage },
    tag: mostly(fc.constant(undefined), fc.option(any32, { nil: 0 })),
    checksum: mostly(fc.constant(true), fc.constant(false)),
  })
  .map(({ chunks, damage: hurt, tag, checksum }) => (watcher) => {
    const { localPort, remotePort, remoteVerificationTag } = watcher.sctp;
    const bodies = chunks.map(({ made: { type, make }, flags, length }) => {
      const body = make(watcher);
      return padded(Buffer.concat([u8(type), u8(flags), u16(length ?? 4 + body.length), body]));
    });
    const begins = chunks[0]?.made.type === 1;
    const head = Buffer.concat([u16(localPort, remotePort), u32(tag ?? (begins ? 0 : remoteVerificationTag)), u32(0)]);
    const bytes = Buffer.from(hurt(Buffer.concat([head, ...bodies])));
    if (checksum && bytes.length >= 12) {
      bytes.writeUInt32LE(0, 8);
      bytes.writeUInt32LE(crc32c(bytes), 8);
    }
    return { way: "packet", bytes };
  });

const handshake = fc
  .record({
    ...{ type: mostly(fc.constantFrom(1, 11, 15, 16, 20), fc.nat(255)), seq: fc.nat(8), body: bytesOf(300) },
    length: mostly(fc.constant(undefined), fc.constantFrom<number | undefined>(0, 1, 400, 8_192, 0xffff_ff)),
    offset: mostly(fc.constant(0), fc.constantFrom(1, 100, 0xffff_ff)),
    part: mostly(fc.constant(undefined), fc.constantFrom<number | undefined>(0, 1, 0xffff_ff)),
  })
  .map(({ type, seq, body, length = body.length, offset, part = body.length }) =>
    Buffer.concat([u8(type), u24(length), u16(seq), u24(offset), u24(part), body]),
  );
const dtls: fc.Arbitrary<Make> = fc
  .record({
    ...{ kind: mostly(fc.constantFrom(20, 22, 22, 22, 23), fc.nat(70)), sealed: fc.boolean(), damage, length: lie },
    ...{ epoch: mostly(fc.constant(0), any16), number: any32 },
    body: fc.oneof(
      handshake,
      fc.array(handshake, { maxLength: 4 }).map((all) => Buffer.concat(all)),
      bytesOf(200),
    ),
  })
  .map(({ kind, sealed, damage: hurt, length, epoch, number, body }) => (watcher) => {
    if (sealed) return { way: "raw", bytes: hurt(watcher.record(kind, body)) };
    const head = Buffer.concat([u8(kind), u16(0xfefd, epoch, 0), u32(number), u16(length ?? body.length)]);
    return { way: "raw", bytes: hurt(Buffer.concat([head, body])) };
  });

const STUN_ATTRIBUTES = [
  0x0001, 0x0006, 0x0008, 0x0009, 0x000a, 0x0020, 0x0024, 0x0025, 0x8022, 0x8028, 0x8029, 0x802a,
];
const stun: fc.Arbitrary<Make> = fc
  .record({
    ...{
      type: mostly(fc.constantFrom(0x0001, 0x0101, 0x0111, 0x0011), any16),
      id: fc.uint8Array({ minLength: 12, maxLength: 12 }),
    },
    ...{ more: parameters(STUN_ATTRIBUTES), named: mostly(fc.constant(true), fc.constant(false)), damage },
    signed: mostly(fc.constant(true), fc.constant(false)),
    way: fc.constantFrom<Way>("datagram"),
  })
  .map(({ type, id, more, named, signed, damage: hurt, way }) => ({ ice }) => {
    const name = Buffer.from(`${ice.remoteUsername}:${ice.localUsername}`);
    const body = Buffer.concat([
      ...(named ? [padded(Buffer.concat([u16(6, name.length), name])), u16(0x24, 4), u32(1)] : []),
      more,
    ]);
    const head = (length: number) => Buffer.concat([u16(type, length), u32(0x2112_a442), Buffer.from(id)]);
    if (!signed) return { way, bytes: hurt(Buffer.concat([head(body.length), body])) };
    const bytes = Buffer.concat([head(body.length + 24), body]);
    const mac = createHmac("sha1", ice.remotePassword).update(bytes).digest();
    return { way, bytes: hurt(Buffer.concat([bytes, u16(0x0008, 20), mac])) };
  });

const report = fc
  .record({
    ...{
      count: fc.nat(31),
      kind: mostly(fc.constantFrom(200, 201, 205, 205, 206, 206), fc.integer({ min: 192, max: 223 })),
    },
    ...{ words: fc.array(mostly(any32, fc.constantFrom(0, 0xffff_ffff)), { maxLength: 80 }), length: lie },
  })
  .map(({ count, kind, words, length = words.length }) =>
    Buffer.concat([u8(0x80 | count), u8(kind), u16(length), ...words.map(u32)]),
  );
const rtcp: fc.Arbitrary<Make> = fc
  .record({
    ...{ reports: fc.array(report, { minLength: 1, maxLength: 4 }), damage },
    sealed: mostly(fc.constant(true), fc.constant(false)),
  })
  .map(({ reports, sealed, damage: hurt }) => (watcher) => {
    const bytes = hurt(Buffer.concat(reports));
    return { way: "raw", bytes: sealed && bytes.length >= 8 ? watcher.sealRtcp(bytes) : bytes };
  });

/** Media of a watcher, who has the keys for it although his offer only receives. Some of its kinds lie where feedback has its own. */
const rtp: fc.Arbitrary<Make> = fc
  .record({
    header: fc.record({
      ...{ payloadType: mostly(fc.constantFrom(96, 109, 111), fc.nat(127)), sequenceNumber: any16, timestamp: any32 },
      ...{ ssrc: any32, marker: fc.boolean(), csrc: fc.array(any32, { maxLength: 15 }) },
    }),
    ...{ payload: bytesOf(1_200), damage, sealed: mostly(fc.constant(true), fc.constant(false)) },
  })
  .map(({ header, payload, damage: hurt, sealed }) => (watcher) => {
    const bytes = watcher.sealRtp({ ...header, csrcLength: header.csrc.length }, payload);
    return { way: "raw", bytes: hurt(sealed ? bytes : Buffer.concat([bytes.subarray(0, 12), payload])) };
  });

export const INPUTS = { sctp, dtls, stun, rtcp, rtp } as const;
export type MediaTarget = keyof typeof INPUTS;
