import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "../log.ts";
import type { MigrationSet } from "../migrations.ts";
import { migrate } from "../migrations.ts";
import type { TestDatabase } from "../testing.ts";
import { testDatabase } from "../testing.ts";
import { BackupProblem, FIRST_LINE } from "./format.ts";
import { loadBackup } from "./load-backup.ts";
import { readBackup } from "./read-backup.ts";
import { resum } from "./testing/resum.ts";
import { writeBackup } from "./write-backup.ts";

const UP = `
  create schema books;
  create table books.account (
    id bigint generated always as identity primary key, name text not null unique, parent bigint references books.account,
    twice text generated always as (name || name) stored);
  create table books.entry (id serial primary key, account bigint not null references books.account, at timestamptz not null default now(),
    amount numeric, body jsonb, raw bytea, tags text[], note text);
  create table ring_one (id int primary key, other int);
  create table ring_two (id int primary key, other int references ring_one);
  alter table ring_one add foreign key (other) references ring_two deferrable initially deferred;
  create unlogged table passing (x int);
  create table empty_one (x int);
  create table brought (word text primary key);
  insert into brought values ('by the migration');
  create function books.refuse() returns trigger language plpgsql as $$ begin raise exception 'append only'; end $$;
  create trigger entry_stays before update or delete on books.entry for each row execute function books.refuse();
  create trigger entry_whole before truncate on books.entry execute function books.refuse();
  create function books.count() returns trigger language plpgsql as $$ begin
    insert into books.account (name) values ('made by a trigger ' || new.id); return null; end $$;
  create trigger entry_counts after insert on books.entry for each row execute function books.count();`;

let folder: string;
let sets: MigrationSet[];
let source: TestDatabase<unknown>;
const targets: TestDatabase<unknown>[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-backup-"));
  sets = [{ name: "trial", folder: join(folder, "trial") }];
  await writeMigration("0001-first", UP);
});
beforeEach(async () => {
  source = await testDatabase();
  await migrate({ pool: source.pool, sets, log: silentLog });
});
afterEach(async () => {
  for (const database of [source, ...targets.splice(0)]) await database.drop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function writeMigration(name: string, up: string): Promise<void> {
  await mkdir(join(folder, "trial", name), { recursive: true });
  await writeFile(join(folder, "trial", name, "up.sql"), up);
  await writeFile(join(folder, "trial", name, "why.md"), "why\n");
}

let files = 0;
const newFile = (): string => join(folder, `${++files}.backup`);
async function backup(file = newFile()): Promise<string> {
  await writeBackup({
    url: source.url,
    file,
    about: async (query) => ({ entries: (await query("select from books.entry")).length }),
  });
  return file;
}
async function emptyDatabase(): Promise<TestDatabase<unknown>> {
  const database = await testDatabase();
  targets.push(database);
  return database;
}
async function restore(
  file: string,
  into?: TestDatabase<unknown>,
  more: Partial<Parameters<typeof loadBackup>[0]> = {},
) {
  const target = into ?? (await emptyDatabase());
  await loadBackup({ url: target.url, file, sets, check: async () => {}, afterwards: async () => {}, ...more });
  return target;
}
async function dump({ pool }: TestDatabase<unknown>): Promise<unknown> {
  const tables = ["books.account", "books.entry", "ring_one", "ring_two", "empty_one", "brought", "schema_migration"];
  const rows = await Promise.all(
    tables.map(async (table) =>
      (await pool.query(`select t::text from ${table} t order by 1`)).rows.map((row) => row.t),
    ),
  );
  return Object.fromEntries(tables.map((table, at) => [table, rows[at]]));
}
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "no refusal",
    (error: unknown) => (error instanceof BackupProblem ? error.message : `no sentence: ${String(error)}`),
  );

async function fill(): Promise<void> {
  await source.pool.query("insert into books.account (name) values ('house'), ('cage')");
  await source.pool.query(
    "insert into books.entry (account, amount, body, raw, tags, note) values (1, $1, $2, $3, $4, $5), (2, null, null, null, null, null)",
    ["12345678901234567890.5", { a: 'x\n"y"' }, Buffer.from([0, 92, 46, 10, 255]), ["a,b", null, "c\\d"], "\\."],
  );
  await source.pool.query(
    "begin; insert into ring_one values (1, 1); insert into ring_two values (1, 1); commit; insert into passing values (1); insert into brought values ('later')",
  );
}

describe("a backup", () => {
  test("comes back as it was: rows, generated columns, sequences, triggers, keys", async () => {
    await fill();
    const target = await restore(await backup());
    expect(await dump(target)).toEqual(await dump(source));
    expect((await target.pool.query("select count(*)::int as n from passing")).rows).toEqual([{ n: 0 }]);
    await expect(target.pool.query("delete from books.entry")).rejects.toThrow("append only");
    await expect(target.pool.query("insert into ring_two values (2, 9)")).rejects.toThrow("foreign key");
    const { rows } = await target.pool.query("insert into books.entry (account) values (1) returning id");
    expect(rows).toEqual([{ id: 3 }]);
    expect((await target.pool.query("select max(id)::int as n from books.account")).rows).toEqual([{ n: 5 }]);
  });

  test("any text comes back as it was", { tags: ["long"] }, async () => {
    await source.pool.query("insert into books.account (name) values ('house')");
    const text = fc.string({ unit: "binary", maxLength: 40 }).map((made) => made.replaceAll("\0", ""));
    const hard = fc.constantFrom(
      "\\.",
      "\n\\.\n",
      "\\N",
      "\t",
      "\r\n",
      "\\",
      "",
      "{}",
      '{"rows":0}',
      "\u2028",
      "\ud83c\udfb0",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(text, hard), { minLength: 20, maxLength: 60 }), async (notes) => {
        await source.pool.query("insert into books.entry (account, note) select 1, note from unnest($1::text[]) note", [
          notes,
        ]);
        const target = await restore(await backup());
        expect(await dump(target)).toEqual(await dump(source));
      }),
      { numRuns: 3, seed: 7045 },
    );
  });

  test("is of one moment, while others write", async () => {
    await fill();
    let writing = true;
    const writer = (async () => {
      while (writing)
        await source.pool.query(
          "with a as (insert into ring_one values ((select max(id) + 1 from ring_one), null) returning id) insert into ring_two select id, null from a",
        );
    })();
    const file = await backup().finally(() => {
      writing = false;
    });
    await writer;
    const { pool } = await restore(file);
    const { rows } = await pool.query(
      "select (select count(*) from ring_one) = (select count(*) from ring_two) as same",
    );
    expect(rows).toEqual([{ same: true }]);
  });

  test("reports what it holds, is readable by its owner only, and appears whole", async () => {
    await fill();
    const file = await backup();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
    const { head, rows } = await readBackup(file);
    expect(head.about).toEqual({ entries: 2 });
    expect(head.migrations).toMatchObject([{ set: "trial", number: 1, name: "0001-first" }]);
    expect(head.tables.map(({ name }) => name)).not.toContain("passing");
    expect(rows).toBe(11);
  });

  test("goes on to the tables of a newer program", async () => {
    await fill();
    const file = await backup();
    await writeMigration("0002-second", "alter table brought add column more int not null default 7");
    try {
      const seen: unknown[] = [];
      const { pool } = await restore(file, undefined, {
        check: async (query) => void seen.push(Object.keys((await query("select * from brought"))[0] ?? {})),
        afterwards: async (query) => void seen.push(await query("select distinct more from brought")),
      });
      expect(seen).toEqual([["word"], [{ more: 7 }]]);
      expect(await migrate({ pool, sets, log: silentLog })).toEqual([]);
    } finally {
      await rm(join(folder, "trial", "0002-second"), { recursive: true });
    }
  });
});

describe("a backup is refused in one sentence", () => {
  test("when its file is there already, or another one is being written", async () => {
    const file = await backup();
    expect(await refusal(backup(file))).toContain("is there already");
    const other = newFile();
    await writeFile(`${other}.part`, "");
    expect(await refusal(backup(other))).toContain("another backup to this file runs, or one was cut off");
    expect(await refusal(backup(join(folder, "nowhere", "file")))).toContain("cannot be written");
  });

  test("when it fails on the way, and leaves nothing behind", async () => {
    await fill();
    const file = newFile();
    const wrote = (table: string): void => {
      if (table === "books.entry") throw new BackupProblem("It is lost.");
    };
    expect(await refusal(writeBackup({ url: source.url, file, about: async () => ({}), wrote }))).toBe("It is lost.");
    const left = new Set(await readdir(folder));
    expect([left.has(basename(file)), left.has(`${basename(file)}.part`)]).toEqual([false, false]);
  });
});

describe("a restore is refused in one sentence and changes nothing", () => {
  const unpacked = async (file: string): Promise<string> =>
    zstdDecompressSync((await readFile(file)).subarray(FIRST_LINE.length)).toString();
  async function packed(text: string): Promise<string> {
    const file = newFile();
    await writeFile(file, Buffer.concat([Buffer.from(FIRST_LINE), zstdCompressSync(text)]));
    return file;
  }
  async function refused(file: string, sentence: string): Promise<void> {
    const target = await emptyDatabase();
    expect(await refusal(restore(file, target))).toContain(sentence);
    expect(
      (
        await target.pool.query(
          "select from pg_class c join pg_namespace n on n.oid = relnamespace where nspname in ('public', 'books')",
        )
      ).rowCount,
    ).toBe(0);
  }

  test("for a database that is not empty or in use", async () => {
    const file = await backup();
    expect(await refusal(restore(file, source))).toContain("The database is not empty (it has ");
    const target = await emptyDatabase();
    const other = new pg.Client({ connectionString: target.url });
    await other.connect();
    await other.query("select pg_advisory_lock(7045119264881003)");
    expect(await refusal(restore(file, target))).toContain("Another process works on this database");
    await other.end();
  });

  test("for what is no backup, or one of another version", { tags: ["long"] }, async () => {
    const foreign = newFile();
    await writeFile(foreign, "PGDMP and more");
    await refused(foreign, "is no backup of a Longarm");
    await writeFile(foreign, "");
    await refused(foreign, "is no backup of a Longarm");
    await writeFile(foreign, "LONGARM BACKUP 2 zstd\n");
    await refused(foreign, "a backup of another version (2)");
    await refused(folder, "cannot be read");
    await refused(join(folder, "nowhere"), "cannot be read");
  });

  test("cut off anywhere", async () => {
    await fill();
    const file = await backup();
    const whole = await readFile(file);
    for (const length of [FIRST_LINE.length, FIRST_LINE.length + 9, Math.floor(whole.length / 2), whole.length - 40]) {
      const cut = newFile();
      await writeFile(cut, whole);
      await truncate(cut, length);
      expect(await refusal(readBackup(cut))).toMatch(/cut off/);
    }
    const text = await unpacked(file);
    for (const share of [0.2, 0.5, 0.9, 0.99])
      expect(await refusal(readBackup(await packed(text.slice(0, text.length * share))))).toMatch(/cut off|altered/);
  });

  test("altered by a bit, by a row, or after its end", async () => {
    await fill();
    const file = await backup();
    const whole = await readFile(file);
    const flipped = newFile();
    for (let at = FIRST_LINE.length; at < whole.length; at += Math.ceil(whole.length / 40)) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 4;
      await writeFile(flipped, bytes);
      expect(await refusal(readBackup(flipped)), `byte ${at}`).toMatch(/cut off|damaged|altered/);
    }
    const text = await unpacked(file);
    await refused(await packed(text.replace("\thouse\t", "\thause\t")), "was altered or damaged (books.account)");
    const said = async (made: string) => await refusal(readBackup(await packed(made)));
    expect(await said(`${text}more`)).toContain("Something follows the end");
    expect(await said(text.replace("{", "["))).toContain("was altered or damaged (head)");
    expect(await said("x".repeat(9_000_000))).toContain("was altered or damaged");
  });

  test("made with sums that fit an altered content", { tags: ["long"] }, async () => {
    await fill();
    const read = await unpacked(await backup());
    await refused(await packed(resum(read.replace("\n1\t1\t", "\n1\t8\t"))), "name others that are not there");
    await refused(await packed(resum(read.replace("\thouse\t", "\thause\t"))), "is not what was backed up");
    await refused(await packed(resum(read.replace("0001-first", "0001-other"))), "record of migrations");
    await refused(
      await packed(resum(read.replace('"columns":["word"]', '"columns":["ward"]'))),
      "not those that its migrations make",
    );
    // Names are read on a terminal before anything else is known of the file.
    await refused(await packed(resum(read.replaceAll('"books"', '"b\\u001b[2J"'))), "was altered or damaged (head)");
  });

  test("of a newer program, or of one with other migrations", { tags: ["long"] }, async () => {
    await writeMigration("0002-second", "create table newer (x int)");
    await migrate({ pool: source.pool, sets, log: silentLog });
    const file = await backup();
    await rm(join(folder, "trial", "0002-second"), { recursive: true });
    await refused(file, "The backup has trial/0002-second, which this program does not know");
    await writeMigration("0002-second", "create table other (x int)");
    await refused(file, "trial/0002-second is not what the backup was made with");
    await rm(join(folder, "trial", "0002-second"), { recursive: true });
  });

  test("when its owner does not find what was recorded", { tags: ["long"] }, async () => {
    await fill();
    const check = async (): Promise<void> => {
      throw new BackupProblem("The sums differ.");
    };
    const target = await emptyDatabase();
    expect(await refusal(restore(await backup(), target, { check }))).toBe("The sums differ.");
    expect((await target.pool.query("select to_regclass('brought') as found")).rows).toEqual([{ found: null }]);
  });
});
