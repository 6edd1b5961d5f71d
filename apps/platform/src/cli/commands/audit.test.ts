import { testDatabase } from "@longarm/database/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { platformMigrations } from "../../migration-sets.ts";
import { openAudit } from "../../modules/records/audit/index.ts";
import { longarm } from "../../testing/longarm.ts";

let db: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  db = await testDatabase({ migrations: platformMigrations });
  const audit = openAudit(db.kysely, "n1");
  await audit.write({
    type: "staff.did",
    actor: "=cmd|' /C calc'!A0",
    subject: "player:p_1",
    facts: { said: 'he said "no", and left' },
  });
  await audit.write({ type: "loginFail", actor: "visitor", subject: "name:x\u001b[2J", address: "203.0.113.9" });
  await audit.write({ type: "parameters.changed", actor: "node:n1", before: { idleMs: 1 }, after: { idleMs: 2 } });
});
afterAll(async () => await db.drop());

const run = (line: string) => longarm(line.split(" "), { environment: { DATABASE_URL: db.url } });

test("the newest entries are listed, of all or of some, and nothing in them steers a terminal", async () => {
  const { code, said } = await run("audit list");
  expect(code).toBe(0);
  expect(said.split("\n")).toHaveLength(4);
  expect(said).toMatch(/\n3 entries\.$/);
  expect(said).toMatch(/^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}staff\.did +=cmd/);
  expect(said).toContain('node:n1 {"idleMs": 1} → {"idleMs": 2}');
  expect(said).not.toContain("\u001b");
  expect((await run("audit list --type loginFail,success")).said).toContain("visitor → name:x");
  expect((await run("audit list --actor staff:nobody")).said).toBe("0 entries.");
  const { entries, more } = JSON.parse((await run("audit list --limit 1 --json")).said);
  expect(more).toBe(true);
  expect(entries).toMatchObject([{ id: 3, type: "parameters.changed", before: { idleMs: 1 }, after: { idleMs: 2 } }]);
});

test("an export is CSV that no spreadsheet calculates, or JSON lines, and is itself recorded", async () => {
  const csv = (await run("audit export --to 2099-01-01")).said.split("\n");
  expect(csv[0]).toBe("id,at,source,type,actor,subject,address,before,after,facts");
  expect(csv[1]).toMatch(
    /^1,[^,]+Z,n1,staff\.did,'=cmd\|' \/C calc'!A0,player:p_1,,,,"\{""said"": ""he said \\""no\\"", and left""\}"$/,
  );
  const lines = (await run("audit export --format jsonl --type data.exported")).said
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { actor: "root:ayse", facts: { format: "csv", to: "2099-01-01T00:00:00.000Z" } },
    { actor: "root:ayse", facts: { format: "jsonl", types: ["data.exported"] } },
  ]);
});

test.each([
  ["audit list --type nonsense", 'There is no type "nonsense"'],
  ["audit list --limit 0", "--limit"],
  ["audit list --from yesterday", "--from must be like"],
  ["audit export --format xml", "--format must be one of csv, jsonl"],
  ["audit export --from 2026-02-02 --to 2026-02-01", "--from must be before --to"],
  ["audit verify --witness 12", "--witness must be as verify prints it"],
])("%s is refused before anything is done", async (line, sentence) => {
  const { code, complained } = await run(line);
  expect([code, complained]).toEqual([2, expect.stringContaining(sentence)]);
});

test("the log is proved whole with its witness, and a changed entry is named and recorded with exit code 1", async () => {
  const { code, said } = await run("audit verify");
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(/^The audit log is whole: \d+ entries\.\nWitness: \d+:[0-9a-f]{64}$/),
  ]);
  const witness = said.split("Witness: ")[1] ?? "";
  await db.kysely.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`update audit.entries set actor = 'staff:bob' where id = 2`.execute(trx);
  });
  const bent = await run(`audit verify --witness ${witness}`);
  expect([bent.code, bent.complained]).toEqual([1, "The audit log is not as it was written: 1 finding."]);
  expect(bent.said).toContain("Entry 2 at 2 (loginFail of ");
  expect((await run("audit list --type data.tampered")).said).toContain("root:ayse → audit");
  const cut = await run(`audit verify --witness ${witness.replace(/^\d+/, "999999")}`);
  expect([cut.code, cut.said]).toEqual([1, expect.stringContaining("what the witness saw at 999999 is gone")]);
});
