import { expect, test } from "vitest";
import { Frames } from "../state/picture/frames.ts";
import { barsOf, lossBetween, qualityOf } from "../state/picture/readout.ts";
import { preferred } from "./codecs.ts";
import { readStats } from "./rtc-stats.ts";

test("H.264 constrained baseline is offered first, then other H.264, VP8 and what repairs them; nothing else", () => {
  const codec = (mimeType: string, sdpFmtpLine?: string) => ({ mimeType, sdpFmtpLine });
  const offered = preferred("video", [
    codec("video/VP8"),
    codec("video/rtx"),
    codec("video/VP9", "profile-id=0"),
    codec("video/H264", "packetization-mode=1;profile-level-id=42001f"),
    codec("video/H264", "packetization-mode=0;profile-level-id=42e01f"),
    codec("video/H264", "packetization-mode=1;profile-level-id=42e01f"),
    codec("video/AV1"),
  ]);
  expect(offered.map(({ mimeType, sdpFmtpLine = "" }) => `${mimeType} ${sdpFmtpLine.slice(-6)}`.trim())).toEqual([
    "video/H264 42e01f",
    "video/H264 42001f",
    "video/VP8",
    "video/rtx",
  ]);
  expect(preferred("video", [codec("video/AV1")])).toEqual([]);
  expect(preferred("audio", [codec("audio/PCMU"), codec("audio/opus")])).toHaveLength(1);
});

test("means are taken since the last reading, and a report without video is all zero", () => {
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

test("the delay is the median of two seconds, and rates count only them", () => {
  const frames = new Frames();
  for (let index = 0; index < 90; index += 1) frames.add({ shownAt: index * 33, delayMs: index % 3 === 0 ? 300 : 40 });
  expect(frames.delayMs(90 * 33)).toBe(40);
  expect(Math.round(frames.perSecond(90 * 33))).toBe(30);
  frames.add({ shownAt: 10_000, delayMs: undefined });
  expect(frames.delayMs(10_000)).toBeUndefined();
  expect(frames.perSecond(60_000)).toBe(0);
});

test.each([
  [38, 0, "good", 4],
  [79, 0.05, "fair", 3],
  [80, 0, "fair", 3],
  [150, 0, "fair", 2],
  [180, 0, "poor", 1],
  [20, 0.1, "poor", 1],
  [undefined, 0, "fair", 2],
] as const)("%s ms with a loss of %s is %s", (delayMs, loss, word, bars) => {
  expect(qualityOf(delayMs, loss)).toBe(word);
  expect(barsOf(word, delayMs)).toBe(bars);
});

test("loss is counted between two readings", () => {
  const stats = (packetsReceived: number, packetsLost: number) => ({
    ...readStats([], undefined),
    packetsReceived,
    packetsLost,
  });
  expect(lossBetween(stats(100, 50), stats(190, 60))).toBe(0.1);
  expect(lossBetween(stats(100, 50), stats(100, 50))).toBe(0);
});
