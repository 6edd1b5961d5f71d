import { describe, expect, test } from "vitest";
import { download } from "../testing/download.ts";
import { joinLink, narrowLink } from "../testing/narrow-link.ts";
import { createDepartures } from "./departures.ts";

const SEEDS = [1, 2, 3, 4, 5, 6];
const LINK = { bitsPerSecond: 1_500_000, delayMs: 20, queueMs: 300 };

/** Jain's index of two rates: 1 for equal ones, 0.9 where one has twice the other. */
const fairness = (a: number, b: number) => (a + b) ** 2 / (2 * (a ** 2 + b ** 2));

describe("a link that is too narrow for the video", () => {
  test.each(SEEDS)("is used to nine tenths, and no frame comes over 100 ms after the one before (%i)", (seed) => {
    const link = narrowLink(LINK, seed);
    const viewer = joinLink(link);
    link.clock.advance(60_000);
    expect(viewer.rate(5_000, 60_000)).toBeGreaterThan(0.9 * LINK.bitsPerSecond);
    expect(viewer.longestGapMs(0, 60_000)).toBeLessThan(100);
  });

  test.each(SEEDS)("is used to nine tenths within 5 s after it became twice as wide (%i)", (seed) => {
    const link = narrowLink(LINK, seed);
    const viewer = joinLink(link);
    const atMs = 20_000 + seed * 437;
    link.clock.advance(atMs);
    link.settings.bitsPerSecond *= 2;
    link.clock.advance(15_000);
    const seconds = [1_000, 2_000, 3_000, 4_000].map((ms) => viewer.rate(atMs + ms, atMs + ms + 1_000));
    expect(Math.max(...seconds)).toBeGreaterThan(0.9 * link.settings.bitsPerSecond);
    expect(viewer.rate(atMs + 5_000, atMs + 15_000)).toBeGreaterThan(0.9 * link.settings.bitsPerSecond);
    expect(viewer.longestGapMs(atMs, atMs + 15_000)).toBeLessThan(100);
  });

  test.each([0.75, 0.85])("is used to nine tenths by an encoder that makes %f of its rate", (made) => {
    const link = narrowLink(LINK);
    const viewer = joinLink(link, made);
    link.clock.advance(60_000);
    expect(viewer.rate(10_000, 60_000)).toBeGreaterThan(0.9 * LINK.bitsPerSecond);
    expect(viewer.longestGapMs(0, 60_000)).toBeLessThan(100);
  });

  test.each([1.5, 3])("is shared fairly with a download over TCP, and taken back after it (%f Mbit/s)", (mbit) => {
    const link = narrowLink({ ...LINK, bitsPerSecond: mbit * 1e6 });
    const viewer = joinLink(link);
    link.clock.advance(15_000);
    const other = download(link);
    link.clock.advance(75_000);
    expect(fairness(viewer.rate(30_000, 90_000), other.rate(30_000, 90_000))).toBeGreaterThan(0.9);
    other.stop();
    link.clock.advance(15_000);
    expect(viewer.rate(95_000, 105_000)).toBeGreaterThan(0.9 * link.settings.bitsPerSecond);
    expect(viewer.longestGapMs(95_000, 105_000)).toBeLessThan(100);
  });

  test.each([1.5, 3])("is shared fairly with a second viewer who comes later (%f Mbit/s)", (mbit) => {
    const link = narrowLink({ ...LINK, bitsPerSecond: mbit * 1e6 });
    const one = joinLink(link);
    link.clock.advance(20_000);
    const two = joinLink(link);
    link.clock.advance(70_000);
    for (const fromMs of [30_000, 50_000, 70_000]) {
      const rates = [one.rate(fromMs, fromMs + 20_000), two.rate(fromMs, fromMs + 20_000)] as const;
      expect(fairness(...rates)).toBeGreaterThan(0.9);
      expect(rates[0] + rates[1]).toBeGreaterThan(0.9 * link.settings.bitsPerSecond);
    }
    expect(Math.max(one.longestGapMs(30_000, 90_000), two.longestGapMs(30_000, 90_000))).toBeLessThan(100);
  });
});

test("jitter and lost packets are no queue", () => {
  for (const more of [{ loss: 0.03 }, { jitterMs: 20 }, { jitterMs: 40 }, { jitterMs: 20, loss: 0.03 }]) {
    const link = narrowLink({ ...LINK, bitsPerSecond: 50_000_000, ...more });
    const viewer = joinLink(link);
    link.clock.advance(20_000);
    expect(viewer.sender.bitrate).toBe(3_000_000);
  }
});

test("a link that becomes much narrower is followed within seconds", () => {
  const link = narrowLink({ ...LINK, bitsPerSecond: 5_000_000 });
  const viewer = joinLink(link);
  link.clock.advance(20_000);
  link.settings.bitsPerSecond = 700_000;
  link.clock.advance(20_000);
  expect(viewer.rate(25_000, 40_000)).toBeGreaterThan(0.9 * 700_000);
  expect(viewer.longestGapMs(23_000, 40_000)).toBeLessThan(100);
});

test("a receiver that reports any times costs no more memory, and no sum of them is none", () => {
  const departures = createDepartures(0);
  for (let at = 0; at < 20_000; at += 1) {
    const first = departures.leave(1_000, at);
    departures.report({ first, arrivedAtMs: [-at, null, at] }, at);
  }
  const flow = departures.look(20_000);
  expect(Number.isFinite(flow?.queueMs) && Number.isFinite(flow?.deliveredBps)).toBe(true);
  expect(departures.look(30_000)).toBeNull();
});

test("a receiver that reports every packet as missing for minutes says nothing of the link", () => {
  const departures = createDepartures(0);
  departures.report({ first: departures.leave(1_000, 0), arrivedAtMs: [20] }, 40);
  expect(departures.look(40)?.queueMs).toBe(0);
  for (const at of [60_000, 120_000])
    departures.report({ first: departures.leave(1_000, at), arrivedAtMs: [null] }, at);
  expect(departures.look(120_000)).toBeNull();
});
