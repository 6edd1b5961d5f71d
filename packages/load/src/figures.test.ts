import { expect, test } from "vitest";
import { addAll, addSeen, addTo, emptyHistogram, FrameLog, nothingSeen, spreadIn } from "./figures.ts";

test("a histogram knows median, 95 % and maximum within 1 %, also after it was sent and added to another", () => {
  const [one, other] = [emptyHistogram(), emptyHistogram()];
  for (let value = 1; value <= 500; value += 1) addTo(one, value);
  for (let value = 501; value <= 1_000; value += 1) addTo(other, value);
  addAll(one, JSON.parse(JSON.stringify(other)));
  const spread = spreadIn(one);
  expect(spread).toMatchObject({ max: 1_000, n: 1_000 });
  expect(Math.abs((spread?.p50 ?? 0) / 500 - 1)).toBeLessThan(0.011);
  expect(Math.abs((spread?.p95 ?? 0) / 950 - 1)).toBeLessThan(0.011);
});

test("a value that is no number is left out, one below zero counts as zero, and no value gives no spread", () => {
  const data = emptyHistogram();
  expect(spreadIn(data)).toBeNull();
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -5, 0]) addTo(data, value);
  expect(spreadIn(data)).toEqual({ p50: 0, p95: 0, max: 0, n: 2 });
});

const at = (atMs: number) => ({ atMs, bytes: 100, key: false });

test("a gap counts once, when it has ended; at the end of the visit one that still lasts counts too", () => {
  const log = new FrameLog();
  for (const ms of [0, 33, 66]) log.picture(at(ms), 10);
  expect(log.take(500)).toMatchObject({ pictures: 3, bytes: 300, watchedMs: 500, freezes: 0, gaps: { most: 33 } });
  expect(log.take(5_500)).toMatchObject({ pictures: 0, watchedMs: 5_000, freezes: 0 });
  log.picture(at(6_066), undefined);
  expect(log.take(6_100)).toMatchObject({ freezes: 1, dark: 1, gaps: { most: 6_000, count: 1 } });
  const last = log.take(6_500, true);
  expect(last).toMatchObject({ freezes: 1, dark: 0 });
  const all = nothingSeen();
  addSeen(all, last);
  expect(all).toMatchObject({ freezes: 1, watchedMs: 400, gaps: { count: 1 } });
});
