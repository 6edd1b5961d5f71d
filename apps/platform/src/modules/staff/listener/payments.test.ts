import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { staffMember } from "../../../testing/staff-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";

/* Payments at the desk and through providers as staff lists and opens them. */

type Json = Record<string, unknown>;
type Member = Awaited<ReturnType<typeof staffMember>>;
let venue: TestVenue;
let selin: Member;
let veli: Member;
beforeAll(async () => {
  venue = await testVenue({
    env: {
      STAFF_PORT: "0",
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      CALLS_PER_MINUTE_ADDRESS: "100000",
      // Nothing listens there, and nothing below is due.
      PROVIDERS: "acme=http://127.0.0.1:1/pay/",
      PROVIDER_SECRETS: "acme=whsec_bG9uZ2FybS1tb2NrLXdhbGxldC1zZWNyZXQ=",
    },
  });
  selin = await staffMember(venue, "selin", ["cashier"]);
  veli = await staffMember(venue, "veli", ["auditor"]);
  await sql`insert into player (id, username, username_key, password) values ('p_deniz', 'deniz', 'deniz', 'none')`.execute(
    db(),
  );
  await pay("pm_desk", "deposit", "desk", ["requested"]);
  await pay("pm_page", "deposit", "acme", ["requested"], { url: "https://pay.example.org/1" });
  await pay("pm_review", "withdrawal", "acme", ["requested", "inReview"], { wants: null });
  await pay("pm_sent", "withdrawal", "acme", ["requested", "approved", "sent"], { wants: "watch", silent: true });
  await pay("pm_gone", "deposit", "former", ["requested"], { wants: "watch" });
  await pay("pm_over", "deposit", "acme", ["requested", "refused"], { wants: null });
  await pay("pm_differs", "deposit", "acme", ["requested", "authorised"], { wants: "capture", trouble: "differs" });
});
afterAll(async () => await venue.close());
const db = () => venue.db.kysely;

type OfProvider = {
  readonly wants?: string | null;
  readonly url?: string;
  readonly silent?: boolean;
  readonly trouble?: string;
};

/** A payment that came through these states; what its provider is to do is due tomorrow. */
async function pay(id: string, kind: string, way: string, states: readonly string[], of: OfProvider = {}) {
  const [first, ...more] = states;
  await sql`insert into payment (id, player_id, request_id, kind, way, amount, state, changed_by)
    values (${id}, 'p_deniz', ${`request-${id}`}, ${kind}, ${way}, 25000, ${first}, 'player:p_deniz')`.execute(db());
  for (const state of more)
    await sql`update payment set state = ${state}, changed_by = ${`provider:${way}`} where id = ${id}`.execute(db());
  if (way === "desk") return;
  const { wants = "watch", url = null, silent = false, trouble = null } = of;
  await sql`insert into provider_payment (payment_id, currency, wants, return_url, url, next_at, silent_at, last_answer, trouble, trouble_at)
    values (${id}, 'TRY', ${wants}, 'https://play.example.org/wallet', ${url}, clock_timestamp() + interval '1 day',
      case when ${silent} then clock_timestamp() end, ${silent ? "no answer in time" : null}, ${trouble}, case when ${trouble}::text is not null then clock_timestamp() end)`.execute(
    db(),
  );
}
const list = async (query = "") => (await veli.client.get(`payments${query}`)).body;
const idsOf = (body: Json) => (body["rows"] as Json[]).map(({ id }) => id);

test("open ones are listed, the oldest first, each with what it waits for, and with every way that is in use", async () => {
  const body = await list();
  const waits = Object.fromEntries((body["rows"] as Json[]).map((row) => [row["id"], row["waits"]]));
  expect(waits).toEqual({
    ...{ pm_desk: "desk", pm_page: "player", pm_review: "review", pm_sent: "silent", pm_gone: "provider" },
    pm_differs: "person",
  });
  expect(idsOf(body)[0]).toBe("pm_desk");
  expect(body["ways"]).toEqual(["desk", "acme", "former"]);
});

test("they are filtered by way and kind, and walked page by page", async () => {
  expect(idsOf(await list("?way=former"))).toEqual(["pm_gone"]);
  expect(idsOf(await list("?kind=withdrawal&way=acme"))).toEqual(["pm_review", "pm_sent"]);
  expect(idsOf(await list("?state=troubled"))).toEqual(["pm_differs"]);
  expect(idsOf(await list("?state=all&way=acme&limit=2"))).toEqual(["pm_differs", "pm_over"]);
  const second = await list("?state=all&way=acme&limit=2&after=pm_over");
  expect(idsOf(second)).toEqual(["pm_sent", "pm_review"]);
});

test("a filter that is none is refused", async () => {
  for (const query of [
    "?way=ACME",
    "?way=",
    "?way=a%27b",
    "?kind=both",
    "?state=captured",
    "?after=%27",
    "?limit=501",
  ]) {
    const { status } = await veli.client.get(`payments${query}`);
    expect({ query, status }).toEqual({ query, status: 400 });
  }
});

test("one is opened with its steps, its provider's calls and the id that both know; an unknown id is none", async () => {
  const { body } = await selin.client.get("payments/pm_sent");
  expect(body).toMatchObject({
    ...{ id: "pm_sent", waits: "silent", approval: null, transfer: null },
    steps: [
      { state: "requested", by: "player:p_deniz", reason: null },
      { state: "approved", by: "provider:acme" },
      { state: "sent", by: "provider:acme" },
    ],
    provider: {
      configured: true,
      wants: "watch",
      tries: 0,
      lastAnswer: "no answer in time",
      looked: null,
    },
  });
  expect((body["provider"] as Json)["silentSince"]).not.toBeNull();
  expect(JSON.stringify(body)).not.toMatch(/pay\.example\.org|return/);
  expect((await selin.client.get("payments/pm_gone")).body["provider"]).toMatchObject({ configured: false });
  expect((await selin.client.get("payments/pm_desk")).body).toMatchObject({ provider: null, waits: "desk" });
  for (const id of ["pm_none", "x".repeat(200), "%27--"])
    expect([400, 404]).toContain((await selin.client.get(`payments/${id}`)).status);
});

test("once one person has approved it, it waits for the second, with the way to that approval", async () => {
  const { body: requested } = await selin.act("approvePayment", { id: "pm_review" }, { reason: "known to us" });
  expect(requested["is"]).toBe("waiting");
  const { body } = await veli.client.get("payments/pm_review");
  expect(body["waits"]).toBe("secondPerson");
  expect(body["approval"]).toBe(requested["approval"]);
});
