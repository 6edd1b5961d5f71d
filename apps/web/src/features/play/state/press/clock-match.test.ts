import { fakeTimers } from "@longarm/link/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ClockAsker } from "../open-parts.ts";
import { ClockMatch } from "./clock-match.ts";

test("the match is never further off than half of the shortest round trip, whatever the skew and the jitter", () => {
  const way = fc.double({ min: 0, max: 400, noNaN: true });
  fc.assert(
    fc.property(
      fc.double({ min: -1e12, max: 1e12, noNaN: true }),
      fc.array(fc.tuple(way, way, fc.double({ min: 0, max: 5, noNaN: true })), { minLength: 1, maxLength: 25 }),
      (skew, ways) => {
        const match = new ClockMatch();
        ways.forEach(([there, back, work], index) => {
          const t0 = index * 1_000;
          const t1 = t0 + there + skew;
          const t2 = t1 + work;
          match.add({ t0, t1, t2, t3: t2 - skew + back });
        });
        const error = Math.abs(match.toAgent(5_000) - (5_000 + skew));
        expect(error).toBeLessThanOrEqual(Math.min(...ways.map(([there, back]) => there + back)) / 2 + 0.01);
        expect(match.toPage(match.toAgent(123))).toBeCloseTo(123, 1);
      },
    ),
    { seed: 7, numRuns: 200 },
  );
});

test("what cannot be true is dropped", () => {
  const match = new ClockMatch();
  match.add({ t0: 10, t1: 0, t2: 0, t3: 5 });
  match.add({ t0: 0, t1: 5, t2: 4, t3: 10 });
  match.add({ t0: 0, t1: 0, t2: 100, t3: 10 });
  match.add({ t0: 0, t1: 0, t2: 0, t3: 60_000 });
  match.add({ t0: Number.NaN, t1: 0, t2: 0, t3: 1 });
  expect(match.matched).toBe(false);
  expect(match.toAgent(42)).toBe(42);
});

test("an RTP timestamp is turned into the time of capture across the wrap of its 32 bits, both ways", () => {
  const match = new ClockMatch();
  expect(match.capturedAt(0)).toBeUndefined();
  match.add({ t0: 0, t1: 1_000, t2: 1_000, t3: 0 });
  match.addPicture(2 ** 32 - 900, 5_000);
  expect(match.capturedAt(2 ** 32 - 900)).toBe(5_000);
  expect(match.capturedAt(900)).toBe(5_020);
  match.addPicture(900, 5_020);
  expect(match.capturedAt(2 ** 32 - 900)).toBe(5_000);
});

test("the clock is asked quickly at first and then once a second; only answers to open questions count", () => {
  const timers = fakeTimers();
  const match = new ClockMatch();
  const sent: number[] = [];
  let now = 0;
  const asker = new ClockAsker({
    match,
    timers,
    now: () => now,
    send: (frame) => sent.push((JSON.parse(frame) as { t0: number }).t0) > 0,
  });
  const pass = (ms: number): void => {
    now += ms;
    timers.advance(ms);
  };
  asker.start();
  for (let step = 0; step < 4; step += 1) pass(100);
  expect(sent).toEqual([0, 100, 200, 300, 400]);
  pass(999);
  expect(sent).toHaveLength(5);
  pass(1);
  expect(sent).toHaveLength(6);
  const answer = (t0: number) => JSON.stringify({ t0, t1: 9_000, t2: 9_000, rtp: 90, capturedAt: 8_990 });
  asker.heard(answer(77));
  asker.heard("{");
  expect(match.matched).toBe(false);
  asker.heard(answer(1_400));
  expect(match.toAgent(1_400)).toBe(9_000);
  expect(match.capturedAt(180)).toBe(8_991);
  asker.end();
  expect(timers.waiting).toBe(0);
});
