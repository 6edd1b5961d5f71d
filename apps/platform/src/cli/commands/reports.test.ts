import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@longarm/database/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { platformMigrations } from "../../migration-sets.ts";
import { longarm } from "../../testing/longarm.ts";

let db: Awaited<ReturnType<typeof testDatabase>>;
let folder: string;
beforeAll(async () => {
  db = await testDatabase({ migrations: platformMigrations });
  folder = await mkdtemp(join(tmpdir(), "longarm-reports-"));
});
afterAll(async () => {
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

const run = (...words: string[]) => longarm(words, { environment: { DATABASE_URL: db.url } });
const show = (file: string) => run("reports", "show", "--from", "2026-11-01", "--pdf", file);
const exports = async (): Promise<number> =>
  JSON.parse((await run("audit", "list", "--type", "data.exported", "--json")).said).entries.length;

test("a report becomes a new file of its owner alone; a file that exists is never written over", async () => {
  const file = join(folder, "november.pdf");
  expect(await show(file)).toMatchObject({ code: 0, said: `The report is in ${file}.` });
  const written = await readFile(file);
  expect(written.subarray(0, 5).toString()).toBe("%PDF-");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await exports()).toBe(1);

  expect(await show(file)).toMatchObject({
    code: 3,
    complained: expect.stringContaining("is there already: name a new"),
  });
  expect(await readFile(file)).toEqual(written);
});

test("a file that cannot be made is refused in a sentence, and nothing is recorded as exported", async () => {
  const before = await exports();
  const { code, complained } = await show(join(folder, "nowhere/november.pdf"));
  expect([code, complained]).toEqual([3, expect.stringContaining("cannot be written (ENOENT)")]);
  expect(await exports()).toBe(before);
});
