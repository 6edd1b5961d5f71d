import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import { sendTo, writeFact } from "../../talk/outbox/index.ts";

/* Reports and e-mail that were given up, as staff reads them, sends them again and drops them. */

type Json = Record<string, unknown>;
type Member = Awaited<ReturnType<typeof staffMember>>;
let venue: TestVenue;
let mira: Member;
let okan: Member;
beforeAll(async () => {
  venue = await testVenue({
    env: {
      STAFF_PORT: "0",
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      CALLS_PER_MINUTE_ADDRESS: "100000",
      // Nothing listens there: what waits stays on its way.
      WEBHOOK_URL: "http://127.0.0.1:1/hook/reports?token=hidden#part",
      SMTP_URL: "smtp://longarm:hunter2@127.0.0.1:1",
      MAIL_FROM: "casino@example.org",
      WEBHOOK_SECRETS: "whsec_bG9uZ2FybS1tb2NrLXdhbGxldC1zZWNyZXQ=",
    },
  });
  mira = await staffMember(venue, "mira", ["administrator"]);
  okan = await staffMember(venue, "okan", ["supervisor"]);
});
afterAll(async () => await venue.close());
const db = () => venue.db.kysely;
beforeEach(async () => void (await sql`delete from outbox_fact`.execute(db())));

/** A report that was given up after these answers. */
async function dead(number: number, answers: readonly string[] = ["503"]): Promise<string> {
  const seq = await writeFact(db(), systemRandom, { type: "task.opened", subject: "task:1", data: { task: number } });
  for (const answer of answers)
    await sql`update outbox_delivery set failures = outbox_failed(failures, ${answer}) where fact_seq = ${seq}`.execute(
      db(),
    );
  const { rows } = await sql<{ id: string }>`update outbox_delivery set state = 'dead', ended_at = clock_timestamp(),
    tried_at = clock_timestamp(), attempts = 10, lease = null, last_answer = ${answers.at(-1) ?? null}
    where fact_seq = ${seq} returning id::text as id`.execute(db());
  return rows[0]?.id ?? "";
}
const stateOf = async (id: string) =>
  (await sql<{ state: string }>`select state from outbox_delivery where id = ${id}`.execute(db())).rows[0]?.state;
let acts = 0;
function act(more: object = {}): object {
  acts += 1;
  return { id: `act-number-${acts}`, ...more };
}

test("one that was given up is read with its receiver, its report and each answer, without what signs in at the receiver", async () => {
  const id = await dead(1, ["ECONNREFUSED", "503"]);
  const newer = await dead(2);
  await sql`update outbox_delivery set state = 'done' where id = ${newer}`.execute(db());
  const { status, body } = await okan.client.get(`deliveries/${id}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id,
    ...{ channel: "webhook", type: "task.opened", subject: "task:1", state: "dead", attempts: 10 },
    endpoint: "http://127.0.0.1:1/hook/reports",
    data: '{\n  "task": 1\n}',
    failures: [{ answer: "ECONNREFUSED" }, { answer: "503" }],
    overtakenBy: 1,
    dueAt: null,
  });
  expect(body["endedAt"]).not.toBeNull();
  expect(JSON.stringify(body)).not.toMatch(/hidden|whsec/);
  const { body: list } = await okan.client.get("deliveries?state=dead");
  expect(list).toMatchObject({ dead: 1, rows: [{ id, channel: "webhook" }] });
  expect(typeof list["deadSince"]).toBe("string");
});

test("of an e-mail staff reads neither content nor address", async () => {
  const seq = await writeFact(db(), systemRandom, {
    ...{ type: "mail.newPassword", subject: "mail:ml_1", data: { secret: "no" }, isReport: false },
  });
  await sendTo(db(), seq, "mail", ["ml_1"]);
  const { rows } = await sql<{ id: string }>`update outbox_delivery set state = 'dead', ended_at = clock_timestamp()
    where fact_seq = ${seq} returning id::text as id`.execute(db());
  const { body } = await okan.client.get(`deliveries/${rows[0]?.id}`);
  expect(body).toMatchObject({ channel: "mail", endpoint: "smtp://127.0.0.1:1", data: null });
  expect(JSON.stringify(body)).not.toMatch(/hunter2|secret/);
});

test("an id that is none, or a push to a device, is unknown", async () => {
  const seq = await writeFact(db(), systemRandom, { type: "task.opened", subject: "task:2", data: {} });
  await sendTo(db(), seq, "push", ["device"]);
  const { rows } = await sql<{
    id: string;
  }>`select id::text as id from outbox_delivery where channel = 'push'`.execute(db());
  for (const id of [rows[0]?.id, "0", "999999999999999", "9".repeat(40), "x'--", "1e3", "-1"]) {
    const { status, body } = await okan.client.get(`deliveries/${encodeURIComponent(String(id))}`);
    expect({ id, status, problem: body["problem"] }).toEqual({ id, status: 404, problem: "thing.unknown" });
  }
});

test("all that were given up are sent again by one act, once, in their order; a supervisor may read and not send", async () => {
  const ids = [await dead(1), await dead(2), await dead(3)];
  expect((await okan.client.post("deliveries/resend", act())).body["problem"]).toBe("permission.missing");
  const tried = await mira.client.post("deliveries/resend", act({ dryRun: true }));
  expect(tried.body).toMatchObject({ is: "dryRun", result: { sent: 3, left: 0 } });
  expect(await Promise.all(ids.map(stateOf))).toEqual(["dead", "dead", "dead"]);
  const one = act();
  expect((await mira.client.post("deliveries/resend", one)).body).toMatchObject({
    ...{ is: "done", result: { sent: 3, left: 0 }, repeated: false },
  });
  expect((await mira.client.post("deliveries/resend", one)).body).toMatchObject({ repeated: true });
  expect(await Promise.all(ids.map(stateOf))).toEqual(["waiting", "waiting", "waiting"]);
  const { body } = await okan.client.get(`deliveries/${ids[0]}`);
  expect((body["failures"] as Json[])[1]).toMatchObject({ answer: null });
});

test("sending again and dropping are in the audit log with the person, the delivery and the reason", async () => {
  const [again, dropped] = [await dead(1), await dead(2)];
  expect((await mira.client.post(`deliveries/${again}/resend`, act())).status).toBe(200);
  expect((await mira.client.post(`deliveries/${dropped}/drop`, act({ reason: "no use" }))).status).toBe(200);
  expect((await mira.client.post(`deliveries/${dropped}/resend`, act())).body["problem"]).toBe("thing.unknown");
  const { rows } = await sql<{
    actor: string;
    text: string;
  }>`select actor, to_jsonb(e)::text as text from audit.entries e
    where to_jsonb(e)::text ~ 'resendDelivery|dropDelivery' order by id desc limit 2`.execute(db());
  const [drop, send] = rows;
  expect(rows.map(({ actor }) => actor)).toEqual(["staff:mira", "staff:mira"]);
  expect(send?.text).toContain(`"${again}"`);
  expect(drop?.text).toContain(`"${dropped}"`);
  expect(drop?.text).toContain("no use");
});
