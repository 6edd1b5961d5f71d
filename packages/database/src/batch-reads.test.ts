import { expect, test } from "vitest";
import { batchReads } from "./batch-reads.ts";

/** A reader whose batches are answered by hand. No key is late unless the test is about that: a test may be slow. */
function heldReader(lateMs = 2 ** 30) {
  const batches: { keys: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  const read = batchReads<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    const number = batches.length + 1;
    batches.push({
      keys,
      answer: () => resolve(new Map(keys.map((key) => [key, `${key} of batch ${number}`]))),
      fail: reject,
    });
    return promise;
  }, lateMs);
  return { read, batches };
}

const pass = () => new Promise(setImmediate);
/** Everything that can go on without an answer has gone on. */
const settled = async () => {
  for (let passes = 0; passes < 5; passes += 1) await pass();
};

test("joins calls of the same moment, and puts calls during a batch into the next one", async () => {
  const { read, batches } = heldReader();
  const answers = ["ann", "bea", "ann"].map(read);
  await settled();
  answers.push(read("cem"), read("dan"));
  await settled();
  expect(batches.map(({ keys }) => keys)).toEqual([["ann", "bea"]]);
  batches[0]?.answer();
  await settled();
  expect(batches.map(({ keys }) => keys)).toEqual([
    ["ann", "bea"],
    ["cem", "dan"],
  ]);
  batches[1]?.answer();
  expect(await Promise.all(answers)).toEqual([
    "ann of batch 1",
    "bea of batch 1",
    "ann of batch 1",
    "cem of batch 2",
    "dan of batch 2",
  ]);
});

test("never returns a value that is older than its call", async () => {
  const { read, batches } = heldReader();
  const first = read("ann");
  await settled();
  const again = read("ann");
  batches[0]?.answer();
  expect(await first).toBe("ann of batch 1");
  await settled();
  batches[1]?.answer();
  expect(await again).toBe("ann of batch 2");
});

test("fails only the keys of a failed batch, and a key without a value", async () => {
  const { read, batches } = heldReader();
  const first = read("ann");
  await settled();
  const second = read("bea");
  batches[0]?.fail(new Error("the database is away"));
  await expect(first).rejects.toThrow("the database is away");
  await settled();
  batches[1]?.answer();
  expect(await second).toBe("bea of batch 2");
  await expect(batchReads(async () => new Map())("cem")).rejects.toThrow("No value was read for cem.");
});

test("starts more batches beside a slow one when many keys wait", async () => {
  const { read, batches } = heldReader();
  const slow = read("slow");
  await settled();
  const few = Array.from({ length: 63 }, (_, index) => read(`few${index}`));
  await settled();
  expect(batches).toHaveLength(1);
  const many = Array.from({ length: 1_200 }, (_, index) => read(`many${index}`));
  await settled();
  expect(batches.map(({ keys }) => keys.length)).toEqual([1, 500, 500, 263]);
  for (const one of batches.slice(1)) one.answer();
  expect(await Promise.all([...few, ...many])).toHaveLength(1_263);
  batches[0]?.answer();
  expect(await slow).toBe("slow of batch 1");
});

test("a batch that does not return delays only its own keys", async () => {
  const { read, batches } = heldReader(20);
  const lost = read("lost");
  await expect.poll(() => batches.length).toBe(1);
  for (const number of [2, 3, 4]) {
    void read(`held${number}`).catch(() => {});
    await expect.poll(() => batches.length).toBe(number);
  }
  const last = read("last");
  batches[3]?.answer();
  await expect.poll(() => batches.length).toBe(5);
  batches[4]?.answer();
  expect(await last).toBe("last of batch 5");
  batches[0]?.fail(new Error("the connection is lost"));
  await expect(lost).rejects.toThrow("the connection is lost");
});
