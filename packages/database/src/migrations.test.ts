import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "./connection.ts";
import { silentLog } from "./log.ts";
import type { MigrationSet } from "./migrations.ts";
import { MigrationError, migrate } from "./migrations.ts";
import { rehearseMigrations } from "./testing/rehearse-migrations.ts";
import type { TestDatabase } from "./testing.ts";
import { testDatabase } from "./testing.ts";

let database: TestDatabase<unknown>;
let folder: string;
let set: MigrationSet;
beforeEach(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), "longarm-migrations-"));
  set = { name: "trial", folder };
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  for (const [file, text] of Object.entries({ "why.md": "For the test.", ...files })) {
    await writeFile(join(folder, name, file), text);
  }
}
const run = (sets = [set]) => migrate({ pool: database.pool, sets, log: silentLog });
const value = async (sql: string) => (await database.pool.query({ text: sql, rowMode: "array" })).rows[0]?.[0];

describe("migrations", () => {
  test("are applied once, in order, and the next start adds what is new", async () => {
    await write("0001-first", { "up.sql": "create table t (x int); insert into t values (1)" });
    await write("0002-second", { "up.sql": "update t set x = x + 10" });
    expect(await run()).toEqual(["trial/0001-first", "trial/0002-second"]);
    expect(await run()).toEqual([]);
    await write("0003-third", { "up.sql": "update t set x = x * 2" });
    expect(await run()).toEqual(["trial/0003-third"]);
    expect(await value("select x from t")).toBe(22);
  });

  test("of two sets do not disturb each other", async () => {
    await write("0001-first", { "up.sql": "create table t (x int)" });
    const other = { name: "other", folder };
    await expect(run([set, other])).rejects.toThrow('relation "t" already exists');
    expect(await run()).toEqual([]);
  });

  test("are safe when many start together", async () => {
    await write("0001-first", { "up.sql": "create table t (x int); insert into t values (1)" });
    await write("0002-second", { "up.sql": "update t set x = x + 1" });
    const pools = Array.from({ length: 6 }, () =>
      openDatabase({ url: database.url, maxConnections: 1, log: silentLog }),
    );
    const applied = await Promise.all(pools.map(({ pool }) => migrate({ pool, sets: [set], log: silentLog })));
    expect(applied.flat()).toEqual(["trial/0001-first", "trial/0002-second"]);
    expect(await value("select x from t")).toBe(2);
    await Promise.all(pools.map(({ close }) => close()));
  });

  test("that fail change nothing, name themselves, and run when repaired", async () => {
    await write("0001-first", { "up.sql": "create table t (x int)" });
    await write("0002-second", { "up.sql": "create table u (x int); select no_such_function()" });
    await expect(run()).rejects.toThrow(/trial\/0002-second failed and changed nothing: .*no_such_function/);
    expect(await value("select to_regclass('u')")).toBeNull();
    await write("0002-second", { "up.sql": "create table u (x int)" });
    expect(await run()).toEqual(["trial/0002-second"]);
  });

  test("that were changed after their release are refused, other line endings are no change", async () => {
    await write("0001-first", { "up.sql": "create table t\n(x int)\n" });
    await run();
    await write("0001-first", { "up.sql": "create table t\r\n(x int)\r\n" });
    expect(await run()).toEqual([]);
    await write("0001-first", { "up.sql": "create table t\n(x bigint)\n" });
    await expect(run()).rejects.toThrow("was changed after it had been applied here");
  });

  test("of a newer program are named", async () => {
    await write("0001-first", { "up.sql": "create table t (x int)" });
    await write("0002-second", { "up.sql": "create table u (x int)" });
    await run();
    await rm(join(folder, "0002-second"), { recursive: true });
    await expect(run()).rejects.toThrow("has had trial/0002-second, which this program does not know");
  });

  test.each([
    ["a gap", "0002-second", { "up.sql": "select 1" }, "must have the number 1"],
    ["a bad name", "1-first", { "up.sql": "select 1" }, "no migration name"],
    ["no reason", "0001-first", { "up.sql": "select 1", "why.md": " \n" }, "needs a why.md"],
    ["no statement", "0001-first", { "up.sql": "\n" }, "needs an up.sql"],
  ])("with %s are refused before anything is done", async (_, name, files, sentence) => {
    await write(name, files);
    const failure = run();
    await expect(failure).rejects.toThrow(MigrationError);
    await expect(failure).rejects.toThrow(sentence);
    expect(await value("select to_regclass('schema_migration')")).toBeNull();
  });
});

describe("the rehearsal", () => {
  test("puts rows into the old form and checks the new one", async () => {
    await write("0001-first", { "up.sql": "create table t (x int)" });
    await write("0002-second", {
      "before.sql": "insert into t values (1), (2)",
      "up.sql": "alter table t add column y int not null default 0; update t set y = x * 10",
      "after.test.sql": "do $$ begin assert (select sum(y) from t) = 30; end $$",
    });
    expect(await rehearseMigrations(database.pool, set)).toEqual(["0001-first", "0002-second"]);
  });

  test("fails when the new form is not what it should be", async () => {
    await write("0001-first", {
      "up.sql": "create table t (x int)",
      "after.test.sql": "do $$ begin assert exists (select from t), 'no row'; end $$",
    });
    await expect(rehearseMigrations(database.pool, set)).rejects.toThrow("no row");
  });
});
