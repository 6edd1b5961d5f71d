import { testDatabase } from "@longarm/database/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import { ageGroupOf, decideIdentity, identityOf, isBirthDate, keepRecord } from "./identity.ts";

/* Ages and documents go by the date at the venue. Between these two zones it is never the same date: they are 26 hours apart. */

const [EAST, WEST] = ["Pacific/Kiritimati", "Etc/GMT+12"] as const;

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase({ migrations: platformMigrations });
});
afterAll(() => database.drop());

const db = () => database.kysely;
const venueIn = (zone: string) => sql`update business_day_rule set time_zone = ${zone}`.execute(db());

/** The date at the venue, so many years ago. */
async function dayAgo(years: number): Promise<string> {
  const { rows } = await sql<{ day: string }>`
    select (venue_day(clock_timestamp()) - make_interval(years => ${years}))::date::text as day`.execute(db());
  return rows[0]?.day ?? "";
}

test("a player is a year older at the venue's midnight, on the day itself", async () => {
  await sql`insert into player (id, username, username_key, password) values ('p_age', 'age', 'age', 'none')`.execute(
    db(),
  );
  await venueIn(EAST);
  const born = await dayAgo(20);
  await keepRecord(db(), "p_age", { birthDate: born });
  await decideIdentity(db(), { playerId: "p_age", state: "verified", validUntil: null, by: "eva", reason: "seen" });
  expect(await identityOf(db(), "p_age")).toMatchObject({ age: 20 });
  await venueIn(WEST);
  expect(await identityOf(db(), "p_age"), "it is the day before there").toMatchObject({ age: 19 });
});

test("a document holds on its last day at the venue", async () => {
  await venueIn(WEST);
  const validUntil = await dayAgo(0);
  await decideIdentity(db(), { playerId: "p_age", state: "verified", validUntil, by: "eva", reason: "seen" });
  expect(await identityOf(db(), "p_age")).toMatchObject({ state: "verified" });
  await venueIn(EAST);
  expect(await identityOf(db(), "p_age"), "it is a later date there").toMatchObject({ state: "expired" });
});

test("no birth date is tomorrow, and the age group of the audit log goes by the same date", async () => {
  await venueIn(EAST);
  const [today, grown] = [await dayAgo(0), await dayAgo(20)];
  expect(await isBirthDate(db(), today)).toBe(true);
  expect(await ageGroupOf(db(), grown)).toBe("18 to 20");
  const born = await dayAgo(21);
  expect(await ageGroupOf(db(), born)).toBe("21 to 24");
  await venueIn(WEST);
  expect(await isBirthDate(db(), today)).toBe(false);
  expect(await ageGroupOf(db(), born)).toBe("18 to 20");
});
