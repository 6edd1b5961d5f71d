import { expect, test } from "vitest";
import { suggestedShowing } from "./link-meter.ts";
import type { LinkMeasures, PlayableMeasures, Quality } from "./readout.ts";
import { barsOf, CONTROL_SILENT_MS, FrameWindow, isPlayable, lossBetween, qualityOf } from "./readout.ts";
import type { RtcStats } from "./rtc-port.ts";
import { NO_PATH } from "./rtc-port.ts";

test("the delay is the median of two seconds, and rates count only them", () => {
  const frames = new FrameWindow();
  for (let index = 0; index < 90; index += 1) frames.add({ shownAt: index * 33, delayMs: index % 3 === 0 ? 300 : 40 });
  expect(frames.delayMs(90 * 33)).toBe(40);
  expect(Math.round(frames.perSecond(90 * 33))).toBe(30);
  frames.add({ shownAt: 10_000, delayMs: undefined });
  expect(frames.delayMs(10_000)).toBeUndefined();
  expect(frames.perSecond(60_000)).toBe(0);
});

const GOOD_LINK: LinkMeasures = {
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
test.each<[string, Partial<LinkMeasures>, Quality, number]>([
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
])("player 7: the quality shows %s", (_what, change, word, bars) => {
  const facts = { ...GOOD_LINK, ...change };
  expect(qualityOf(facts)).toBe(word);
  expect(barsOf(word, facts.delayMs)).toBe(bars);
});

test("player 7: freezes count for a while, and a hidden page has none", () => {
  const frames = new FrameWindow();
  const play = (from: number, to: number): void => {
    for (let at = from; at <= to; at += 40) frames.add({ shownAt: at, delayMs: 40 });
  };
  play(0, 1_000);
  expect([frames.steadyPerSecond(1_000), frames.frozenMs(1_000)]).toEqual([undefined, 0]);
  play(1_600, 3_000);
  expect(frames.steadyPerSecond(3_000)).toBeGreaterThan(10);
  expect(frames.frozenMs(3_000)).toBe(600);
  expect(frames.frozenMs(3_400)).toBe(1_000);
  frames.hidden();
  play(9_000, 9_400);
  expect(frames.frozenMs(9_400)).toBe(0);
  // Each freeze is taken once, with how long ago it ended; what was hidden was none.
  expect(frames.takeFreezes(10_600)).toEqual([{ agoMs: 9_000, ms: 600 }]);
  expect(frames.takeFreezes(10_600)).toEqual([]);
});

test("loss is counted between two readings", () => {
  const stats = (packetsReceived: number, packetsLost: number): RtcStats => ({
    videoBytes: 0,
    linkBytes: 0,
    packetsReceived,
    packetsLost,
    framesDecoded: 0,
    roundTripMs: undefined,
    jitterBufferMs: 0,
    jitterMs: 0,
    framesDropped: 0,
    decodeMs: 0,
    path: NO_PATH,
  });
  expect(lossBetween(stats(100, 50), stats(190, 60))).toBe(0.1);
  expect(lossBetween(stats(100, 50), stats(100, 50))).toBe(0);
});

// player 7
test.each<[string, Partial<PlayableMeasures>, boolean]>([
  ["all well", {}, true],
  ["nothing known of the delay", { delayMs: undefined }, true],
  ["just good enough", { missingMs: 999, delayMs: 999 }, true],
  ["no picture for a second", { missingMs: 1_000 }, false],
  ["a picture that is a second old", { delayMs: 1_000 }, false],
  ["an agent that does not answer", { controlMs: CONTROL_SILENT_MS }, false],
  ["the platform away, the agent there", { online: false }, true],
  ["the platform away, the agent never asked", { online: false, controlMs: undefined }, false],
  ["presses go by the platform", { controlMs: undefined }, true],
])("player 7: whether a link is good enough to play over: %s", (_what, change, fair) => {
  expect(isPlayable({ missingMs: 0, delayMs: 40, controlMs: 500, online: true, ...change })).toBe(fair);
});

test("frames that arrive unevenly or are dropped suggest to show them evenly, and twenty even seconds to show them at once", () => {
  const seconds = (jitterMs: number, droppedShare: number, count = 20) =>
    Array.from({ length: count }, () => ({
      ...{ at: 0, delayMs: 20, framesPerSecond: 30, lossShare: 0, bitsPerSecond: 1 },
      ...{ jitterMs, droppedShare },
    }));
  expect(suggestedShowing(seconds(20, 0.1, 19))).toBeUndefined();
  expect(suggestedShowing(seconds(12, 0))).toBe("smooth");
  expect(suggestedShowing(seconds(1, 0.03))).toBe("smooth");
  expect(suggestedShowing(seconds(6, 0))).toBeUndefined();
  expect(suggestedShowing([...seconds(30, 0.5), ...seconds(1, 0)])).toBe("instant");
  expect(suggestedShowing([...seconds(1, 0, 15), ...seconds(300, 0, 5)])).toBe("instant");
});
