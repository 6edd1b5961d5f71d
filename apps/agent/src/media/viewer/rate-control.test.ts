import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { videoProfile } from "../encoder/video-encoder.ts";
import type { LinkFlow } from "./departures.ts";
import type { ProtectionState, RateObservation, RateState } from "./rate-control.ts";
import { RATE_STEP_MS, startRate, stepProtection, stepRate, UNPROTECTED } from "./rate-control.ts";

const limits = { start: 1_000_000, min: 250_000, max: 3_000_000 };
const healthy = (nowMs: number, changes: Partial<RateObservation> = {}): RateObservation => ({
  nowMs,
  sentBps: 900_000,
  flow: null,
  lossFraction: 0,
  roundTripMs: 20,
  roundTripAtMs: nowMs,
  heardAtMs: nowMs,
  ...changes,
});
const flowing = (nowMs: number, changes: Partial<LinkFlow> = {}): LinkFlow => ({
  ...{ queueMs: 0, sentAtMs: nowMs - 20, deliveredBps: 900_000, arrived: 40, lost: 0 },
  ...changes,
});

/** Runs `steps` turns; `see` gives what is observed at the current rate. */
function run(
  steps: number,
  see: (state: RateState, nowMs: number) => Partial<RateObservation>,
  from = startRate(limits, 0),
): RateState[] {
  const states = [from];
  for (let step = 1; step <= steps; step += 1) {
    const state = states.at(-1)!;
    const nowMs = from.steppedAtMs + step * RATE_STEP_MS;
    states.push(stepRate(state, healthy(nowMs, see(state, nowMs)), limits));
  }
  return states;
}

describe("rate control without reports of arrivals", () => {
  /** A link of `capacity`, whose queue shows in the round trip alone. */
  const narrow = (capacity: number) => (state: RateState) => ({
    sentBps: state.bitrate,
    roundTripMs: state.bitrate > capacity ? 200 : 40,
  });

  test("starts low and climbs a good link to its ceiling", () => {
    const states = run(60, (state) => ({ sentBps: state.bitrate }));
    expect(states[0]!.bitrate).toBe(1_000_000);
    expect(states.at(-1)!.bitrate).toBe(3_000_000);
  });

  test("settles on a narrow link and stays near it", () => {
    const rates = run(400, narrow(1_500_000))
      .slice(100)
      .map(({ bitrate }) => bitrate);
    expect(Math.max(...rates)).toBeLessThan(1_600_000);
    expect(rates.reduce((sum, rate) => sum + rate, 0) / rates.length).toBeGreaterThan(1_150_000);
  });

  test("does not promise far more than the link has carried, and does not fall while the reels rest", () => {
    expect(run(100, () => ({ sentBps: 80_000 })).at(-1)!.bitrate).toBe(1_300_000);
    expect(run(100, () => ({ sentBps: 1_000_000 })).at(-1)!.bitrate).toBe(1_600_000);
    for (const { bitrate } of run(300, () => ({ sentBps: 80_000 })))
      expect(bitrate).toBeGreaterThanOrEqual(limits.start);
  });

  test("a queue that only begins ends the rise, and is no reason to fall", () => {
    const states = run(30, (state, nowMs) => ({ sentBps: state.bitrate, roundTripMs: nowMs < 1_500 ? 40 : 75 }));
    const [risen] = states.slice(5);
    expect(risen!.bitrate).toBeGreaterThan(limits.start);
    expect(states.at(-1)!.bitrate).toBe(risen!.bitrate);
  });

  test("falls deeper the longer the queue is, and judges what was reported before the last fall no second time", () => {
    const after = (roundTripMs: number) =>
      run(21, (_, nowMs) => ({ sentBps: 1_000_000, roundTripMs: nowMs > 20 * RATE_STEP_MS ? roundTripMs : 20 }))
        .slice(-2)
        .map(({ bitrate }) => bitrate) as [number, number];
    const [before, deep] = after(300);
    const [, mild] = after(110);
    expect([deep < mild, mild < before, after(90)[1] === before]).toEqual([true, true, true]);
    const states = run(40, (_, nowMs) => {
      const roundTripAtMs = Math.floor(nowMs / 3_000) * 3_000;
      return { sentBps: 1_000_000, roundTripAtMs, roundTripMs: roundTripAtMs === 9_000 ? 300 : 20 };
    });
    expect(states.filter(({ bitrate }, at) => bitrate < (states[at - 1]?.bitrate ?? 0))).toHaveLength(1);
  });

  test("forgives a longer route within a minute", () => {
    const longer = (nowMs: number) => ({ roundTripMs: nowMs < 3_000 ? 20 : 180, sentBps: 3_000_000 });
    expect(run(600, (_, nowMs) => longer(nowMs)).at(-1)!.bitrate).toBeGreaterThan(2_000_000);
  });

  test("does not rise on silence", () => {
    expect(run(50, () => ({ heardAtMs: 0 })).at(-1)!.bitrate).toBeLessThan(limits.start * 1.7);
  });
});

describe("rate control by the arrivals of packets", () => {
  const free = (state: RateState, nowMs: number) => ({
    sentBps: state.bitrate,
    flow: flowing(nowMs, { deliveredBps: state.bitrate }),
  });
  const full = (queueMs: number, share: number) => (state: RateState, nowMs: number) => ({
    sentBps: state.bitrate,
    flow: flowing(nowMs, { queueMs, deliveredBps: share }),
  });

  test("reaches the ceiling of a good link within four seconds", () => {
    expect(run(13, free).at(-1)!.bitrate).toBe(3_000_000);
  });

  test("falls to its share of a full link at once, however far that is, and by more the longer the queue is", () => {
    const before = run(13, free).at(-1)!;
    expect(run(1, full(100, 2_500_000), before).at(-1)!.bitrate).toBeLessThan(2_500_000);
    expect(run(1, full(300, 2_500_000), before).at(-1)!.bitrate).toBe(1_500_000);
    expect(run(1, full(300, 500_000), before).at(-1)!.bitrate).toBe(1_500_000);
    expect(run(4, full(300, 500_000), before).at(-1)!.bitrate).toBeLessThan(800_000);
  });

  test("a queue while the reels rest is not ours", () => {
    const resting = (_: RateState, nowMs: number) => ({ sentBps: 60_000, flow: flowing(nowMs, { queueMs: 200 }) });
    const before = run(13, free).at(-1)!;
    expect(run(7, resting, before).at(-1)!.bitrate).toBe(before.bitrate);
  });

  test("a link that has refused is not flooded anew by each spin", () => {
    const refused = run(3, full(100, 1_200_000), run(13, free).at(-1)).at(-1)!;
    const rested = run(140, (_, nowMs) => ({ sentBps: 60_000, flow: flowing(nowMs) }), refused).at(-1)!;
    expect(rested.bitrate).toBe(refused.bitrate);
  });

  test("beside a sender who keeps the queue full it takes its part, and alone again it drains the queue", () => {
    const given = (state: RateState, nowMs: number) => full(250, state.bitrate * 0.95)(state, nowMs);
    const shared = run(12, given, run(13, free).at(-1)).at(-1)!;
    expect(shared.sharing).toBeDefined();
    const lost = (lostPackets: number) => (state: RateState, nowMs: number) => ({
      sentBps: state.bitrate,
      flow: flowing(nowMs, { queueMs: 250, deliveredBps: state.bitrate, lost: lostPackets }),
    });
    const [before, risen] = run(1, lost(0), shared);
    expect(risen!.bitrate).toBeGreaterThan(before!.bitrate);
    expect(run(1, lost(5), risen).at(-1)!.bitrate).toBeCloseTo(risen!.bitrate * 0.7, -1);
    const alone = run(4, free, risen).at(-1)!;
    expect(alone.sharing).toBeUndefined();
  });
});

const observation = fc.record({
  gapMs: fc.integer({ min: 0, max: 2_000 }),
  sentBps: fc.integer({ min: 0, max: 5_000_000 }),
  queueMs: fc.option(fc.integer({ min: -50, max: 3_000 })),
  deliveredBps: fc.integer({ min: 0, max: 5_000_000 }),
  lost: fc.nat(50),
  lossFraction: fc.double({ min: 0, max: 1, noNaN: true }),
  roundTripMs: fc.option(fc.integer({ min: 0, max: 3_000 })),
  reportedAgoMs: fc.integer({ min: 0, max: 2_000 }),
});

test("whatever is reported: within limits, no step too deep, no fall without one of the reasons", () => {
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 80 }), (observations) => {
      let state = startRate(limits, 0);
      let nowMs = 0;
      for (const { gapMs, reportedAgoMs, queueMs, deliveredBps, lost, ...seen } of observations) {
        nowMs += gapMs;
        const times = { nowMs, heardAtMs: nowMs, roundTripAtMs: nowMs - reportedAgoMs };
        const flow =
          queueMs === null ? null : flowing(nowMs, { queueMs, deliveredBps, lost, sentAtMs: nowMs - reportedAgoMs });
        const next = stepRate(state, { ...seen, ...times, flow }, limits);
        expect(next.bitrate).toBeGreaterThanOrEqual(limits.min);
        expect(next.bitrate).toBeLessThanOrEqual(limits.max);
        expect(next.bitrate).toBeGreaterThanOrEqual(Math.min(state.bitrate, Math.round(state.bitrate * 0.5)));
        const lowest = Math.min(next.roundTripMinMs, next.roundTripBeforeMs);
        const queue = flow === null ? (seen.roundTripMs ?? 0) - lowest : flow.queueMs;
        const mayFall = seen.lossFraction > 0.1 || queue > 12 || (flow !== null && flow.lost > 1);
        if (!mayFall) expect(next.bitrate).toBeGreaterThanOrEqual(state.bitrate);
        state = next;
      }
    }),
    { seed: 5, numRuns: 300 },
  );
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
