import { expect, test } from "vitest";
import type { ShownFrame } from "../setup/probe.ts";
import { jitterBufferMs, paintedAges, timesOfPictures, timesOfPresses } from "./stages.ts";

const BASE = 1_700_000_000_000;
const frame = (more: Partial<ShownFrame>): ShownFrame => ({
  ...{ shownAt: BASE + 20, ageMs: null, marker: null, code: null, rtp: 900, receivedAt: BASE + 9, decodeMs: 4 },
  ...more,
});
const sent = (timestamp: number, capturedAtMs: number) => ({
  ...{ timestamp, capturedAtMs, encodeFromMs: capturedAtMs + 1, encodedAtMs: capturedAtMs + 6 },
  sentAtMs: capturedAtMs + 7,
});

test("the stages of a picture sum to its whole way, and a picture of one side only is not counted", () => {
  const [times, ...others] = timesOfPictures(
    [frame({}), frame({ rtp: 901 }), frame({ rtp: null }), frame({ receivedAt: null })],
    [sent(900, BASE), sent(7, BASE)],
  );
  expect(times).toEqual({ capture: 1, encode: 5, send: 1, network: 2, decode: 4, rest: 7, whole: 20 });
  expect(others).toEqual([]);
});

test("the jitter buffer's time is that of the pictures between two readings", () => {
  const sums = (jitterBufferS: number, emitted: number) => ({
    ...{ jitterBufferS, emitted, assembledS: jitterBufferS / 2, dropped: 0, protocol: "udp", relayProtocol: null },
  });
  expect(jitterBufferMs(sums(1, 100), sums(1.5, 200))).toBe(2.5);
  expect(jitterBufferMs(sums(1, 100), sums(1, 100))).toBeNull();
  expect(jitterBufferMs(null, sums(1, 100))).toBeNull();
});

test("a press is followed to the agent, through the machine and back with its picture", () => {
  const press = { at: BASE - 30, frame: frame({}) };
  const times = timesOfPresses([press], [sent(900, BASE)], [BASE - 400, BASE - 25, BASE + 50]);
  expect(times).toEqual([{ toAgent: 5, machine: 25, picture: 20, whole: 50 }]);
  expect(timesOfPresses([press], [], [BASE - 25])).toEqual([]);
});

test("ages come from the painted time, over its turn, and without those read from the next picture", () => {
  const clock = 65_530;
  const frames = Array.from({ length: 9 }, (_, at) => {
    const paintedAt = clock + at * 33;
    const late = at === 4 ? 33 : 0;
    return frame({
      shownAt: BASE - (BASE % 65_536) + paintedAt + 12.5,
      code: (paintedAt + late) % 65_536,
      rtp: (123_456 + at * 33 * 90) % 2 ** 32,
    });
  });
  const ages = paintedAges(frames);
  expect(ages).toHaveLength(8);
  for (const { ageMs } of ages) expect(ageMs).toBeCloseTo(12, 6);
});
