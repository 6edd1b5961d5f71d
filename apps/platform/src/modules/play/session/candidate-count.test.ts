import { expect, test } from "vitest";
import { CandidateCount } from "./candidate-count.ts";

test("without an offer no candidate goes on; one offer brings so many, and the next as many again", () => {
  const count = new CandidateCount();
  const taken = () => Array.from({ length: 100 }, () => count.take()).filter(Boolean).length;
  expect(taken()).toBe(0);
  count.begin();
  expect(taken()).toBe(32);
  count.begin();
  expect(taken()).toBe(32);
});
