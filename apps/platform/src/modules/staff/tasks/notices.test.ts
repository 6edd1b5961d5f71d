import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import type { PushService } from "../../../testing/push-service.ts";
import { openPushService } from "../../../testing/push-service.ts";
import { staffMember } from "../../../testing/staff-client.ts";

/* Notifications of staff, and pushes to a push service that this test is. */

// A port that is known before the platform reads its settings.
const PORT = 20_000 + (process.pid % 20_000);
const HOST = `127.0.0.1:${PORT}`;
let service: PushService;

const venue = sharePlayVenue(
  {
    env: {
      STAFF_PORT: "0",
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      PUSH_HOSTS: HOST,
      PUSH_CONTACT: "mailto:it@example.org",
    },
  },
  prepare,
);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let okan: Member;
let deniz: Member;
let selin: Member;
beforeAll(async () => {
  service = await openPushService(PORT);
});
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  okan = await staffMember(staff, "okan", ["supervisor"]);
  deniz = await staffMember(staff, "deniz", ["attendant"]);
  selin = await staffMember(staff, "selin", ["cashier"]);
}
afterAll(async () => await service.close());
beforeEach(() => {
  service.pushes.length = 0;
  service.answer(201);
});

const noticesOf = async (by: Member) => (await by.get("notices")).body as { rows: Json[]; unread: number };

function device(name: string) {
  const { target, read } = service.device(name);
  return { fields: { ...target, label: "Chrome, Android", language: "tr" }, read };
}

async function owed(machineId: string, handPay: string, amount = 1_245_000): Promise<string> {
  await sql`insert into hand_pay (machine_id, hand_pay_id, amount, kind) values (${machineId}, ${handPay}, ${amount}, 'win')`.execute(
    venue.db,
  );
  return `handPay:${machineId}:${handPay}`;
}
const paid = (handPay: string) =>
  sql`update hand_pay set confirmed_at = now(), confirmed_by = 'test' where hand_pay_id = ${handPay}`.execute(venue.db);

describe("notifications", () => {
  test("are for whom a task is, ring until somebody takes it, and are read on every device", async () => {
    await venue.machine("no-01");
    const id = await owed("no-01", "h1");
    await deniz.get("tasks");
    const mine = await noticesOf(deniz);
    expect(mine.rows[0]).toMatchObject({
      task: id,
      tone: "urgent",
      rings: true,
      read: false,
      open: true,
      amount: 1_245_000,
    });
    expect(mine.unread).toBe(1);
    // It is the attendant's, who is here; a cashier does not even see it.
    expect((await noticesOf(okan)).rows).toEqual([]);
    expect((await noticesOf(selin)).rows).toEqual([]);
    await deniz.post("notices/read", { upTo: 9_999_999 });
    expect(await noticesOf(deniz)).toMatchObject({ unread: 0, rows: [{ read: true }] });
    await deniz.act("assignTask", { id }, { person: okan.id });
    expect((await noticesOf(okan)).rows[0]).toMatchObject({ event: "assigned", rings: true, read: false });
    expect((await noticesOf(deniz)).rows[0]).toMatchObject({ rings: false, owner: { name: "okan" } });
    await paid("h1");
    await deniz.get("tasks");
    expect((await noticesOf(deniz)).rows[0]).toMatchObject({ open: false, rings: false });
    await deniz.post("notices/read", { upTo: -1 }).then(({ status: refused }) => expect(refused).toBe(400));
  });

  test("go to who may act when the role has no person signed in, and to the role above after an escalation", async () => {
    await venue.machine("no-02");
    const id = await owed("no-02", "h2");
    await okan.get("tasks");
    expect((await noticesOf(okan)).rows.filter(({ task }) => task === id)).toEqual([]);
    await deniz.act("escalateTask", { id }, { reason: "two at once" });
    expect((await noticesOf(okan)).rows[0]).toMatchObject({ task: id, event: "escalated", rings: true });
    await paid("h2");
  });
});

describe("a device", () => {
  test("of whom a task concerns is pushed what it is, encrypted, with no name and no amount; taking it silences the rest", async () => {
    await venue.machine("no-03");
    const phone = device("deniz-phone");
    const other = device("okan-phone");
    const added = await deniz.act("addPushDevice", {}, phone.fields);
    expect(added.body).toMatchObject({ is: "done", result: { id: expect.stringMatching(/^pd_/) } });
    await okan.act("addPushDevice", {}, other.fields);
    expect((await deniz.get("me/push-devices")).body).toMatchObject({
      rows: [{ label: "Chrome, Android", usedAt: null }],
      publicKey: expect.stringMatching(/^[A-Za-z0-9_-]{87}$/),
    });
    const id = await owed("no-03", "h3");
    await deniz.get("tasks");
    await eventually(() => expect(service.pushes).toHaveLength(1));
    const [{ path, headers, body }] = service.pushes as [PushService["pushes"][number]];
    expect(path).toBe("/deniz-phone");
    expect(headers).toMatchObject({ urgency: "high", "content-encoding": "aes128gcm", ttl: "1800" });
    expect(String(headers["authorization"])).toMatch(/^vapid t=.+, k=.+/);
    const shown = phone.read(body);
    expect(shown).toEqual({
      type: "task.opened",
      subject: expect.stringMatching(/^task:\d+$/),
      kind: "handPay",
      group: "now",
      machine: expect.any(String),
      language: "tr",
    });
    expect(JSON.stringify(shown)).not.toMatch(/1245000|deniz|h3/);
    await eventually(async () =>
      expect((await deniz.get("me/push-devices")).body).toMatchObject({ rows: [{ usedAt: expect.any(String) }] }),
    );
    await deniz.act("claimTask", { id }, {});
    await paid("h3");
  });

  test("that its push service does not know any more is forgotten", async () => {
    await venue.machine("no-04");
    service.answer(410);
    await owed("no-04", "h4");
    await deniz.get("tasks");
    await eventually(async () => expect((await deniz.get("me/push-devices")).body).toMatchObject({ rows: [] }));
    await paid("h4");
  });

  test("rings only while its person is signed in, and is removed by its person alone", async () => {
    const tablet = device("selin-tablet");
    const { body } = await selin.act("addPushDevice", {}, tablet.fields);
    const { id } = (body as { result: { id: string } }).result;
    expect((await okan.act("removePushDevice", { id }, {})).body).toMatchObject({ problem: "thing.unknown" });
    expect((await selin.act("removePushDevice", { id }, {})).body).toMatchObject({ is: "done" });
    const phone = device("deniz-new");
    await deniz.act("addPushDevice", {}, phone.fields);
    await deniz.post("sign-out");
    await venue.machine("no-05");
    await owed("no-05", "h5");
    await okan.get("tasks");
    // The role has no person here: it rings for who may act.
    await eventually(() => expect(service.pushes.map(({ path }) => path)).toContain("/okan-phone"));
    expect(service.pushes.map(({ path }) => path)).not.toContain("/deniz-new");
    await paid("h5");
  });

  test.each([
    ["another host", "https://evil.example/push"],
    ["our own network", "http://10.0.0.5/push"],
    ["the platform itself", "http://127.0.0.1:1/push"],
    ["a name and a password", `http://u:p@${HOST}/push`],
    ["no address of the web", "file:///etc/passwd"],
  ])("names no address but a push service's: %s", async (_what, endpoint) => {
    const { body, status: code } = await okan.act("addPushDevice", {}, { ...device("x").fields, endpoint });
    expect(code).toBeGreaterThanOrEqual(400);
    expect(body).not.toMatchObject({ is: "done" });
  });
});
