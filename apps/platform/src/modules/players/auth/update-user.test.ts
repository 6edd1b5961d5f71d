import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bugsIn, expectAnswer } from "../../../testing/attack/answers.ts";
import { mutationsOf } from "../../../testing/attack/hostile-values.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";

const SETTINGS = {
  layout: { style: "layout1", config: { mode: "boxed", navbar: { folded: true, position: "right" } } },
  animations: false,
  direction: "rtl",
  theme: { main: "daylight", navbar: "pine" },
} as const;

let venue: TestVenue;
let id: string;
let name: string;
let token: string;
let players = 0;
beforeAll(async () => {
  const many = { LOGINS_PER_MINUTE_ADDRESS: "10000", CALLS_PER_MINUTE: "100000", CALLS_PER_MINUTE_ADDRESS: "1000000" };
  venue = await testVenue({ env: many });
});
afterAll(() => venue.close());
beforeEach(async () => {
  players += 1;
  name = `chooser${players}`;
  id = await venue.addPlayer(name, { name: "Ada", lastname: "Uz", email: `${name}@example.test` });
  token = await venue.signIn(name);
});

const post = (payload: unknown, withToken?: string) =>
  venue.app.inject({
    method: "POST",
    url: "/api/auth/user/update",
    headers: { "content-type": "application/json", ...(withToken && { authorization: `Bearer ${withToken}` }) },
    payload: JSON.stringify(payload) ?? "",
  });
const update = (data: object, uuid = id) => post({ user: { uuid, data } }, token);
const told = async (how = token) => (await venue.get("/v1/validate", how)).json();
const rowOf = async (player: string) =>
  (
    await sql<{
      row: object;
    }>`select to_jsonb(p) - '{last_logon,last_logon_ip}'::text[] as row from player p where id = ${player}`.execute(
      venue.db.kysely,
    )
  ).rows[0]?.row;

test("R-7-17: what a player chose is kept, and comes with every sign-in", async () => {
  expect(await told()).not.toHaveProperty("settings");
  expect(await told()).not.toHaveProperty("shortcuts");
  const reply = await update({ settings: SETTINGS, shortcuts: ["lobby", "ui-icons"] });
  expect(reply.statusCode).toBe(200);
  expect(reply.headers["cache-control"]).toBe("no-store");
  expect(reply.json()).toEqual({
    uuid: id,
    from: "longarm",
    role: ["user"],
    data: {
      displayName: "Ada Uz",
      email: `${name}@example.test`,
      settings: SETTINGS,
      shortcuts: ["lobby", "ui-icons"],
    },
  });
  expect(await told()).toMatchObject({ settings: SETTINGS, shortcuts: ["lobby", "ui-icons"] });
  expect(await told(await venue.signIn(name))).toMatchObject({ settings: SETTINGS, shortcuts: ["lobby", "ui-icons"] });
});

test("R-7-17: each part is kept for itself, and replaced whole", async () => {
  await update({ settings: SETTINGS });
  await update({ shortcuts: ["lobby"] });
  expect(await told()).toMatchObject({ settings: SETTINGS, shortcuts: ["lobby"] });
  await update({ settings: { animations: true }, shortcuts: [] });
  const { settings, shortcuts } = await told();
  expect({ settings, shortcuts }).toEqual({ settings: { animations: true }, shortcuts: [] });
});

test("only one's own account is written, and of it nothing but settings and shortcuts", async () => {
  const other = await venue.addPlayer(`bystander${players}`);
  const rows = await Promise.all([rowOf(id), rowOf(other)]);
  const theirs = await update({ settings: SETTINGS }, other);
  expect([theirs.statusCode, theirs.json().code]).toEqual([400, 40000]);
  const all = {
    displayName: "Boss",
    email: "boss@example.test",
    photoURL: "javascript:1",
    Permissions: [1],
    demo: true,
  };
  const whole = { uuid: id, from: "x", role: ["admin"], player_group: "vip", data: { ...all, shortcuts: ["lobby"] } };
  const answer = (await post({ user: whole }, token)).json();
  expect(answer).toMatchObject({ role: ["user"], data: { displayName: "Ada Uz", shortcuts: ["lobby"] } });
  expect(await Promise.all([rowOf(id), rowOf(other)])).toEqual(rows);
  const kept = await sql<{
    player_id: string;
  }>`select player_id from player_profile where player_id = ${other}`.execute(venue.db.kysely);
  expect(kept.rows).toEqual([]);
});

test("nobody writes without a token", async () => {
  expect((await post({ user: { uuid: id, data: { shortcuts: ["lobby"] } } })).statusCode).toBe(401);
  expect(await told()).not.toHaveProperty("shortcuts");
});

test("whatever stands in the body, nothing strange is kept", async () => {
  const before = await rowOf(id);
  const from = venue.lines.length;
  for (const body of mutationsOf({ user: { uuid: id, data: { settings: SETTINGS, shortcuts: ["lobby"] } } }))
    expectAnswer(body, await post(body, token));
  expect(bugsIn(venue.lines.slice(from))).toEqual([]);
  expect(await rowOf(id)).toEqual(before);
  const { settings, shortcuts } = await told();
  expect(JSON.stringify({ settings, shortcuts })).not.toMatch(/admin|script|drop|passwd|__proto__|balance/);
});

test("too many shortcuts, and too much of anything, are refused", async () => {
  expect((await update({ shortcuts: Array.from({ length: 51 }, (_, index) => `item-${index}`) })).statusCode).toBe(400);
  expect((await update({ shortcuts: ["x".repeat(65)] })).statusCode).toBe(400);
  expect((await update({ theme: "x".repeat(9_000) })).statusCode).toBe(413);
});
