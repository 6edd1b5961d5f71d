import { expect, test } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { answerSubject, openMessage, STAMP_AGE_MS_MAX, Stamps, sealMessage } from "./nats-bus.ts";

test("a message is new once, in its order, by sender and subject; one that is too old or too new never is", () => {
  const clock = manualClock();
  const [sender, hearer] = [new Stamps(clock, "one"), new Stamps(clock, "two")];
  const [first, second, third] = [sender.next(), sender.next(), sender.next()];
  expect([first, first, third, second].map((stamp) => hearer.isNew("a", stamp))).toEqual([true, false, true, false]);
  expect(hearer.isNew("b", second)).toBe(true);
  expect(hearer.isNew("a", { ...first, from: "another" })).toBe(true);
  expect(hearer.isNew("a", { ...sender.next(), at: clock.now() + STAMP_AGE_MS_MAX + 1 })).toBe(false);
  const recorded = sender.next();
  clock.advance(STAMP_AGE_MS_MAX + 1);
  // Also by one that has forgotten everything.
  expect([hearer, new Stamps(clock, "three")].map((stamps) => stamps.isNew("a", recorded))).toEqual([false, false]);
  expect(hearer.isNew("a", sender.next())).toBe(true);
});

test("a seal holds for its subject, its stamp and, of an answer, for its question", () => {
  const [key, stamp] = [Buffer.alloc(32, 1), { from: "one", count: 1, at: 5 }];
  const sealed = sealMessage(key, "a", stamp, { x: 1 }) ?? Buffer.of();
  expect(openMessage(key, "a", sealed)).toEqual({ message: { x: 1 }, stamp });
  expect(openMessage(key, "b", sealed)).toBeUndefined();
  expect(openMessage(Buffer.alloc(32, 2), "a", sealed)).toBeUndefined();
  const altered = Buffer.from(sealed.toString("latin1").replace('"one",1,', '"one",2,'), "latin1");
  expect(openMessage(key, "a", altered)).toBeUndefined();
  const answer = sealMessage(key, answerSubject("inbox", stamp), stamp, "yes") ?? Buffer.of();
  expect(openMessage(key, answerSubject("inbox", { ...stamp, count: 2 }), answer)).toBeUndefined();
  expect(openMessage(key, "inbox", answer)).toBeUndefined();
});
