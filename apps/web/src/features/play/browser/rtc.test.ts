import { expect, test } from "vitest";
import { readStats } from "./rtc.ts";

test("calculates means since the last reading, and a report without video is all zero", () => {
  const video = (emitted: number, delay: number) =>
    new Map<string, unknown>([
      ["v", { type: "inbound-rtp", kind: "video", jitterBufferEmittedCount: emitted, jitterBufferDelay: delay }],
      ["p", { type: "candidate-pair", nominated: true, currentRoundTripTime: 0.04 }],
    ]);
  const first = readStats(video(100, 1), undefined);
  expect(first).toMatchObject({ jitterBufferMs: 10, roundTripMs: 40 });
  expect(readStats(video(200, 4), first).jitterBufferMs).toBeCloseTo(30);
  expect(readStats([], undefined)).toMatchObject({ videoBytes: 0, roundTripMs: undefined, decodeMs: 0 });
});
