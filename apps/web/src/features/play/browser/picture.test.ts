import { expect, test } from "vitest";
import { Frames } from "../state/picture/frames.ts";
import type { LinkFacts, Quality } from "../state/picture/readout.ts";
import { barsOf, CONTROL_SILENT_MS, lossBetween, qualityOf } from "../state/picture/readout.ts";
import { preferred } from "./codecs.ts";
import { readStats } from "./rtc.ts";

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

const GOOD_LINK: LinkFacts = {
  online: true,
  live: true,
  delayMs: 38,
  lossShare: 0,
  framesPerSecond: 30,
  wantedPerSecond: 30,
  frozenMs: 0,
  controlMs: 500,
};

// player 7
test.each<[string, Partial<LinkFacts>, Quality, number]>([
  ["all well", {}, "good", 4],
  ["loss", { delayMs: 79, lossShare: 0.05 }, "fair", 3],
  ["80 ms", { delayMs: 80 }, "fair", 3],
  ["150 ms", { delayMs: 150 }, "fair", 2],
  ["180 ms", { delayMs: 180 }, "poor", 1],
  ["much loss", { delayMs: 20, lossShare: 0.1 }, "poor", 1],
  ["no delay known", { delayMs: undefined }, "fair", 2],
  ["a picture that has just begun", { framesPerSecond: undefined }, "good", 4],
  ["19 of 30 frames a second", { framesPerSecond: 19 }, "fair", 3],
  ["9 of 30 frames a second", { framesPerSecond: 9 }, "poor", 1],
  ["14 of 15 wanted frames a second", { framesPerSecond: 14, wantedPerSecond: 15 }, "good", 4],
  ["a short freeze", { frozenMs: 250 }, "fair", 3],
  ["a long freeze", { frozenMs: 1_000 }, "poor", 1],
  ["no platform, whatever the picture does", { online: false }, "lost", 0],
  ["no picture", { live: false }, "lost", 0],
  ["an agent that does not answer", { controlMs: CONTROL_SILENT_MS }, "lost", 0],
  ["an agent that was never asked", { controlMs: undefined }, "good", 4],
])("player 7: the word tells the truth of %s", (_what, change, word, bars) => {
  const facts = { ...GOOD_LINK, ...change };
  expect(qualityOf(facts)).toBe(word);
  expect(barsOf(word, facts.delayMs)).toBe(bars);
});

test("player 7: freezes are remembered for a while, and a page that nobody sees has none", () => {
  const frames = new Frames();
  const play = (from: number, to: number): void => {
    for (let at = from; at <= to; at += 40) frames.add({ shownAt: at, delayMs: 40 });
  };
  play(0, 1_000);
  expect([frames.steadyPerSecond(1_000), frames.frozenMs(1_000)]).toEqual([undefined, 0]);
  play(1_600, 3_000);
  expect(frames.steadyPerSecond(3_000)).toBeGreaterThan(10);
  expect(frames.frozenMs(3_000)).toBe(600);
  expect(frames.frozenMs(3_400)).toBe(1_000);
  frames.unseen();
  play(9_000, 9_400);
  expect(frames.frozenMs(9_400)).toBe(0);
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
