import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { videoProfile } from "../encoder/video-encoder.ts";
import type { ProtectionState, RateObservation, RateState } from "./rate-control.ts";
import { RATE_STEP_MS, startRate, stepProtection, stepRate, UNPROTECTED } from "./rate-control.ts";

const limits = { start: 1_000_000, min: 250_000, max: 3_000_000 };
const healthy = (nowMs: number, changes: Partial<RateObservation> = {}): RateObservation => ({
  nowMs,
  sentBps: 900_000,
  rembBps: null,
  lossFraction: 0,
  roundTripMs: 20,
  roundTripAtMs: nowMs,
  heardAtMs: nowMs,
  ...changes,
});

/** Runs `steps` turns; `see` gives what is observed at the current rate. */
function run(steps: number, see: (state: RateState, nowMs: number) => Partial<RateObservation>): RateState[] {
  const states = [startRate(limits, 0)];
  for (let step = 1; step <= steps; step += 1) {
    const state = states.at(-1)!;
    const nowMs = step * RATE_STEP_MS;
    states.push(stepRate(state, healthy(nowMs, see(state, nowMs)), limits));
  }
  return states;
}

/** A link of `capacity`: what arrives bounds the estimate, as Chromium's REMB is bounded. */
const narrow = (capacity: number) => (state: RateState) => {
  const received = Math.min(state.bitrate, capacity);
  const queued = state.bitrate > capacity;
  return { sentBps: state.bitrate, rembBps: queued ? capacity * 0.85 : received * 1.5, roundTripMs: queued ? 200 : 40 };
};

describe("rate control", () => {
  test("starts low and climbs a good link to its ceiling within seconds", () => {
    const states = run(40, (state) => ({ sentBps: state.bitrate, rembBps: state.bitrate * 1.5 }));
    expect(states[0]!.bitrate).toBe(1_000_000);
    expect(states.at(-1)!.bitrate).toBe(3_000_000);
  });

  test("settles on a narrow link and stays near it", () => {
    const states = run(400, narrow(1_500_000)).slice(100);
    const rates = states.map(({ bitrate }) => bitrate);
    expect(Math.max(...rates)).toBeLessThan(1_600_000);
    expect(rates.reduce((sum, rate) => sum + rate, 0) / rates.length).toBeGreaterThan(1_150_000);
  });

  test("does not spiral down while the reels rest", () => {
    const states = run(300, () => ({ sentBps: 80_000, rembBps: 80_000 * 1.5 }));
    for (const { bitrate } of states) expect(bitrate).toBeGreaterThanOrEqual(limits.start);
  });

  test("the first spin after a rest is not cut by an estimate that never had a chance to grow", () => {
    const states = run(60, (_, nowMs) =>
      nowMs < 9_000
        ? { sentBps: 80_000, rembBps: 110_000 }
        : { sentBps: 1_400_000, rembBps: 110_000 + (nowMs - 9_000) * 20 },
    );
    for (const { bitrate } of states) expect(bitrate).toBeGreaterThanOrEqual(limits.start);
    expect(states.at(-1)!.bitrate).toBeGreaterThanOrEqual(1_300_000);
  });

  test("does not promise far more than the link has carried, and waits for the first estimate", () => {
    const estimate = (_: RateState, nowMs: number) => 1_000_000 * 1.01 ** (nowMs / RATE_STEP_MS);
    expect(run(100, () => ({ sentBps: 80_000, rembBps: 110_000 })).at(-1)!.bitrate).toBe(1_300_000);
    expect(run(100, () => ({ sentBps: 1_000_000 })).at(-1)!.bitrate).toBe(1_300_000);
    expect(run(100, (...at) => ({ sentBps: 1_000_000, rembBps: estimate(...at) })).at(-1)!.bitrate).toBe(1_600_000);
  });

  test("climbs with an estimate that grows, and not beyond one that stands still", () => {
    // Once a second, as Chromium tells it; reels turn and rest, so only half of the rate is sent.
    const grown = (nowMs: number) => 800_000 * 1.08 ** Math.floor(nowMs / 1_000);
    const free = run(80, (state, nowMs) => ({ sentBps: state.bitrate * 0.7, rembBps: grown(nowMs) }));
    expect(free.at(-1)!.bitrate).toBe(3_000_000);
    const still = run(400, (state) => ({ sentBps: state.bitrate * 0.7, rembBps: 900_000 }));
    expect(Math.max(...still.map(({ bitrate }) => bitrate * 0.7))).toBeLessThan(900_000 * 1.4);
  });

  test("a queue that only begins ends the rise, and is no reason to fall", () => {
    const states = run(30, (state, nowMs) => ({
      sentBps: state.bitrate,
      rembBps: state.bitrate * 1.5,
      roundTripMs: nowMs < 1_500 ? 40 : 70,
    }));
    const [risen] = states.slice(5);
    expect(risen!.bitrate).toBeGreaterThan(limits.start);
    expect(states.at(-1)!.bitrate).toBe(risen!.bitrate);
  });

  test("falls deepest when the queue is about to overflow", () => {
    const after = (roundTripMs: number) =>
      run(21, (_, nowMs) => ({ sentBps: 1_000_000, roundTripMs: nowMs > 20 * RATE_STEP_MS ? roundTripMs : 20 }));
    const [before, now] = after(300).slice(-2);
    expect(now!.bitrate).toBeCloseTo(before!.bitrate * 0.7, -1);
    const [, mild] = after(110).slice(-2);
    expect(mild!.bitrate).toBeCloseTo(before!.bitrate * 0.85, -1);
    const [, none] = after(90).slice(-2);
    expect(none!.bitrate).toBe(before!.bitrate);
  });

  test("a queue that was reported before the last fall is not judged a second time", () => {
    const falls = (reportEachMs: number) => {
      const states = run(40, (_, nowMs) => {
        const roundTripAtMs = Math.floor(nowMs / reportEachMs) * reportEachMs;
        return { sentBps: 1_000_000, roundTripAtMs, roundTripMs: roundTripAtMs === 9_000 ? 300 : 20 };
      });
      return states.filter(({ bitrate }, at) => bitrate < (states[at - 1]?.bitrate ?? 0)).length;
    };
    expect(falls(3_000)).toBe(1);
  });

  test("near the rate that the link refused last it climbs slowly, so that its queue is met seldom", () => {
    const rates = run(400, narrow(1_500_000)).map(({ bitrate }) => bitrate);
    const falls = rates.slice(100).filter((rate, at, late) => rate < (late[at - 1] ?? 0)).length;
    expect(falls).toBeLessThan(18);
    const passed = run(400, (state, nowMs) => narrow(nowMs < 40_000 ? 1_500_000 : 5_000_000)(state));
    expect(passed.at(-1)!.bitrate).toBe(3_000_000);
  });

  test("a link that has refused is not flooded anew by each spin", () => {
    const refused = run(60, narrow(1_200_000)).at(-1)!;
    let state = refused;
    for (let step = 61; step < 200; step += 1) {
      state = stepRate(state, healthy(step * RATE_STEP_MS, { sentBps: 60_000, rembBps: 90_000 }), limits);
    }
    expect(state.bitrate).toBe(refused.bitrate);
  });

  test("forgives a longer route within a minute", () => {
    const states = run(300, (_, nowMs) => ({ roundTripMs: nowMs < 3_000 ? 20 : 180 }));
    const floor = Math.min(...states.map(({ bitrate }) => bitrate));
    expect(floor).toBe(limits.min);
    const after = run(600, (_, nowMs) => ({
      roundTripMs: nowMs < 3_000 ? 20 : 180,
      sentBps: 3_000_000,
      rembBps: 4_000_000,
    }));
    expect(after.at(-1)!.bitrate).toBeGreaterThan(2_000_000);
  });

  test("does not rise on silence", () => {
    const states = run(50, () => ({ heardAtMs: 0 }));
    expect(states.at(-1)!.bitrate).toBeLessThan(limits.start * 1.7);
  });

  const observation = fc.record({
    gapMs: fc.integer({ min: 0, max: 2_000 }),
    sentBps: fc.integer({ min: 0, max: 5_000_000 }),
    rembBps: fc.option(fc.integer({ min: 0, max: 10_000_000 })),
    lossFraction: fc.double({ min: 0, max: 1, noNaN: true }),
    roundTripMs: fc.option(fc.integer({ min: 0, max: 3_000 })),
    reportedAgoMs: fc.integer({ min: 0, max: 2_000 }),
  });

  test("whatever is reported: within limits, no step too deep, no fall without one of the three reasons", () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 80 }), (observations) => {
        let state = startRate(limits, 0);
        let nowMs = 0;
        for (const { gapMs, reportedAgoMs, ...seen } of observations) {
          nowMs += gapMs;
          const times = { nowMs, heardAtMs: nowMs, roundTripAtMs: nowMs - reportedAgoMs };
          const next = stepRate(state, { ...seen, ...times }, limits);
          expect(next.bitrate).toBeGreaterThanOrEqual(limits.min);
          expect(next.bitrate).toBeLessThanOrEqual(limits.max);
          expect(next.bitrate).toBeGreaterThanOrEqual(Math.min(state.bitrate, Math.round(state.bitrate * 0.7)));
          const lowest = Math.min(next.roundTripMinMs, next.roundTripBeforeMs);
          const certain = seen.lossFraction > 0.1 || (seen.roundTripMs !== null && seen.roundTripMs > lowest + 80);
          const estimatedLess = seen.rembBps !== null && seen.rembBps < seen.sentBps * 1.05;
          if (certain) expect(next.bitrate).toBeLessThanOrEqual(state.bitrate);
          else if (!estimatedLess) expect(next.bitrate).toBeGreaterThanOrEqual(state.bitrate);
          state = next;
        }
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

test("the profile follows the size of the frame", () => {
  const format = { width: 1280, height: 720, frameRate: 30, audio: true };
  expect(videoProfile(format)).toMatchObject({ frameRate: 30, bitrateStart: 1_000_000, bitrateMax: 3_000_000 });
  expect(videoProfile(format, 60).frameRate).toBe(30);
  expect(videoProfile({ ...format, width: 640, height: 360 }, 15)).toMatchObject({
    frameRate: 15,
    bitrateMax: 750_000,
  });
});

const QUIET: Omit<Parameters<typeof stepProtection>[1], "nowMs" | "counts"> = {
  ...{ bitrate: 2_000_000, bitrateMin: 250_000, backedOffAtMs: Number.NEGATIVE_INFINITY, roundTripMs: 80 },
};
const STEP_MS = 300;
const PACKETS = 75;

/** So many steps of 75 packets, of which a share is requested for; the counters go on from the state. */
function runProtection(
  from: ProtectionState,
  steps: number,
  requestedShare: number,
  more: Partial<typeof QUIET> = {},
): ProtectionState {
  let state = from;
  for (let step = 1; step <= steps; step += 1) {
    const nowMs = 100_000 + step * STEP_MS;
    const { sent, requested } = state.before;
    const counts = { sent: sent + PACKETS, requested: requested + PACKETS * requestedShare };
    state = stepProtection(state, { nowMs, counts, ...QUIET, ...more });
  }
  return state;
}

describe("protection", () => {
  test("begin within two seconds of loss, and end well after it ended", () => {
    expect(runProtection(UNPROTECTED, 20, 0).on).toBe(false);
    const lossy = runProtection(UNPROTECTED, 4, 0.03);
    expect(lossy.on).toBe(true);
    expect(runProtection(lossy, 200, 0.015).on).toBe(true);
    expect(runProtection(runProtection(lossy, 60, 0.015), 20, 0).on).toBe(true);
    expect(runProtection(runProtection(lossy, 60, 0.015), 120, 0).on).toBe(false);
  });

  test("a packet now and then begins nothing, and neither do the first few packets", () => {
    expect(runProtection(UNPROTECTED, 100, 0.005).on).toBe(false);
    expect(runProtection(UNPROTECTED, 1, 0.5).on).toBe(false);
    expect(runProtection(runProtection(runProtection(UNPROTECTED, 20, 0), 1, 0.2), 20, 0).on).toBe(false);
  });

  test("packets lost at the edge of a full link begin no protection, and end none", () => {
    expect(runProtection(UNPROTECTED, 10, 0.1, { backedOffAtMs: 101_000 }).on).toBe(false);
    expect(runProtection(UNPROTECTED, 10, 0.1, { backedOffAtMs: 80_000 }).on).toBe(true);
    expect(runProtection(runProtection(UNPROTECTED, 10, 0.03), 1, 0.03, { backedOffAtMs: 100_000 }).on).toBe(true);
  });

  test("a short round trip needs none, and a longer one that shrinks a little keeps them", () => {
    expect(runProtection(UNPROTECTED, 10, 0.03, { roundTripMs: 8 }).on).toBe(false);
    const far = runProtection(UNPROTECTED, 10, 0.03, { roundTripMs: 30 });
    expect(runProtection(far, 5, 0.03, { roundTripMs: 8 }).on).toBe(true);
    expect(runProtection(far, 5, 0.03, { roundTripMs: 4 }).on).toBe(false);
    expect(runProtection(UNPROTECTED, 10, 0.03, { roundTripMs: null }).on).toBe(true);
  });

  test("a rate that cannot be halved has no room for them", () => {
    expect(runProtection(UNPROTECTED, 10, 0.03, { bitrate: 400_000 }).on).toBe(false);
  });
});
