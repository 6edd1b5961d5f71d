import { testDatabase } from "@longarm/database/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import type { Audit } from "./index.ts";
import { linkWaiting, newestEntries, openAudit, readEntries, verifyChain } from "./index.ts";

let db: Awaited<ReturnType<typeof testDatabase>>;
let audit: Audit;

beforeAll(async () => {
  db = await testDatabase({ migrations: platformMigrations });
  audit = openAudit(db.kysely, "n1");
});
afterAll(async () => await db.drop());
beforeEach(async () => await asOwner("truncate audit.entries, audit.links, audit.waiting restart identity"));

/** What only a person with the rights of the server can do: no trigger stands in the way. */
async function asOwner(...statements: string[]): Promise<void> {
  await db.kysely.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const statement of statements) await sql.raw(statement).execute(trx);
  });
}

async function write(count: number): Promise<void> {
  for (let at = 1; at <= count; at += 1)
    await audit.write({
      type: "staff.did",
      actor: "staff:eva",
      subject: `player:p_${at}`,
      facts: { at, text: "ğüş €" },
    });
  await linkWaiting(db.kysely, 100);
}

const findings = async (...witnesses: { position: number; hash: string }[]) =>
  (await verifyChain(db.kysely, witnesses)).breaches.map(({ is, position }) => `${is} ${position}`);

test("every entry is linked once, and the program's own arithmetic agrees with the database's", async () => {
  await write(7);
  const report = await verifyChain(db.kysely);
  expect(report).toMatchObject({ links: 7, waiting: 0, breaches: [], tail: { position: 7 } });
  await write(3);
  expect(await findings(report.tail ?? { position: 0, hash: "" })).toEqual([]);
});

test("an empty log is whole", async () => {
  expect(await verifyChain(db.kysely)).toEqual({ links: 0, waiting: 0, tail: null, breaches: [] });
});

describe("who bends the log by hand is found:", () => {
  test.each([
    ["changes an entry", ["update audit.entries set actor = 'staff:bob' where id = 4"], ["changed 4"]],
    ["changes its time", ["update audit.entries set at = at - interval '1 microsecond' where id = 4"], ["changed 4"]],
    ["changes a fact", [`update audit.entries set facts = '{"at": 5, "text": "x"}' where id = 4`], ["changed 4"]],
    [
      "moves a text from one column to the next",
      ["update audit.entries set actor = actor || '0', subject = null where id = 4"],
      ["changed 4"],
    ],
    ["removes an entry", ["delete from audit.entries where id = 4"], ["removed 4"]],
    [
      "removes an entry with its link",
      ["delete from audit.links where position = 4", "delete from audit.entries where id = 4"],
      ["removed 4"],
    ],
    [
      "removes three, and closes the gap",
      [
        "delete from audit.links where position between 4 and 6",
        "delete from audit.entries where id between 4 and 6",
        "update audit.links set position = position - 3 where position > 6",
      ],
      ["changed 4", "changed 5"],
    ],
    [
      "swaps two entries",
      [
        "update audit.links set entry_id = case entry_id when 4 then 1005 else 1004 end where entry_id in (4, 5)",
        "update audit.links set entry_id = entry_id - 1000 where entry_id > 1000",
      ],
      ["changed 4", "changed 5"],
    ],
    [
      "puts an entry in beside the chain",
      ["insert into audit.entries (source, type, actor) values ('n1', 'staff.did', 'staff:bob')"],
      ["inserted null"],
    ],
    [
      "puts an entry in at the end",
      [
        "insert into audit.entries (source, type, actor) values ('n1', 'staff.did', 'staff:bob')",
        "insert into audit.links (position, entry_id, hash) select 9, max(id), sha256('x') from audit.entries",
      ],
      ["changed 9"],
    ],
    ["changes a hash", ["update audit.links set hash = sha256('x') where position = 4"], ["changed 4", "changed 5"]],
  ])("%s", async (_what, statements, found) => {
    await write(8);
    await asOwner(...statements);
    expect(await findings()).toEqual(found);
  });
});

test("a witness finds what no chain can tell: an end that was cut off, and a log that was made anew", async () => {
  await write(5);
  const { tail } = await verifyChain(db.kysely);
  if (tail === null) throw new Error("no witness was told");
  await asOwner("delete from audit.links where position = 5", "delete from audit.entries where id = 5");
  expect(await findings()).toEqual([]);
  expect(await findings(tail)).toEqual(["cut 5"]);
  await asOwner("truncate audit.entries, audit.links, audit.waiting restart identity");
  await write(6);
  expect(await findings(tail)).toEqual(["otherThanWitness 5"]);
});

test("what is rolled back is not told, and what commits is; nodes that write and link at once make one chain", async () => {
  const nodes = ["n1", "n2", "n3"].map((node) => openAudit(db.kysely, node));
  const writing = nodes.flatMap((node) =>
    Array.from({ length: 40 }, (_, at) =>
      db.kysely
        .transaction()
        .execute(async (trx) => {
          await node.within(trx).write({ type: "staff.did", actor: "staff:eva", facts: { at } });
          if (at % 4 === 0) throw new Error("taken back");
        })
        .catch(() => {}),
    ),
  );
  const linking = Array.from({ length: 10 }, () => linkWaiting(db.kysely, 7));
  await Promise.all([...writing, ...linking]);
  await linkWaiting(db.kysely, 7);
  expect(await verifyChain(db.kysely)).toMatchObject({ links: 90, waiting: 0, breaches: [] });
});

test("entries are read by type, actor, subject and time, in their order", async () => {
  await write(3);
  await audit.write({ type: "loginFail", actor: "visitor", subject: "player:p_2", address: "203.0.113.9" });
  const all = await Array.fromAsync(readEntries(db.kysely, {}));
  expect(all.map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
  const found = async (filter: Parameters<typeof readEntries>[1]) =>
    (await newestEntries(db.kysely, filter, 2)).map(({ id }) => id);
  expect(await found({})).toEqual(["3", "4"]);
  expect(await found({ types: ["loginFail"] })).toEqual(["4"]);
  expect(await found({ subject: "player:p_2" })).toEqual(["2", "4"]);
  expect(await found({ actor: "staff:eva", to: all[1]?.at })).toEqual(["1"]);
  expect(await found({ from: all[2]?.at })).toEqual(["3", "4"]);
});

test("who acts is said once for a transaction, and rows tell it; the next transaction knows nothing of it", async () => {
  await db.kysely.transaction().execute(async (trx) => {
    await audit.within(trx).actAs("staff:eva");
    await sql`insert into agent (id, name) values ('ag_1', 'one')`.execute(trx);
  });
  await sql`update agent set revoked_at = now() where id = 'ag_1'`.execute(db.kysely);
  const told = await newestEntries(db.kysely, {}, 10);
  expect(told.map(({ type, actor, source }) => [type, actor, source])).toEqual([
    ["agent.enrolled", "staff:eva", "n1"],
    ["agent.revoked", "platform", "longarm"],
  ]);
  expect(JSON.stringify(told)).not.toContain(`"hash"`);
});
