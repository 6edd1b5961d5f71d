import { testDatabase } from "@longarm/database/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../../../config.ts";
import { createLog } from "../../../log.ts";
import { platformMigrations } from "../../../migration-sets.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import { createKeeper, createThrottledAudit, newestEntries, openAudit } from "./index.ts";

let db: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  db = await testDatabase({ migrations: platformMigrations });
});
afterAll(async () => await db.drop());

const patience = { timeout: 60_000, interval: 20 };

function parts(start?: number) {
  const lines: string[] = [];
  const log = createLog(readConfig({}), { write: (line) => void lines.push(line) });
  const audit = openAudit(db.kysely, "n1");
  return { db: db.kysely, audit, clock: manualClock(start), log, lines, node: "n1" };
}
async function told(type: string) {
  return await newestEntries(db.kysely, { types: [type] }, 100);
}
const factsOf = async (type: string) => (await told(type)).map(({ facts }) => JSON.parse(facts));

test("what waits is linked by itself, and an outage is told once it is over, with its length", async () => {
  const { clock, lines, ...rest } = parts();
  let ran = 0;
  const keeper = createKeeper({ ...rest, clock, elapsed: () => ran });
  const later = (ms: number) => {
    ran += ms;
    clock.advance(ms);
  };
  await rest.audit.write({ type: "staff.did", actor: "staff:eva" });
  later(1_000);
  await keeper.link();
  const waiting = async () =>
    (await sql<{ count: number }>`select count(*)::int as count from audit.waiting`.execute(db.kysely)).rows[0]?.count;
  expect(await waiting()).toBe(0);
  await sql`alter function audit.link_waiting(integer) rename to gone`.execute(db.kysely);
  for (let seconds = 0; seconds < 3; seconds += 1) {
    later(1_000);
    await keeper.link();
  }
  await sql`alter function audit.gone(integer) rename to link_waiting`.execute(db.kysely);
  later(1_000);
  await keeper.link();
  expect(lines.filter((line) => line.includes("cannot be linked"))).toHaveLength(1);
  const [outage, ...more] = await factsOf("database.back");
  expect([Date.parse(outage.until) - Date.parse(outage.since), more]).toEqual([3_000, []]);
  await keeper.close();
});

test("a clock that is not the database's is told once an hour, and one that was changed each time", async () => {
  const { clock, lines, ...rest } = parts(Date.now() - 7_200_000);
  let ahead = 0;
  const keeper = createKeeper({ ...rest, clock, elapsed: () => clock.now() - ahead });
  clock.advance(180_000);
  await vi.waitFor(async () => expect(await told("clock.differs")).toHaveLength(1), patience);
  const [{ databaseAheadMs }] = await factsOf("clock.differs");
  expect(databaseAheadMs).toBeGreaterThan(6_900_000);
  expect(lines.filter((line) => line.includes(`"alarm":"clock"`))).toHaveLength(1);
  // The wall clock is an hour further than the time that went by.
  ahead = 3_600_000;
  clock.advance(1_000);
  await keeper.close();
  expect(await factsOf("clock.jumped")).toEqual([{ byMs: 3_600_000, to: expect.any(String) }]);
});

test("what anybody may cause is told the first time and then each tenfold, and no flood from everywhere fills the log", async () => {
  const { clock, lines, ...rest } = parts();
  const throttled = createThrottledAudit({ ...rest, clock });
  const note = (key: string) =>
    throttled.note(key, { type: "limit.hit", actor: "visitor", address: key, facts: { limit: "calls" } });
  for (let times = 0; times < 150; times += 1) note("203.0.113.1");
  await throttled.settled();
  expect(await factsOf("limit.hit")).toEqual([
    { limit: "calls" },
    { limit: "calls", timesInAMinute: 10 },
    { limit: "calls", timesInAMinute: 100 },
  ]);
  for (let at = 0; at < 1_500; at += 1) note(`2001:db8::${at}`);
  await throttled.settled();
  expect(
    (
      await sql<{ count: number }>`select count(*)::int as count from audit.entries where type = 'limit.hit'`.execute(
        db.kysely,
      )
    ).rows[0]?.count,
  ).toBe(1_002);
  clock.advance(60_000);
  note("203.0.113.1");
  await throttled.settled();
  expect(lines.some((line) => line.includes(`"entries":501`))).toBe(true);
});

test("what happens while the database is away is written when it is back, with its time", async () => {
  const { clock, ...rest } = parts();
  const throttled = createThrottledAudit({ ...rest, clock });
  await sql`alter table audit.waiting rename to gone`.execute(db.kysely);
  const happenedAt = new Date(clock.now()).toISOString();
  throttled.note("alarm", { type: "alarm.raised", actor: "node:n1", facts: { alarm: "transfer" } });
  await throttled.settled();
  clock.advance(5_000);
  await throttled.settled();
  expect(await told("alarm.raised")).toEqual([]);
  await sql`alter table audit.gone rename to waiting`.execute(db.kysely);
  clock.advance(5_000);
  await throttled.settled();
  expect(await factsOf("alarm.raised")).toEqual([{ alarm: "transfer", happenedAt }]);
});

test("an end of the log that is cut off is found by a node that has seen it", async () => {
  const { clock, lines, ...rest } = parts(Date.now());
  const keeper = createKeeper({ ...rest, clock, elapsed: () => clock.now() });
  const alarms = () => lines.filter((line) => line.includes('"alarm":"audit"')).length;
  const look = async () => {
    await keeper.link();
    clock.advance(60_000);
    await keeper.settled();
  };
  await rest.audit.write({ type: "staff.did", actor: "staff:eva" });
  await look();
  await rest.audit.write({ type: "staff.did", actor: "staff:eva" });
  await look();
  expect([alarms(), await told("data.tampered")]).toEqual([0, []]);
  await db.kysely.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`delete from audit.links where position = (select max(position) from audit.links)`.execute(trx);
  });
  await look();
  expect(alarms()).toBe(1);
  expect(await factsOf("data.tampered")).toEqual([
    { witness: { position: expect.any(Number), hash: expect.any(String) }, found: null },
  ]);
  await look();
  expect(alarms()).toBe(1);
  await keeper.close();
});
