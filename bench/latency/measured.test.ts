import { expect, test } from "vitest";
import { videoProfile } from "../../apps/agent/src/media/encoder/video-encoder.ts";
import { ffmpegLine } from "../peer/feed.ts";
import type { ReceiverSums, ShownFrame } from "../setup/probe.ts";
import { measuredOf, strayed } from "./measured.ts";

const BASE = 1_700_000_000_000 - (1_700_000_000_000 % 65_536);
const sums = (jitterBufferS: number, emitted: number, more: Partial<ReceiverSums> = {}): ReceiverSums => ({
  ...{ jitterBufferS, emitted, assembledS: 0, dropped: 0, protocol: "udp", relayProtocol: null },
  ...more,
});
/** Painted at `at`, with the browser after 5 ms, 2 ms in the decoder, shown after 10. */
const frame = (at: number): ShownFrame => ({
  ...{ shownAt: BASE + at + 10, ageMs: null, marker: null, code: at, rtp: at * 90 },
  ...{ receivedAt: BASE + at + 5, decodeMs: 2 },
});
const seen = (presses: number) => ({
  ...{ frames: [0, 33, 66].map(frame), firsts: [], readoutsMs: [] },
  presses: Array.from({ length: presses }, () => ({ at: BASE, frame: frame(33) })),
});

test("what a page was shown is read from its pictures and the browser's counters", () => {
  const measured = measuredOf(seen(1), 3, { from: sums(0, 0), to: sums(0.002, 2) });
  expect(measured).toMatchObject({ jitterMs: 1, presentMs: 2, pressesNotSeen: 2, longestGapMs: 33, meanPressMs: 43 });
  // Half a millisecond of rounding is taken from the painted time.
  expect(measured.ages?.p50).toBe(9.5);
  expect(measured.toBrowser?.p50).toBe(4.5);
});

test("counters that hold more than the shown pictures waited leave nothing over, and missing counters report nothing", () => {
  expect(measuredOf(seen(0), 0, { from: sums(0, 0), to: sums(1, 2) })).toMatchObject({ jitterMs: 3, presentMs: 0 });
  expect(measuredOf(seen(0), 0, { from: null, to: null })).toMatchObject({ jitterMs: null, presentMs: null });
});

test("media that went another way than the chosen one are found", () => {
  expect(strayed({ damage: null }, sums(0, 0))).toBeNull();
  expect(strayed({ damage: "tcp only" }, sums(0, 0))).toBe("it went over udp");
  expect(strayed({ damage: "tcp only" }, sums(0, 0, { protocol: "tcp" }))).toBeNull();
  expect(strayed({ damage: null, turn: "tcp" }, sums(0, 0, { relayProtocol: "udp" }))).toBe("it went by udp");
  expect(strayed({ damage: null }, null)).toBe("there is no connection");
});

test("the peer's encoder has the agent's options, except for its threads", () => {
  const line = ffmpegLine(5_004);
  const optionOf = (option: string) => line[line.indexOf(option) + 1];
  const { preset, bitrateMax } = videoProfile({ width: 1280, height: 720, frameRate: 30, audio: false, painted: true });
  expect([optionOf("-preset"), optionOf("-maxrate")]).toEqual([preset, String(bitrateMax)]);
  expect(line.join(" ")).not.toContain("sliced-threads");
  expect(line.at(-1)).toBe("rtp://127.0.0.1:5004?pkt_size=1200");
});
