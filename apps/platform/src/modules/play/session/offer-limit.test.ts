import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import {
  AccountOffers,
  CandidateCount,
  createOfferLimit,
  OFFER_EVERY_MS,
  OFFERS_AT_ONCE,
  SPECTATOR_OFFERS,
} from "./offer-limit.ts";

test("some offers at once, then one for each while, and no more after a long rest", () => {
  const clock = manualClock();
  const limit = createOfferLimit(clock);
  const take = (count: number) => Array.from({ length: count }, () => limit());
  expect(take(OFFERS_AT_ONCE + 1)).toEqual([...Array<number>(OFFERS_AT_ONCE).fill(0), OFFER_EVERY_MS]);
  clock.advance(OFFER_EVERY_MS - 500);
  expect(limit()).toBe(500);
  clock.advance(500);
  expect(take(2)).toEqual([0, OFFER_EVERY_MS]);
  clock.advance(3_600_000);
  expect(take(OFFERS_AT_ONCE + 1).filter((waitMs) => waitMs === 0)).toHaveLength(OFFERS_AT_ONCE);
});

test("an account's offers as a spectator: four at once, then one each five seconds; other accounts have their own", () => {
  const clock = manualClock();
  const limits = new AccountOffers(clock, SPECTATOR_OFFERS);
  expect([1, 2, 3, 4].map(() => limits.wait("deniz"))).toEqual([0, 0, 0, 0]);
  expect(limits.wait("deniz")).toBe(5_000);
  expect(limits.wait("elif")).toBe(0);
  clock.advance(5_000);
  expect([limits.wait("deniz"), limits.wait("deniz")]).toEqual([0, 5_000]);
});

test("without an offer no candidate goes on; one offer brings so many, and the next as many again", () => {
  const count = new CandidateCount();
  const taken = () => Array.from({ length: 100 }, () => count.take()).filter(Boolean).length;
  expect(taken()).toBe(0);
  count.begin();
  expect(taken()).toBe(32);
  count.begin();
  expect(taken()).toBe(32);
});
