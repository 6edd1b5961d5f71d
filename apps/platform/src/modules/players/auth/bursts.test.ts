import { testDatabase } from "@longarm/database/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import type { Audit } from "../../records/audit/index.ts";
import { newestEntries, openAudit } from "../../records/audit/index.ts";
import type { Bursts, Refused } from "./bursts.ts";
import { createBursts } from "./bursts.ts";
import type { AuthTables } from "./tables.ts";

// attack 10: 870 wrong sign-ins wrote 866 entries into a log that is kept for ever.

let db: Awaited<ReturnType<typeof testDatabase<AuthTables>>>;
let audit: Audit;
let bursts: Bursts;
/** Entries before this test. */
let before: number;

beforeAll(async () => {
  db = await testDatabase<AuthTables>({ migrations: platformMigrations });
});
afterAll(async () => await db.drop());
beforeEach(async () => {
  await db.kysely.deleteFrom("sign_in_burst").execute();
  before = (await newestEntries(db.kysely, {}, 100_000)).length;
  audit = openAudit(db.kysely, "n1");
  bursts = createBursts(db.kysely, audit);
});

const wrong = (subject = "player:p_1", address = "203.0.113.5"): Refused => ({
  problem: "auth.wrong_counted",
  subject,
  address,
});

/** The entries of this test, oldest first. */
async function entries() {
  const all = await newestEntries(db.kysely, {}, 100_000);
  return all.slice(before).map(({ type, actor, subject, address, facts }) => ({
    type,
    actor,
    subject,
    address,
    facts: JSON.parse(facts) as Record<string, unknown>,
  }));
}

const openRows = async () => await db.kysely.selectFrom("sign_in_burst").selectAll().execute();

/** As if everything so far had happened that much earlier. */
async function pass(seconds: number): Promise<void> {
  await sql`update sign_in_burst set first_at = first_at - make_interval(secs => ${seconds}),
    last_at = last_at - make_interval(secs => ${seconds}), told_at = told_at - make_interval(secs => ${seconds})`.execute(
    db.kysely,
  );
}

test("a burst is one entry when it begins and one with its count and times when a minute is quiet", async () => {
  for (let times = 0; times < 870; times += 1) await bursts.note(wrong());
  const begun = {
    type: "loginFail",
    actor: "visitor",
    subject: "player:p_1",
    address: "203.0.113.5",
    facts: { problem: "auth.wrong_counted" },
  };
  expect(await entries()).toEqual([begun]);
  await pass(58);
  await bursts.round();
  expect(await entries(), "a quiet minute is not over").toHaveLength(1);
  await pass(3);
  const [row] = await openRows();
  await bursts.round();
  const facts = {
    ...begun.facts,
    times: 870,
    firstAt: row?.first_at.toISOString(),
    lastAt: row?.last_at.toISOString(),
    over: true,
  };
  expect(await entries()).toEqual([begun, { ...begun, facts }]);
  expect(await openRows()).toEqual([]);
  await bursts.note(wrong());
  expect(await entries(), "a later one begins anew").toHaveLength(3);
});

test("a single refusal is one entry", async () => {
  await bursts.note(wrong());
  await pass(61);
  await bursts.round();
  expect(await entries()).toHaveLength(1);
  expect(await openRows()).toEqual([]);
});

test("a burst that goes on is told each ten minutes", async () => {
  await bursts.note(wrong());
  await bursts.note(wrong());
  await pass(601);
  await bursts.note(wrong());
  await bursts.round();
  await bursts.round();
  await bursts.note(wrong());
  const told = await entries();
  expect(told.map(({ facts }) => [facts["times"], facts["over"]])).toEqual([
    [undefined, undefined],
    [3, false],
  ]);
  await pass(61);
  await bursts.round();
  expect((await entries())[2]?.facts).toMatchObject({ times: 4, over: true });
});

test("each name, address and refusal has a burst of its own; a line of IPv6 is one address", async () => {
  await bursts.note(wrong());
  await bursts.note(wrong("name:abc"));
  await bursts.note({ ...wrong(), problem: "auth.protected" });
  for (let host = 1; host <= 20; host += 1) await bursts.note(wrong("player:p_1", `2001:db8:1:2::${host}`));
  expect((await entries()).map(({ type, subject, address }) => [type, subject, address])).toEqual([
    ["loginFail", "player:p_1", "203.0.113.5"],
    ["loginFail", "name:abc", "203.0.113.5"],
    ["temporaryBlocked", "player:p_1", "203.0.113.5"],
    ["loginFail", "player:p_1", "2001:db8:1:2::1"],
  ]);
});

test("a flood over many names of one address shares a burst, loses no count and does not begin anew while it lasts", async () => {
  for (let minute = 0; minute < 5; minute += 1) {
    for (let more = 0; more < 40; more += 1) await bursts.note(wrong(`name:${minute * 40 + more}`));
    await pass(45);
    await bursts.round();
  }
  expect(await openRows()).toHaveLength(1);
  expect(await entries(), "ten names, and all others together").toHaveLength(11);
  await pass(61);
  await bursts.round();
  const last = (await entries()).at(-1);
  expect(last).toMatchObject({
    subject: null,
    address: "203.0.113.5",
    facts: { names: "several", times: 190, over: true },
  });
});

test("a flood from many addresses keeps a bounded number of rows and loses no count", async () => {
  const flood = Array.from({ length: 700 }, (_, n) => wrong(`name:${n}`, `198.51.${n >> 8}.${n & 255}`));
  for (const one of flood) await bursts.note(one);
  expect(await openRows()).toHaveLength(301);
  expect(await entries()).toHaveLength(301);
  await bursts.note(wrong("name:700", "198.51.250.1"));
  await pass(61);
  await bursts.round();
  const told = await entries();
  expect(told).toHaveLength(302);
  expect(told.at(-1)).toMatchObject({
    subject: null,
    address: null,
    facts: { names: "several", addresses: "several", times: 401, over: true },
  });
});

test("many at once on several nodes begin one burst and count each refusal", async () => {
  const nodes = [bursts, createBursts(db.kysely, openAudit(db.kysely, "n2"))];
  await Promise.all(Array.from({ length: 60 }, (_, n) => nodes[n % 2]?.note(wrong())));
  expect(await entries()).toHaveLength(1);
  expect(await openRows()).toMatchObject([{ times: 60 }]);
});

test("rounds of several nodes at once write each end once", async () => {
  for (let name = 0; name < 8; name += 1)
    for (let twice = 0; twice < 2; twice += 1) await bursts.note(wrong(`name:${name}`));
  await pass(61);
  const other = createBursts(db.kysely, openAudit(db.kysely, "n2"));
  await Promise.all([bursts.round(), other.round(), bursts.round(), other.round()]);
  const ends = (await entries()).filter(({ facts }) => facts["over"] === true);
  expect(ends.map(({ subject }) => subject).toSorted()).toEqual(Array.from({ length: 8 }, (_, n) => `name:${n}`));
  expect(await openRows()).toEqual([]);
});

test("refusals that meet a round are counted once, by the burst that is over or by the next", async () => {
  for (let burst = 0; burst < 5; burst += 1) {
    await bursts.note(wrong());
    await bursts.note(wrong());
    await pass(61);
    await Promise.all([bursts.round(), ...Array.from({ length: 10 }, () => bursts.note(wrong())), bursts.round()]);
  }
  await pass(61);
  await bursts.round();
  const told = await entries();
  const begun = told.filter(({ facts }) => facts["times"] === undefined).length;
  const ends = told.filter(({ facts }) => facts["over"] === true);
  const single = begun - ends.length;
  const counted = ends.reduce((sum, { facts }) => sum + Number(facts["times"]), single);
  expect(counted).toBe(60);
});

test("a node that is killed in its round writes nothing, and the next round, after a restart, writes everything once", async () => {
  for (const name of ["name:a", "name:b", "name:c"])
    for (let times = 0; times < 5; times += 1) await bursts.note(wrong(name));
  await pass(61);
  let left = 2;
  const dying: Audit = {
    ...audit,
    within: (transaction) => ({
      ...audit.within(transaction),
      write: async (entry) => {
        left -= 1;
        // What the database sees of a killed process: its connection ends inside the transaction.
        if (left < 0) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(transaction);
        await audit.within(transaction).write(entry);
      },
    }),
  };
  await expect(createBursts(db.kysely, dying).round()).rejects.toThrow();
  expect(await entries()).toHaveLength(3);
  await createBursts(db.kysely, openAudit(db.kysely, "n1")).round();
  const ends = (await entries()).slice(3);
  expect(ends.map(({ subject, facts }) => [subject, facts["times"]]).toSorted()).toEqual([
    ["name:a", 5],
    ["name:b", 5],
    ["name:c", 5],
  ]);
});
