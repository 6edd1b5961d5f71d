import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runTransaction } from "./run-transaction.ts";
import type { TestDatabase } from "./testing.ts";
import { testDatabase } from "./testing.ts";

let database: TestDatabase<{ t: { id: number; x: number } }>;
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query("create table t (id int primary key, x int not null)");
});
beforeEach(() => database.pool.query("truncate t; insert into t values (1, 0), (2, 0)"));
afterAll(() => database.drop());

test("two transactions that lock the same rows in opposite orders both get through", async () => {
  let attempts = 0;
  const both = Promise.withResolvers<void>();
  const add = (first: number, second: number) =>
    runTransaction(database.kysely, async (transaction) => {
      attempts += 1;
      await sql`update t set x = x + 1 where id = ${first}`.execute(transaction);
      // Both hold their first row before either requests its second: a certain deadlock, the first time.
      if (attempts >= 2) both.resolve();
      await both.promise;
      await sql`update t set x = x + 1 where id = ${second}`.execute(transaction);
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  // The repeat may take its first row back before the other has woken up, and lose once more.
  expect(attempts).toBeGreaterThanOrEqual(3);
  expect((await database.pool.query("select x from t order by id")).rows).toEqual([{ x: 2 }, { x: 2 }]);
});

test("throws other failures at once, and a lasting deadlock after the last try", async () => {
  let attempts = 0;
  const failing = (code: string) =>
    runTransaction(database.kysely, () => {
      attempts += 1;
      return Promise.reject(Object.assign(new Error(`failed with ${code}`), { code }));
    });
  await expect(failing("23505")).rejects.toThrow("failed with 23505");
  expect(attempts).toBe(1);
  attempts = 0;
  await expect(failing("40P01")).rejects.toThrow("failed with 40P01");
  expect(attempts).toBe(5);
});
