import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import type { Kysely, Transaction } from "kysely";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase, parseBigint } from "./connection.ts";
import { silentLog } from "./log.ts";
import { runTransaction } from "./run-transaction.ts";
import type { TestDatabase } from "./testing.ts";
import { testDatabase } from "./testing.ts";

let database: TestDatabase<unknown>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const one = async (sql: string) => (await database.pool.query(sql)).rows[0]?.value;

describe("values of the database", () => {
  test("a bigint is a number", async () => {
    expect(await one("select 9007199254740991::bigint as value")).toBe(Number.MAX_SAFE_INTEGER);
    expect(await one("select (-9007199254740991)::bigint as value")).toBe(Number.MIN_SAFE_INTEGER);
  });

  test("a bigint outside the safe integers is an error, and the connection goes on", async () => {
    await expect(one("select 9007199254740992::bigint as value")).rejects.toThrow("no safe integer");
    expect(await one("select 1::bigint as value")).toBe(1);
  });

  test("arrays of bigint", async () => {
    expect(await one("select array[1, null, 3]::bigint[] as value")).toEqual([1, null, 3]);
    expect(await one("select array[]::bigint[] as value")).toEqual([]);
  });

  test("bytes have memory of their own, so that a small value that is kept keeps nothing else", async () => {
    const value: Buffer = await one("select '\\x00ff10'::bytea as value");
    expect(value).toEqual(Buffer.of(0x00, 0xff, 0x10));
    expect(value.buffer.byteLength).toBe(3);
  });

  test("an instant is a Date, numeric is text", async () => {
    expect(await one("select timestamptz '2026-01-02 03:04:05.678Z' as value")).toEqual(
      new Date("2026-01-02T03:04:05.678Z"),
    );
    expect(await one("select 12345678901234567890.5::numeric as value")).toBe("12345678901234567890.5");
  });

  test.each(["12a", "1e400", "NaN", "9007199254740993"])("parseBigint does not guess: %j", (text) => {
    expect(() => parseBigint(text)).toThrow(RangeError);
  });
});

describe("limits of a connection", () => {
  test("a long statement is cancelled, an idle transaction ended, and the name is shown", async () => {
    const { pool, close } = openDatabase({
      url: database.url,
      maxConnections: 1,
      log: silentLog,
      applicationName: "limits",
      // Long enough for the short statements below on a loaded computer.
      statementTimeoutMs: 2_000,
      idleInTransactionMs: 40,
    });
    await expect(pool.query("select pg_sleep(30)")).rejects.toThrow("statement timeout");
    expect((await pool.query("show application_name")).rows[0]).toEqual({ application_name: "limits" });
    const client = await pool.connect();
    const lost = new Promise<Error>((resolve) => client.once("error", resolve));
    await client.query("begin");
    expect((await lost).message).toContain("idle-in-transaction");
    client.release(true);
    expect((await pool.query("select 1 as value")).rows[0]).toEqual({ value: 1 });
    await close();
  });
});

test("a server that does not answer at all costs one statement, and its connection is not used again", async () => {
  const address = new URL(database.url);
  let frozen = false;
  const line = createServer((near) => {
    const far = connect(Number(address.port), address.hostname);
    near.on("data", (part) => void far.write(part));
    far.on("data", (part) => void (frozen || near.write(part)));
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((listening) => line.listen(0, "127.0.0.1", listening));
  // By TCP, through the line that freezes.
  const host = `127.0.0.1:${(line.address() as AddressInfo).port}`;
  const url = Object.assign(new URL(database.url), { host, search: "" }).href;
  const { kysely, pool, close } = openDatabase({ url, maxConnections: 1, log: silentLog, answerTimeoutMs: 1_000 });
  // A loaded computer may be too slow for the bound of this test as well.
  const backend = async () => (await pool.query("select pg_backend_pid() as pid").catch(() => undefined))?.rows[0]?.pid;
  let first: unknown;
  await expect.poll(async () => (first = await backend())).toBeTypeOf("number");
  frozen = true;
  await expect(sql`select 1`.execute(kysely)).rejects.toThrow();
  frozen = false;
  await expect.poll(backend).toBeTypeOf("number");
  await expect.poll(() => one(`select count(*)::int as value from pg_stat_activity where pid = ${first}`)).toBe(0);
  await close();
  await new Promise((closed) => line.close(closed));
});

test("a connection that is lost between two statements of a transaction costs that transaction and nothing more", async () => {
  const { kysely, pool, close } = openDatabase({ url: database.url, maxConnections: 1, log: silentLog });
  const work = kysely.transaction().execute(async (trx) => {
    const { pid } = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)).rows[0]!;
    await database.pool.query("select pg_terminate_backend($1, 10000)", [pid]);
    // The server's last message arrives while no statement runs.
    await expect.poll(() => sql`select 1`.execute(trx).catch(() => "lost")).toBe("lost");
    await sql`select 1`.execute(trx);
  });
  await expect(work).rejects.toThrow();
  expect((await pool.query("select 1 as value")).rows[0]).toEqual({ value: 1 });
  await close();
});

describe("a statement that comes again", () => {
  const open = () => openDatabase<unknown>({ url: database.url, maxConnections: 1, log: silentLog });
  const prepared = async ({ pool }: ReturnType<typeof open>) =>
    (await pool.query("select statement from pg_prepared_statements order by 1")).rows.map(
      ({ statement }) => statement,
    );

  test("is prepared the second time, and so many texts are", async () => {
    const one = open();
    const add = async (value: number) => (await sql`select ${value}::int + 1 as sum`.execute(one.kysely)).rows;
    expect(await add(1)).toEqual([{ sum: 2 }]);
    expect(await prepared(one)).toEqual([]);
    expect([await add(2), await add(3)]).toEqual([[{ sum: 3 }], [{ sum: 4 }]]);
    expect(await prepared(one)).toEqual(["select $1::int + 1 as sum"]);
    for (let text = 0; text < 600; text += 1)
      for (const value of [1, 2]) await sql`select ${value}::int as ${sql.ref(`v${text}`)}`.execute(one.kysely);
    expect(await prepared(one)).toHaveLength(256);
    expect(await add(4)).toEqual([{ sum: 5 }]);
    await one.close();
  });

  test("that failed is prepared as well once it is right", async () => {
    const one = open();
    const read = () => sql`select x from comes_late where x = ${1}`.execute(one.kysely);
    for (const _ of [1, 2, 3]) await expect(read()).rejects.toThrow("does not exist");
    await database.pool.query("create table comes_late as select 1 as x");
    for (const _ of [1, 2]) expect((await read()).rows).toEqual([{ x: 1 }]);
    expect(await prepared(one)).toEqual(["select x from comes_late where x = $1"]);
    await one.close();
  });

  test("continues when its table has another column, alone and in a transaction that is repeated", async () => {
    const one = open();
    await database.pool.query("create table widened as select 1 as x");
    const read = async (db: Kysely<unknown>) => (await sql`select * from widened where x = ${1}`.execute(db)).rows;
    for (const _ of [1, 2, 3]) expect(await read(one.kysely)).toEqual([{ x: 1 }]);
    await database.pool.query("alter table widened add column y int default 2");
    for (const _ of [1, 2, 3]) expect(await read(one.kysely)).toEqual([{ x: 1, y: 2 }]);
    await database.pool.query("alter table widened add column z int default 3");
    let tries = 0;
    const work = async (trx: Transaction<unknown>) => {
      tries += 1;
      return await read(trx);
    };
    expect(await runTransaction(one.kysely, work)).toEqual([{ x: 1, y: 2, z: 3 }]);
    expect(tries).toBe(2);
    await one.close();
  });
});

test.each(["pool", "kysely", "nothing"])("closing ends every connection when %s was used", async (used) => {
  const { pool, kysely, close } = openDatabase({ url: database.url, maxConnections: 2, log: silentLog });
  if (used === "pool") await pool.query("select 1");
  if (used === "kysely") await sql`select 1`.execute(kysely);
  await close();
  expect([pool.ended, pool.totalCount]).toEqual([true, 0]);
});

test("two test databases do not see each other", async () => {
  const other = await testDatabase();
  await database.pool.query("create table only_here (x int)");
  await expect(other.pool.query("select * from only_here")).rejects.toThrow("does not exist");
  await other.drop();
});
