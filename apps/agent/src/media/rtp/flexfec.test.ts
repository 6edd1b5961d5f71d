import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repairPlan, writeRepair } from "./flexfec.ts";
import { FIXED_HEADER_BYTES, setTransportSequence, transportSequenceAt, writeRtp } from "./rtp.ts";

const stream = { payloadType: 102, ssrc: 0x01020304, playoutDelayId: 5, transportSequenceId: 2 };
const repair = { payloadType: 49, ssrc: 0x01020305 };

/** A receiver, written from the draft alone: repairs whatever it can of `media`, in which lost packets are undefined. */
function repaired(media: readonly (Buffer | undefined)[], firstSequence: number, repairs: readonly Buffer[]) {
  const known = new Map<number, Buffer>();
  for (const [at, packet] of media.entries())
    if (packet) known.set((firstSequence + at) & 0xffff, withoutSequence(packet));
  for (let found = true; found; ) {
    found = false;
    for (const packet of repairs) {
      const body = packet.subarray(FIXED_HEADER_BYTES + 8);
      const base = body.readUInt16BE(16);
      expect(body[18]! & 0x80).toBe(0x80);
      const mask = body.readUInt16BE(18) & 0x7fff;
      const members = Array.from({ length: 15 }, (_, bit) => bit)
        .filter((bit) => (mask >> (14 - bit)) & 1)
        .map((bit) => (base + bit) & 0xffff);
      const missing = members.filter((number) => !known.has(number));
      if (missing.length !== 1) continue;
      known.set(
        missing[0]!,
        recovered(
          body,
          missing[0]!,
          members.flatMap((number) => known.get(number) ?? []),
        ),
      );
      found = true;
    }
  }
  return known;
}

function recovered(body: Buffer, sequence: number, others: readonly Buffer[]): Buffer {
  const fields = Buffer.from(body.subarray(0, 8));
  const rest = Buffer.from(body.subarray(20));
  for (const other of others) {
    const its = Buffer.concat([other.subarray(0, 2), Buffer.alloc(2), other.subarray(4, 8)]);
    its.writeUInt16BE(other.length - 12, 2);
    for (let at = 0; at < 8; at += 1) fields[at]! ^= its[at]!;
    for (let at = 12; at < other.length; at += 1) rest[at - 12]! ^= other[at]!;
  }
  const out = Buffer.alloc(12 + fields.readUInt16BE(2));
  out[0] = 0x80 | (fields[0]! & 0x3f);
  out[1] = fields[1]!;
  out.writeUInt16BE(sequence, 2);
  fields.copy(out, 4, 4, 8);
  body.copy(out, 8, 12, 16);
  rest.copy(out, 12, 0, out.length - 12);
  return out;
}

function withoutSequence(packet: Buffer): Buffer {
  return Buffer.from(packet).fill(0, transportSequenceAt(stream)!, transportSequenceAt(stream)! + 2);
}

const frame = (payloads: readonly Uint8Array[], first: number) =>
  payloads.map((payload, at) => {
    const packet = { payload, timestamp: 9_000, marker: at === payloads.length - 1 };
    const written = writeRtp(stream, packet, (first + at) & 0xffff);
    setTransportSequence(written, stream, 0xabcd + at);
    return written;
  });

describe("a repair packet", () => {
  test("of two packets is their XOR, with the mask, without their transport sequence numbers and with its own", () => {
    const media = frame([Uint8Array.from([1, 2, 3]), Uint8Array.from([0x11, 0x22])], 65_535);
    const [a, b] = media as [Buffer, Buffer];
    expect(a.subarray(12).toString("hex")).toBe("bede00025200000021abcd00010203");
    const packet = writeRepair(stream, [a, b], repair, 7);
    // Header with a transport sequence number alone, which is set when the packet leaves.
    expect(packet.subarray(0, 20).toString("hex")).toBe("9031000700002328" + "01020305" + "bede0001" + "21000000");
    // Flags, M ^ M and PT ^ PT, length 15 ^ 14, timestamps, one SSRC and which, the first number, mask 11.
    expect(packet.subarray(20, 40).toString("hex")).toBe(
      "0080" + "0001" + "00000000" + "01000000" + "01020304" + "ffff" + "e000",
    );
    expect(packet.subarray(40).toString("hex")).toBe("000000000000000000000000102003");
  });

  test("of one packet is that packet", () => {
    const [only] = frame([Uint8Array.from([7, 8, 9])], 3);
    const known = repaired([undefined], 3, [writeRepair(stream, [only!], repair, 0)]);
    expect(known.get(3)).toEqual(withoutSequence(only!));
  });

  test("has no extension where none was agreed on, and refuses nothing and too much", () => {
    const bare = { ...stream, playoutDelayId: null, transportSequenceId: null };
    const packet = (sequence: number) =>
      writeRtp(bare, { payload: Uint8Array.from([5]), timestamp: 1, marker: true }, sequence);
    expect(writeRepair(bare, [packet(1)], repair, 0)).toHaveLength(12 + 20 + 1);
    expect(() => writeRepair(bare, [], repair, 0)).toThrow("nothing");
    expect(writeRepair(bare, [packet(65_530), packet(8)], repair, 0)).toHaveLength(33);
    expect(() => writeRepair(bare, [packet(1), packet(16)], repair, 0)).toThrow("too far apart");
  });
});

describe("the plan of repairs", () => {
  test("repairs any two losses of a group, be they media or repair packets", () => {
    for (let count = 1; count <= 11; count += 1) {
      const payloads = Array.from({ length: count }, (_, at) =>
        Uint8Array.from({ length: 20 + at * 3 }, (__, byte) => byte * at),
      );
      const media = frame(payloads, 65_530);
      const repairs = repairPlan(count).map((members, at) =>
        writeRepair(
          stream,
          members.map((member) => media[member]!),
          repair,
          at,
        ),
      );
      const all = media.length + repairs.length;
      for (let one = 0; one < all; one += 1) {
        for (let other = one; other < all; other += 1) {
          const kept = <T>(list: readonly T[], from: number) =>
            list.map((x, at) => (at + from === one || at + from === other ? undefined : x));
          const there = kept(repairs, media.length).filter((packet) => packet !== undefined);
          const known = repaired(kept(media, 0), 65_530, there);
          expect([...known.entries()].sort()).toEqual(
            media.map((packet, at) => [(65_530 + at) & 0xffff, withoutSequence(packet)] as const).sort(),
          );
        }
      }
    }
  });

  test("divides a larger frame, names every packet twice or more, and nothing outside of it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), (count) => {
        const plan = repairPlan(count);
        const named = plan.flat();
        for (let at = 0; at < count; at += 1)
          expect(named.filter((one) => one === at).length).toBeGreaterThanOrEqual(2);
        expect(named.every((at) => at >= 0 && at < count)).toBe(true);
        for (const members of plan) expect(members.at(-1)! - members[0]!).toBeLessThan(15);
      }),
      { seed: 7, numRuns: 60 },
    );
    expect(repairPlan(0)).toEqual([]);
    expect(repairPlan(4)).toHaveLength(3);
    expect(repairPlan(11)).toHaveLength(4);
  });
});
