import { describe, expect, test } from "vitest";
import type { TwinsState } from "./twins.ts";
import { NO_TWINS, stepTwins } from "./twins.ts";

const QUIET = { bitrate: 2_000_000, bitrateMin: 250_000, backedOffAtMs: Number.NEGATIVE_INFINITY };
const STEP_MS = 300;
const PACKETS = 75;

/** So many steps of 75 packets, of which a share is asked for; the counters go on from the state. */
function run(from: TwinsState, steps: number, askedShare: number, more: Partial<typeof QUIET> = {}): TwinsState {
  let state = from;
  for (let step = 1; step <= steps; step += 1) {
    const nowMs = 100_000 + step * STEP_MS;
    const { sent, asked } = state.before;
    const counts = { sent: sent + PACKETS, asked: asked + PACKETS * askedShare };
    state = stepTwins(state, { nowMs, counts, ...QUIET, ...more });
  }
  return state;
}

describe("twins", () => {
  test("begin within two seconds of loss, and end well after it ended", () => {
    expect(run(NO_TWINS, 20, 0).on).toBe(false);
    const lossy = run(NO_TWINS, 4, 0.03);
    expect(lossy.on).toBe(true);
    expect(run(lossy, 200, 0.015).on).toBe(true);
    expect(run(run(lossy, 60, 0.015), 20, 0).on).toBe(true);
    expect(run(run(lossy, 60, 0.015), 120, 0).on).toBe(false);
  });

  test("a packet now and then begins nothing, and neither do the first few packets", () => {
    expect(run(NO_TWINS, 100, 0.005).on).toBe(false);
    expect(run(NO_TWINS, 1, 0.5).on).toBe(false);
    expect(run(run(run(NO_TWINS, 20, 0), 1, 0.2), 20, 0).on).toBe(false);
  });

  test("packets lost at the edge of a full link begin none; twins there are stay", () => {
    expect(run(NO_TWINS, 10, 0.1, { backedOffAtMs: 101_000 }).on).toBe(false);
    expect(run(NO_TWINS, 10, 0.1, { backedOffAtMs: 80_000 }).on).toBe(true);
    expect(run(run(NO_TWINS, 10, 0.03), 1, 0.03, { backedOffAtMs: 100_000 }).on).toBe(true);
  });

  test("a rate that cannot be halved has no room for them", () => {
    expect(run(NO_TWINS, 10, 0.03, { bitrate: 400_000 }).on).toBe(false);
  });
});
