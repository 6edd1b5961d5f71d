import { AGENT_STILL_PATH, calls } from "@longarm/contract/http";
import { limitCalls } from "@longarm/contract/player-limits";
import { recordCalls } from "@longarm/contract/player-record";
import { staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import { CSRF_HEADER, STAFF_BASE } from "@longarm/contract/staff-call";
import { PERMISSION_NAMES, ROLE_NAMES, ROLES } from "@longarm/contract/staff-rights";
import { templateCalls } from "@longarm/contract/template/template-api";
import type { LightMyRequestResponse as Response } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STAFF_ORIGIN, staffClient, staffMember } from "../../../testing/staff-client.ts";
import { SILENT_DIRECTORY } from "../../../testing/test-directory.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { StaffTables } from "../accounts/index.ts";
import { cookieOf } from "./guard.ts";

let venue: TestVenue;
let members: Record<string, Awaited<ReturnType<typeof staffMember>>>;
beforeAll(async () => {
  venue = await testVenue({
    env: {
      STAFF_PORT: "0",
      ...SILENT_DIRECTORY,
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      CALLS_PER_MINUTE_ADDRESS: "100000",
    },
  });
  const made = [];
  for (const role of ROLE_NAMES) made.push([role, await staffMember(venue, `one-${role}`, [role])] as const);
  members = Object.fromEntries(made);
});
afterAll(() => venue.close());

const staffApp = () => {
  const { staff } = venue.platform;
  if (staff === undefined) throw new Error("STAFF_PORT is set");
  return staff.app;
};
const urlOf = ({ path }: StaffCall) => STAFF_BASE + path.replaceAll(/\{\w+\}/g, "x1");
/** The calls that this platform serves. */
const served = () =>
  Object.entries(staffCalls).filter(([, call]) =>
    staffApp().hasRoute({ method: call.method, url: STAFF_BASE + call.path.replaceAll(/\{(\w+)\}/g, ":$1") }),
  ) as [string, StaffCall][];

/** Every address that a player, an agent, a balancer or a monitor calls. */
const PLAYERS = [
  ...Object.values<{ readonly path: string }>({ ...calls, ...limitCalls, ...recordCalls, ...templateCalls }).map(
    ({ path }) => `/v1/${path.replaceAll(/\{\w+\}/g, "x1")}`,
  ),
  `/v1/${AGENT_STILL_PATH.replace("{id}", "x1")}`,
  ...[
    "/",
    "/check",
    "/metrics",
    "/healthz",
    "/readyz",
    "/Settings.json",
    "/assets/x.js",
    "/lobby",
    "/notifications",
    "/game",
  ],
];

describe("two listeners", () => {
  test("serve nothing of each other: every route of both", async () => {
    for (const [name, { method, ...call }] of Object.entries<StaffCall>(staffCalls)) {
      const answer: Response = await venue.app.inject({ method, url: urlOf({ method, ...call }) });
      expect({ name, status: answer.statusCode }).toEqual({ name, status: 404 });
    }
    for (const url of PLAYERS)
      for (const method of ["GET", "POST"] as const) {
        const answer: Response = await staffApp().inject({ method, url, headers: { host: "localhost:0" } });
        expect({ url, status: answer.statusCode }).toEqual({ url, status: 404 });
      }
  });

  test("serve every call of the contract, and none beside", () => {
    expect(served().map(([name]) => name)).toEqual(Object.keys(staffCalls));
  });
});

describe("rights", () => {
  test("each permission by each route: enough alone, and all others together are not", async () => {
    const { client } = members["technician"] ?? {};
    const db = venue.db.kysely.withTables<StaffTables>();
    const give = (permissions: readonly string[]) =>
      db
        .updateTable("staff_role")
        .set({ permissions: [...permissions] })
        .where("role", "=", "technician")
        .execute();
    const send = (call: StaffCall) => {
      const path = urlOf(call).slice(STAFF_BASE.length);
      return call.method === "GET" ? client?.get(path) : client?.post(path, {});
    };
    const lacks = async (call: StaffCall) => (await send(call))?.body["problem"] === "permission.missing";
    const wrong: string[] = [];
    for (const [name, call] of served()) {
      const needed: readonly string[] = typeof call.for === "string" ? [call.for] : call.for;
      if (needed.some((one) => ["open", "own", "locked"].includes(one))) continue;
      for (const one of needed) {
        await give([one]);
        if (await lacks(call)) wrong.push(`${name}: ${one} is not enough`);
      }
      await give(PERMISSION_NAMES.filter((one) => !needed.includes(one)));
      if (!(await lacks(call))) wrong.push(`${name}: works without ${needed.join(" or ")}`);
    }
    await give(ROLES.technician.permissions);
    expect(wrong).toEqual([]);
  });

  test("every permission that a call names belongs to a role, and every role has only named ones", () => {
    const needed = new Set(
      Object.values<StaffCall>(staffCalls).flatMap(({ for: names }) => names as string | string[]),
    );
    const given = new Set<string>(ROLE_NAMES.flatMap((role) => [...ROLES[role].permissions]));
    expect([...needed].filter((one) => !given.has(one) && !["open", "own", "locked"].includes(one))).toEqual([]);
    expect(new Set<string>(PERMISSION_NAMES)).toEqual(given);
  });

  test("that are taken from a role or a person are gone with the next call", async () => {
    const db = venue.db.kysely.withTables<StaffTables>();
    const client = await staffMember(venue, "hakan", ["auditor"]);
    expect((await client.get("staff")).status).toBe(200);
    await db.deleteFrom("staff_has_role").where("staff_id", "=", client.id).execute();
    expect(await client.get("staff")).toMatchObject({ status: 403, body: { params: { permission: "staff.see" } } });
  });

  test("are not made by editing the request", async () => {
    const { client, id } = members["attendant"] ?? {};
    for (const headers of [
      { "x-role": "administrator" },
      { authorization: "Bearer administrator" },
      { "x-http-method-override": "GET" },
    ])
      expect((await client?.get("staff", headers as never))?.status).toBe(403);
    const body = { id: "become-admin", roles: ["administrator"], permissions: ["staff.manage"], reason: "me" };
    expect((await client?.post(`staff/${id}/end`, body))?.status).toBe(403);
    expect((await client?.get("me"))?.body).toMatchObject({ person: { roles: ["attendant"] } });
  });
});

describe("a request of another site", () => {
  test("is refused by its origin, by its token, and as no JSON, and nothing happens", async () => {
    const { client } = members["cashier"] ?? {};
    const cookie = client?.cookie ?? "";
    const post = (headers: Record<string, string>, payload: object | string = {}) =>
      staffApp().inject({
        method: "POST",
        url: `${STAFF_BASE}lock`,
        headers: { host: "localhost:0", cookie, ...headers },
        payload,
      });
    const csrf = String((await client?.me())?.body["csrf"]);
    for (const headers of [
      { origin: "http://evil.example", [CSRF_HEADER]: csrf },
      { origin: "http://localhost:8080", [CSRF_HEADER]: csrf },
      { origin: "null", [CSRF_HEADER]: csrf },
      { origin: STAFF_ORIGIN },
      { origin: STAFF_ORIGIN, [CSRF_HEADER]: "x".repeat(csrf.length) },
      { "sec-fetch-site": "cross-site", [CSRF_HEADER]: csrf },
      { "sec-fetch-site": "same-site", origin: STAFF_ORIGIN, [CSRF_HEADER]: csrf },
    ])
      expect((await post(headers as Record<string, string>)).json()).toMatchObject({ problem: "csrf.wrong" });
    const form = { origin: STAFF_ORIGIN, [CSRF_HEADER]: csrf, "content-type": "application/x-www-form-urlencoded" };
    expect((await post(form, "a=b")).statusCode).toBe(400);
    expect((await client?.get("me"))?.body).toMatchObject({ signIn: { locked: false } });
    const preflight = await staffApp().inject({
      method: "OPTIONS",
      url: `${STAFF_BASE}lock`,
      headers: { host: "localhost:0", origin: "http://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("cannot begin a sign-in either", async () => {
    const answer = await staffClient(venue).post("sign-in/passkey/begin", {}, { origin: "http://evil.example" });
    expect(answer).toMatchObject({ status: 403, body: { problem: "csrf.wrong" } });
  });
});

describe("the cookie", () => {
  test("is strict, closed to scripts, and by https held to the very host", async () => {
    const entered = await staffMember(venue, "irem", ["attendant"]);
    expect(entered.client.cookie).toMatch(/^longarm-staff=[A-Za-z0-9_-]{43}$/);
    const answer = await staffApp().inject({
      method: "POST",
      url: `${STAFF_BASE}sign-out`,
      headers: {
        host: "localhost:0",
        cookie: entered.client.cookie,
        origin: STAFF_ORIGIN,
        [CSRF_HEADER]: String((await entered.client.me()).body["csrf"]),
      },
      payload: {},
    });
    expect(answer.headers["set-cookie"]).toBe("longarm-staff=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    expect((await entered.client.get("me")).status).toBe(401);
    expect(cookieOf("longarm-staff=a; __Host-longarm-staff=b", "https://staff.example.org")).toBe("b");
    expect(cookieOf("__Host-longarm-staff=b; __Host-longarm-staff=c", "https://staff.example.org")).toBeUndefined();
  });
});

describe("hostile input", () => {
  const hostile = [
    null,
    [],
    "x",
    1,
    { id: "../../etc" },
    { id: "a".repeat(65) },
    { id: "abcdefgh", more: 1 },
    { id: { $gt: "" } },
    { id: "abcdefgh\u0000" },
  ];
  test("is refused by every act, and no act answers a failure of ours", async () => {
    const { client } = members["administrator"] ?? {};
    for (const [name, call] of served()) {
      if (call.method !== "POST" || call.path === "sign-out" || call.path.includes("passkey/begin")) continue;
      if (["lock", "active"].includes(call.path)) continue;
      for (const body of hostile) {
        const answer = await client?.post(urlOf(call).slice(STAFF_BASE.length), body as object);
        expect({ name, body, status: answer?.status }).toEqual({
          name,
          body,
          status: expect.toSatisfy((s) => s >= 400 && s < 500),
        });
      }
    }
  });

  test("at a sign-in is a wrong sign-in, and no failure of ours", async () => {
    for (const text of ["zero\0inside", "\ud800half", "\u001b[2J", "' or 1=1 --", "x".repeat(100)]) {
      const wrong = { username: text, password: text, code: "000000" };
      expect((await staffClient(venue).post("sign-in/password", wrong)).status).toBe(401);
      const recovery = { username: text, password: text, recoveryCode: text.slice(0, 40) };
      expect((await staffClient(venue).post("sign-in/recovery", recovery)).status).toBe(401);
    }
  });

  test("in an address or a query is refused or unknown", async () => {
    const { client } = members["auditor"] ?? {};
    for (const path of [
      "audit?after=1;drop",
      "audit?limit=0",
      "audit?limit=9999",
      "audit?unknown=1",
      "audit?from=yesterday",
      `audit?actor=${"a".repeat(201)}`,
    ])
      expect({ path, status: (await client?.get(path))?.status }).toEqual({ path, status: 400 });
    expect((await client?.get("audit?subject=' or 1=1 --"))?.body).toMatchObject({ rows: [] });
  });
});

test("the audit log is read by pages, and proved as a whole", async () => {
  const { client } = members["auditor"] ?? {};
  const first = (await client?.get("audit?limit=3"))?.body as { rows: { position: string }[]; next: string };
  const second = (await client?.get(`audit?limit=3&after=${first.next}`))?.body as typeof first;
  const positions = [...first.rows, ...second.rows].map(({ position }) => Number(position));
  expect(positions).toEqual(positions.toSorted((one, other) => other - one));
  expect(new Set(positions).size).toBe(6);
  const proof = await client?.post("audit/prove", { id: "prove-it-1" });
  expect(proof?.body).toMatchObject({ is: "done", result: { whole: true, breaches: [] } });
});
