import { expect, test } from "vitest";
import { askedTogether } from "./together.ts";

/** A reader whose answers are given by hand. */
function heldReader() {
  const asked: { keys: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  let version = 0;
  const ask = askedTogether<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    version += 1;
    const read = version;
    asked.push({
      keys,
      answer: () => resolve(new Map(keys.map((key) => [key, `${key} of question ${read}`]))),
      fail: reject,
    });
    return promise;
  });
  return { ask, asked };
}

test("few are asked for at once, and those who come meanwhile together with the next question", async () => {
  const { ask, asked } = heldReader();
  const answers = ["ann", "bea", "cem", "dan", "cem"].map(ask);
  expect(asked.map(({ keys }) => keys)).toEqual([["ann"], ["bea"]]);
  asked[1]?.answer();
  expect(await answers[1]).toBe("bea of question 2");
  expect(asked.map(({ keys }) => keys)).toEqual([["ann"], ["bea"], ["cem", "dan"]]);
  asked[2]?.answer();
  asked[0]?.answer();
  expect(await Promise.all(answers)).toEqual([
    "ann of question 1",
    "bea of question 2",
    "cem of question 3",
    "dan of question 3",
    "cem of question 3",
  ]);
});

test("nobody is given an answer to a question that was asked before theirs", async () => {
  const { ask, asked } = heldReader();
  const [first, other, again] = [ask("ann"), ask("bea"), ask("ann")];
  for (const one of asked) one.answer();
  await other;
  expect(await first).toBe("ann of question 1");
  asked[2]?.answer();
  expect(await again).toBe("ann of question 3");
});

test("a question that fails fails for those in it alone", async () => {
  const { ask, asked } = heldReader();
  const [first, , third] = [ask("ann"), ask("bea"), ask("cem")];
  asked[0]?.fail(new Error("the database is away"));
  await expect(first).rejects.toThrow("the database is away");
  asked[2]?.answer();
  expect(await third).toBe("cem of question 3");
});

test("a flood is asked for in parts, and all of it is answered", async () => {
  const { ask, asked } = heldReader();
  const answers = Array.from({ length: 1_300 }, (_, index) => ask(`p${index}`));
  for (let next = 0; next < asked.length; next += 1) {
    asked[next]?.answer();
    await Promise.resolve();
    await new Promise(setImmediate);
  }
  expect(asked.map(({ keys }) => keys.length)).toEqual([1, 1, 500, 500, 298]);
  expect(await Promise.all(answers)).toHaveLength(1_300);
});
