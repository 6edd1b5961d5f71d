import { expect, test } from "vitest";
import { askedTogether } from "./asked-together.ts";

/** A reader whose answers are given by hand. Nobody is late unless that is what is tried: a test may be slow. */
function heldReader(lateMs = 2 ** 30) {
  const asked: { keys: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  const ask = askedTogether<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    const read = asked.length + 1;
    asked.push({
      keys,
      answer: () => resolve(new Map(keys.map((key) => [key, `${key} of question ${read}`]))),
      fail: reject,
    });
    return promise;
  }, lateMs);
  return { ask, asked };
}

const turn = () => new Promise(setImmediate);
/** Everything that can go on without an answer has gone on. */
const settled = async () => {
  for (let turns = 0; turns < 5; turns += 1) await turn();
};

test("whoever comes at the same time is asked for together, and whoever comes meanwhile with the next question", async () => {
  const { ask, asked } = heldReader();
  const answers = ["ann", "bea", "ann"].map(ask);
  await settled();
  answers.push(ask("cem"), ask("dan"));
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([["ann", "bea"]]);
  asked[0]?.answer();
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([
    ["ann", "bea"],
    ["cem", "dan"],
  ]);
  asked[1]?.answer();
  expect(await Promise.all(answers)).toEqual([
    "ann of question 1",
    "bea of question 1",
    "ann of question 1",
    "cem of question 2",
    "dan of question 2",
  ]);
});

test("nobody is given an answer to a question that was asked before theirs", async () => {
  const { ask, asked } = heldReader();
  const first = ask("ann");
  await settled();
  const again = ask("ann");
  asked[0]?.answer();
  expect(await first).toBe("ann of question 1");
  await settled();
  asked[1]?.answer();
  expect(await again).toBe("ann of question 2");
});

test("a question that fails fails for those in it alone, and so does an answer that misses somebody", async () => {
  const { ask, asked } = heldReader();
  const first = ask("ann");
  await settled();
  const second = ask("bea");
  asked[0]?.fail(new Error("the database is away"));
  await expect(first).rejects.toThrow("the database is away");
  await settled();
  asked[1]?.answer();
  expect(await second).toBe("bea of question 2");
  await expect(askedTogether(async () => new Map())("cem")).rejects.toThrow("Nothing was answered for cem.");
});

test("when many wait for a slow answer others are asked beside it, in parts, and all are answered", async () => {
  const { ask, asked } = heldReader();
  const slow = ask("slow");
  await settled();
  const few = Array.from({ length: 63 }, (_, index) => ask(`few${index}`));
  await settled();
  expect(asked).toHaveLength(1);
  const many = Array.from({ length: 1_200 }, (_, index) => ask(`many${index}`));
  await settled();
  expect(asked.map(({ keys }) => keys.length)).toEqual([1, 500, 500, 263]);
  for (const one of asked.slice(1)) one.answer();
  expect(await Promise.all([...few, ...many])).toHaveLength(1_263);
  asked[0]?.answer();
  expect(await slow).toBe("slow of question 1");
});

test("a question that does not come back holds up nobody but those in it", async () => {
  const { ask, asked } = heldReader(20);
  const lost = ask("lost");
  await expect.poll(() => asked.length).toBe(1);
  for (const number of [2, 3, 4]) {
    void ask(`held${number}`).catch(() => {});
    await expect.poll(() => asked.length).toBe(number);
  }
  const last = ask("last");
  asked[3]?.answer();
  await expect.poll(() => asked.length).toBe(5);
  asked[4]?.answer();
  expect(await last).toBe("last of question 5");
  asked[0]?.fail(new Error("the connection is lost"));
  await expect(lost).rejects.toThrow("the connection is lost");
});
