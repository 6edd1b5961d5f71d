import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fakeClock } from "../../testing/fake-clock.ts";
import { burstBytes, createPacer, PACE_TICK_MS, PACED_MS_MAX } from "./pacer.ts";

const FRAME_MS = 33;
const PACKET_BYTES = 1_180;

function makePacer(bitrate: number) {
  const clock = fakeClock(1_000);
  const left: { readonly atMs: number; readonly packet: Buffer; readonly copies: boolean }[] = [];
  const pacer = createPacer(clock, bitrate, (packets, copies) =>
    left.push(...packets.map((packet) => ({ atMs: clock.now(), packet, copies }))),
  );
  return { clock, left, pacer };
}

/** Packets of one frame. */
const cut = (bytes: number) =>
  Array.from({ length: Math.ceil(bytes / PACKET_BYTES) }, (_, at) =>
    Buffer.alloc(Math.min(PACKET_BYTES, bytes - at * PACKET_BYTES)),
  );

const bitrates = fc.integer({ min: 250_000, max: 4_500_000 });

describe("a pacer", () => {
  test("sends frames of an encoder at its rate at once, as large as its own rate buffer lets them be", () => {
    const shares = fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { maxLength: 90 });
    fc.assert(
      fc.property(bitrates, shares, (rate, sizes) => {
        const { clock, left, pacer } = makePacer(rate);
        let room = burstBytes(rate);
        for (const size of sizes) {
          const packets = cut(Math.floor(size * room));
          room -= Math.floor(size * room);
          pacer.send(packets);
          expect(left.splice(0).map(({ packet }) => packet)).toEqual(packets);
          clock.advance(FRAME_MS);
          room = Math.min(burstBytes(rate), room + (rate / 8_000) * FRAME_MS);
        }
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  test("sends all of larger ones within a frame, in order and once, and never more than the rate buffer together", () => {
    fc.assert(
      fc.property(
        bitrates,
        fc.array(fc.double({ min: 0.1, max: 3, noNaN: true }), { minLength: 1, maxLength: 40 }),
        (rate, sizes) => {
          const { clock, left, pacer } = makePacer(rate);
          const sent: { readonly atMs: number; readonly packet: Buffer }[] = [];
          for (const size of sizes) {
            const packets = cut(Math.ceil(size * burstBytes(rate)));
            sent.push(...packets.map((packet) => ({ atMs: clock.now(), packet })));
            pacer.send(packets);
            clock.advance(FRAME_MS);
          }
          clock.advance(PACED_MS_MAX);
          expect(left.length).toBe(sent.length);
          for (const [at, { packet, atMs }] of left.entries()) {
            expect(packet).toBe(sent[at]?.packet);
            expect(atMs - (sent[at]?.atMs ?? 0)).toBeLessThanOrEqual(PACED_MS_MAX);
          }
          const together = Map.groupBy(left, ({ atMs }) => atMs);
          for (const parts of together.values()) {
            const bytes = parts.reduce((sum, { packet }) => sum + packet.length, 0);
            expect(bytes).toBeLessThanOrEqual(burstBytes(rate));
          }
        },
      ),
      { seed: 5, numRuns: 200 },
    );
  });

  test("spreads a frame for a link four times as wide evenly behind a first burst", () => {
    const { clock, left, pacer } = makePacer(500_000);
    pacer.send(cut(25_000));
    const gone = () => left.reduce((sum, { packet }) => sum + packet.length, 0);
    expect(gone()).toBeLessThanOrEqual(burstBytes(500_000));
    const parts: number[] = [];
    for (let ms = 0; ms < PACED_MS_MAX; ms += PACE_TICK_MS) {
      const before = gone();
      clock.advance(PACE_TICK_MS);
      parts.push(gone() - before);
    }
    expect(Math.max(...parts)).toBeLessThanOrEqual(3 * PACKET_BYTES);
    expect(gone()).toBe(25_000);
  });

  test("sends urgent packets before what waits, in their order, and copies behind the packets that they copy", () => {
    const { clock, left, pacer } = makePacer(500_000);
    pacer.send(cut(20_000));
    const repeats = cut(3_000);
    const before = left.length;
    pacer.send(repeats, { urgent: true });
    pacer.send(repeats, { urgent: true, copies: true });
    clock.advance(2 * PACED_MS_MAX);
    const behind = left.slice(before);
    const originals = behind.filter(({ copies }) => !copies).map(({ packet }) => packet);
    expect(originals.slice(0, repeats.length)).toEqual(repeats);
    for (const repeat of repeats) {
      const both = behind.filter(({ packet }) => packet === repeat).map(({ copies }) => copies);
      expect(both).toEqual([false, true]);
    }
  });

  test("says when the last of them has left, at once where none waits", () => {
    const { clock, left, pacer } = makePacer(500_000);
    const said: number[] = [];
    pacer.send(cut(4_000), { left: () => said.push(left.length) });
    expect(said).toEqual([cut(4_000).length]);
    pacer.send(cut(20_000), { left: () => said.push(left.length) });
    expect(said).toHaveLength(1);
    clock.advance(PACED_MS_MAX);
    expect(said).toEqual([cut(4_000).length, cut(4_000).length + cut(20_000).length]);
  });

  test("follows the rate", () => {
    const { clock, left, pacer } = makePacer(250_000);
    pacer.setBitrate(3_000_000);
    clock.advance(FRAME_MS);
    pacer.send(cut(18_000));
    expect(left).toHaveLength(cut(18_000).length);
    pacer.setBitrate(250_000);
    clock.advance(FRAME_MS);
    left.splice(0);
    pacer.send(cut(18_000));
    expect(left.reduce((sum, { packet }) => sum + packet.length, 0)).toBeLessThanOrEqual(burstBytes(250_000));
  });

  test("of no packets sends none, and one burst is enough for two frames that come a third of a frame apart", () => {
    const { clock, left, pacer } = makePacer(1_000_000);
    pacer.send([]);
    expect(left).toEqual([]);
    pacer.send(cut(3_000));
    clock.advance(FRAME_MS / 3);
    pacer.send(cut(3_000));
    expect(left).toHaveLength(2 * cut(3_000).length);
  });
});
