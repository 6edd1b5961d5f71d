import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { signatureOf } from "@longarm/link/standard-webhooks";
import { sql } from "kysely";
import pino from "pino";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../clock.ts";
import { platformMigrations } from "../../../migration-sets.ts";
import { systemRandom } from "../../../random.ts";
import { eventually } from "../../../testing/play-venue.ts";
import { dropDelivery, findDelivery, listDeliveries, resend, resendDead } from "./list.ts";
import { configureWebhook, webhookSender } from "./webhook.ts";
import type { Send } from "./worker.ts";
import { createOutbox, waitAfter } from "./worker.ts";
import { writeFact } from "./write-fact.ts";

/* Facts on their way to a receiver that fails in every way that receivers do. */

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const OLD_SECRET = `whsec_${randomBytes(24).toString("base64")}`;

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };
type Fault = "ok" | "500" | "429" | "302" | "410" | "silent" | "cut" | "endless";
let fault: Fault = "ok";
const received: Received[] = [];
const elsewhere: string[] = [];
const server = createServer((request, reply) => {
  if (request.url !== "/hook") elsewhere.push(request.url ?? "");
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => {
    received.push({ headers: request.headers, body });
    if (fault === "silent") return;
    if (fault === "cut") return void request.socket.destroy();
    if (fault === "302") return void reply.writeHead(302, { location: "/elsewhere" }).end();
    if (fault === "429") return void reply.writeHead(429, { "retry-after": "60" }).end();
    if (fault === "endless") {
      // Headers that say yes, and a body that never ends.
      reply.writeHead(200).write("x");
      return;
    }
    reply.writeHead(fault === "ok" ? 204 : Number(fault)).end();
  });
});

let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
const lines: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
const href = (path = "/hook") => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const db = () => database.kysely;

beforeAll(async () => {
  database = await testDatabase<unknown>({ migrations: platformMigrations });
  await new Promise<void>((open) => server.listen(0, "127.0.0.1", open));
  await configureWebhook(db(), { games: false });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});
beforeEach(async () => {
  fault = "ok";
  received.length = 0;
  await sql`delete from outbox_fact`.execute(db());
});

const sender = (url = href()) => webhookSender({ url, secrets: [SECRET, OLD_SECRET] }, systemClock, "1.0");
const newOutbox = (webhook: Send = sender()) =>
  createOutbox({ db: db(), clock: systemClock, random: systemRandom, log: log as never, senders: { webhook } });
const fact = (number = 1) =>
  writeFact(db(), systemRandom, { type: "task.opened", subject: `task:${number}`, data: { task: number } });
const all = () => listDeliveries(db(), { state: "all", after: null, limit: 100 });
/** What waits for its time is due now. */
const due = () => sql`update outbox_delivery set due_at = clock_timestamp() where state = 'waiting'`.execute(db());

/** Runs an outbox until the check holds, as a process would, and ends it. */
async function running(check: () => void | Promise<void>, webhook?: Send): Promise<void> {
  const outbox = newOutbox(webhook);
  outbox.start();
  try {
    await eventually(check);
  } finally {
    await outbox.close();
  }
}

describe("a fact", () => {
  test("reaches the receiver once, signed so that the library of the standard accepts it with either secret", async () => {
    await fact();
    await running(async () => expect(await all()).toMatchObject([{ state: "done", attempts: 1, lastAnswer: "204" }]));
    expect(received).toHaveLength(1);
    const [{ headers, body }] = received as [Received];
    const given = headers as Record<string, string>;
    for (const secret of [SECRET, OLD_SECRET])
      expect(new Webhook(secret).verify(body, given)).toMatchObject({
        type: "task.opened",
        subject: "task:1",
        data: { task: 1 },
      });
    expect(() => new Webhook(SECRET).verify(`${body} `, given)).toThrow();
    expect(() => new Webhook(`whsec_${randomBytes(24).toString("base64")}`).verify(body, given)).toThrow();
    expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "Longarm/1.0" });
  });

  test("has the signature of the standard's own example", () => {
    const body = '{"test": 2432232314}';
    const signature = signatureOf(
      ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1_614_265_330,
      body,
    );
    expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("that is written in a transaction which is taken back goes nowhere", async () => {
    await db()
      .transaction()
      .execute(async (trx) => {
        await writeFact(trx, systemRandom, { type: "task.opened", subject: "task:9", data: {} });
        throw new Error("taken back");
      })
      .catch(() => undefined);
    expect(await all()).toEqual([]);
  });

  test("is sent by one of two nodes, and by the other one when the first dies in the middle", async () => {
    fault = "silent";
    for (const number of [1, 2, 3]) await fact(number);
    const dying = newOutbox();
    dying.start();
    await eventually(() => expect(received).toHaveLength(3));
    // Killed: nothing is noted, and its lease ends.
    fault = "ok";
    const ids = received.map(({ headers }) => headers["webhook-id"]);
    await due();
    await Promise.all([
      running(async () => expect((await all()).every(({ state }) => state === "done")).toBe(true)),
      running(() => undefined),
    ]);
    expect(received).toHaveLength(6);
    // The receiver knows the repeats by their ids.
    expect(new Set(received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(ids));
    await dying.close();
    expect((await all()).every(({ state }) => state === "done")).toBe(true);
  });
});

describe("a receiver", () => {
  test.each([
    ["500", "500"],
    ["429", "429"],
    ["302", "302: a redirect is not followed"],
    ["cut", "UND_ERR_SOCKET"],
  ] as const)(
    "that answers %s is tried again with the same id, over a restart, and served when it is well",
    async (what, answer) => {
      fault = what;
      await fact();
      await running(async () =>
        expect(await all()).toMatchObject([{ state: "waiting", attempts: 1, lastAnswer: answer }]),
      );
      const dueAt = (await all())[0]?.dueAt;
      const { rows } = await sql<{
        s: number;
      }>`select extract(epoch from ${dueAt}::timestamptz - clock_timestamp())::float8 as s`.execute(db());
      expect(rows[0]?.s).toBeGreaterThan(what === "429" ? 50 : 3);
      fault = "ok";
      await due();
      await running(async () => expect(await all()).toMatchObject([{ state: "done", attempts: 2 }]));
      expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
      expect(elsewhere).toEqual([]);
    },
  );

  test("whose answer has no end is served all the same: its body is not read", async () => {
    fault = "endless";
    await fact();
    await running(async () => expect(await all()).toMatchObject([{ state: "done" }]));
  });

  test("that is gone, or fails to the end, leaves a dead delivery that a person sends again or drops", async () => {
    fault = "410";
    await fact();
    await running(async () => expect(await all()).toMatchObject([{ state: "dead", lastAnswer: "410" }]));
    expect(lines.some((line) => line.includes('"alarm":"delivery"'))).toBe(true);
    const id = (await all())[0]?.id;
    fault = "ok";
    expect(await resend(db(), Number(id))).toBe(true);
    expect(await resend(db(), Number(id))).toBe(false);
    await running(async () => expect(await all()).toMatchObject([{ state: "done" }]));
    fault = "500";
    await fact(2);
    await sql`update outbox_delivery set attempts = 9 where state = 'waiting'`.execute(db());
    await running(async () =>
      expect((await all())[0]).toMatchObject({ state: "dead", attempts: 10, lastAnswer: "500" }),
    );
    expect(await dropDelivery(db(), Number((await all())[0]?.id))).toBe(true);
    expect((await all())[0]).toMatchObject({ state: "dropped" });
  });

  test("that fails leaves each try with its answer; what it takes leaves none, and all dead ones go again in parts", async () => {
    fault = "410";
    for (const number of [1, 2, 3]) await fact(number);
    await running(async () => expect((await all()).every(({ state }) => state === "dead")).toBe(true));
    const ids = (await all()).map(({ id }) => Number(id)).toReversed();
    expect(await findDelivery(db(), ids[0] ?? 0)).toMatchObject({ failures: [{ answer: "410" }], overtakenBy: 0 });
    fault = "ok";
    expect(await resendDead(db(), 2)).toEqual({ sent: 2, left: 1 });
    expect((await all()).map(({ state }) => state)).toEqual(["dead", "waiting", "waiting"]);
    await running(async () => expect((await all()).map(({ state }) => state)).toEqual(["dead", "done", "done"]));
    const tries = (await findDelivery(db(), ids[0] ?? 0))?.failures;
    expect(tries).toMatchObject([{ answer: "410" }, { answer: null }]);
  });

  test("that no name leads to, or whose endpoint is configured no more, costs nothing but its own facts", async () => {
    await fact();
    await running(
      async () => expect(await all()).toMatchObject([{ state: "waiting", attempts: 1 }]),
      sender("http://127.0.0.1:1/hook"),
    );
    await configureWebhook(db(), null);
    await fact(2);
    expect(await all()).toHaveLength(1);
    await configureWebhook(db(), { games: false });
  });
});

test("an answer that the database would refuse is kept without what it refuses", async () => {
  await fact();
  const hostile = `\u0000\ud800${'"'.repeat(5_000)}`;
  await running(
    async () => expect(await all()).toMatchObject([{ state: "dead", lastAnswer: `\uFFFD\uFFFD${'"'.repeat(198)}` }]),
    async () => ({ is: "dead", answer: hostile }),
  );
});

test("a platform of before keeps its deliveries, and the newest forty tries of each from now on", async () => {
  const older = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "outbox");
  if (!own) throw new Error("the outbox has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: older.pool, sets, log: silentLog });
  expect(await rehearseMigrations(older.pool, own)).toContain("0004-tries");
  await older.drop();
});

test("the waits grow, are spread, and end", () => {
  expect(waitAfter(1, 0.5)).toBe(5_000);
  expect(waitAfter(1, 0)).toBe(4_500);
  expect(waitAfter(9, 1)).toBe(95_040_000);
  expect(waitAfter(10, 0.5)).toBeNull();
});
