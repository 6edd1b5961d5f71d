import { fakeTimers } from "@longarm/link/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AgentClock, ClockPoll } from "./agent-clock.ts";

test("the match is never further off than half of the shortest round trip, for any skew and jitter", () => {
  const way = fc.double({ min: 0, max: 400, noNaN: true });
  fc.assert(
    fc.property(
      fc.double({ min: -1e12, max: 1e12, noNaN: true }),
      fc.array(fc.tuple(way, way, fc.double({ min: 0, max: 5, noNaN: true })), { minLength: 1, maxLength: 25 }),
      (skew, ways) => {
        const clock = new AgentClock();
        ways.forEach(([there, back, work], index) => {
          const t0 = index * 1_000;
          const t1 = t0 + there + skew;
          const t2 = t1 + work;
          clock.add({ t0, t1, t2, t3: t2 - skew + back });
        });
        const error = Math.abs(clock.toAgent(5_000) - (5_000 + skew));
        expect(error).toBeLessThanOrEqual(Math.min(...ways.map(([there, back]) => there + back)) / 2 + 0.01);
        expect(clock.toPage(clock.toAgent(123))).toBeCloseTo(123, 1);
      },
    ),
    { seed: 7, numRuns: 200 },
  );
});

test("drops a sample that cannot be true", () => {
  const clock = new AgentClock();
  clock.add({ t0: 10, t1: 0, t2: 0, t3: 5 });
  clock.add({ t0: 0, t1: 5, t2: 4, t3: 10 });
  clock.add({ t0: 0, t1: 0, t2: 100, t3: 10 });
  clock.add({ t0: 0, t1: 0, t2: 0, t3: 60_000 });
  clock.add({ t0: Number.NaN, t1: 0, t2: 0, t3: 1 });
  expect(clock.matched).toBe(false);
  expect(clock.toAgent(42)).toBe(42);
});

test("turns an RTP timestamp into the time of capture across the wrap of its 32 bits, both ways", () => {
  const clock = new AgentClock();
  expect(clock.capturedAt(0)).toBeUndefined();
  clock.add({ t0: 0, t1: 1_000, t2: 1_000, t3: 0 });
  clock.addFrame(2 ** 32 - 900, 5_000);
  expect(clock.capturedAt(2 ** 32 - 900)).toBe(5_000);
  expect(clock.capturedAt(900)).toBe(5_020);
  clock.addFrame(900, 5_020);
  expect(clock.capturedAt(2 ** 32 - 900)).toBe(5_000);
});

test("polls the clock quickly at first and then once a second; only answers to open requests count", () => {
  const timers = fakeTimers();
  const clock = new AgentClock();
  const sent: number[] = [];
  let now = 0;
  const send = (_channel: string, frame: string): boolean => sent.push((JSON.parse(frame) as { t0: number }).t0) > 0;
  const poll = new ClockPoll(clock, timers, () => now, { channels: { send } });
  const pass = (ms: number): void => {
    now += ms;
    timers.advance(ms);
  };
  poll.start();
  for (let step = 0; step < 4; step += 1) pass(100);
  expect(sent).toEqual([0, 100, 200, 300, 400]);
  pass(999);
  expect(sent).toHaveLength(5);
  pass(1);
  expect(sent).toHaveLength(6);
  const answer = (t0: number) => JSON.stringify({ t0, t1: 9_000, t2: 9_000, rtp: 90, capturedAt: 8_990 });
  poll.receive(answer(77));
  poll.receive("{");
  expect(clock.matched).toBe(false);
  poll.receive(answer(1_400));
  expect(clock.toAgent(1_400)).toBe(9_000);
  expect(clock.capturedAt(180)).toBe(8_991);
  poll.end();
  expect(timers.waiting).toBe(0);
});

test("says with each request whether frames are wanted evenly, and at once when that changes", () => {
  const timers = fakeTimers();
  const sent: unknown[] = [];
  const send = (_channel: string, frame: string): boolean => sent.push(JSON.parse(frame)) > 0;
  const poll = new ClockPoll(new AgentClock(), timers, () => 7, { channels: { send } });
  poll.wantSmooth(false);
  expect(sent).toEqual([]);
  poll.wantSmooth(true);
  poll.requestKeyFrame();
  poll.wantSmooth(false);
  expect(sent).toEqual([{ t0: 7, smooth: true }, { t0: 7, keyFrame: true, smooth: true }, { t0: 7 }]);
  poll.end();
});
