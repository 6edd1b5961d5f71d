import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { StaffTables } from "../accounts/index.ts";
import { askDevice, pollDevice } from "./devices.ts";

let venue: TestVenue;
let eva: Awaited<ReturnType<typeof staffMember>>;
beforeAll(async () => {
  venue = await testVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } });
  eva = await staffMember(venue, "eva", ["administrator"]);
});
afterAll(() => venue.close());
const db = () => venue.db.kysely.withTables<StaffTables>();
afterEach(async () => {
  await db().deleteFrom("staff_device").execute();
  await db().deleteFrom("staff_device_miss").execute();
});

const deps = () => ({ db: db(), node: "test", random: systemRandom, hours: 1 });
const begin = () => askDevice(deps(), { computer: "hall-1", systemUser: "ayse" });
const poll = (deviceCode: string) => pollDevice(deps(), deviceCode);
/** The time until the next poll is over. */
const wait = () => sql`update staff_device set polled_at = polled_at - interval '61 seconds'`.execute(db());

test("a poll that comes too early makes the interval longer, up to a minute, and learns nothing", async () => {
  const { deviceCode, userCode } = await begin();
  expect(await poll(deviceCode)).toEqual({ is: "waiting", intervalS: 5 });
  await eva.act("confirmDevice", {}, { code: userCode });
  for (const intervalS of [10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 60])
    expect(await poll(deviceCode)).toEqual({ is: "slowDown", intervalS });
  await wait();
  expect(await poll(deviceCode)).toMatchObject({ is: "signedIn", username: "eva" });
});

test("a sign-in is fetched once, by the device code alone, also when many fetch it at once", async () => {
  const { deviceCode, userCode } = await begin();
  await eva.act("confirmDevice", {}, { code: userCode });
  for (const wrong of [userCode, userCode.replace("-", ""), "", "' or 1=1 --", `${deviceCode} `, "x".repeat(100_000)])
    expect(await poll(wrong)).toEqual({ is: "expired" });
  const answers = await Promise.all(Array.from({ length: 5 }, () => poll(deviceCode)));
  expect(answers.map(({ is }) => is).toSorted()).toEqual(["expired", "expired", "expired", "expired", "signedIn"]);
  expect(deviceCode).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("an account that has ended meanwhile gets no sign-in", async () => {
  const gone = await staffMember(venue, "gone", ["auditor"]);
  const { deviceCode, userCode } = await begin();
  await gone.act("confirmDevice", {}, { code: userCode });
  await eva.act("endStaff", { id: gone.id }, { reason: "left" });
  expect(await poll(deviceCode)).toEqual({ is: "refused" });
});

test("two people at once: one decides", async () => {
  const can = await staffMember(venue, "can", ["cashier"]);
  const { userCode } = await begin();
  const answers = await Promise.all([eva, can].map((by) => by.act("confirmDevice", {}, { code: userCode })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
});

test("only so many requests wait at the same time, and old ones make place", async () => {
  for (let at = 0; at < 50; at += 1) await begin();
  await expect(begin()).rejects.toMatchObject({ problem: { name: "request.tooMany" } });
  await sql`update staff_device set expires_at = clock_timestamp()`.execute(db());
  await begin();
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from staff_device`.execute(db());
  expect(rows).toEqual([{ count: 1 }]);
});

test("wrong codes count together, also when many are tried at once, and only for who typed them", async () => {
  const { userCode } = await begin();
  const tries = await Promise.all(
    Array.from({ length: 12 }, (_, at) => eva.post("me/devices/look", { code: `BCDFGHJ${"BCDFGHJKLMNP"[at]}` })),
  );
  expect(tries.filter(({ body }) => body["problem"] === "device.unknown").length).toBeLessThanOrEqual(5);
  expect((await eva.post("me/devices/look", { code: userCode })).status).toBe(429);
  await sql`update staff_device_miss set missed_at = missed_at - interval '11 minutes'`.execute(db());
  expect((await eva.post("me/devices/look", { code: userCode })).status).toBe(200);
});
