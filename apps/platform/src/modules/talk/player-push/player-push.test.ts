import type { Call } from "@longarm/contract/call";
import { breakCalls } from "@longarm/contract/player-breaks";
import { pushCalls } from "@longarm/contract/player-push";
import { queueCalls } from "@longarm/contract/player-queue";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import type { PushService } from "../../../testing/push-service.ts";
import { openPushService } from "../../../testing/push-service.ts";
import { forgetDevices, ringPlayer } from "../outbox/index.ts";
import { mayRing } from "./index.ts";

/* Pushes to devices of players, at a push service that is hostile where the test says so. */

// A port that is known before the platform reads its settings.
const PORT = 20_000 + ((process.pid + 7_919) % 20_000);
const HOST = `127.0.0.1:${PORT}`;
const venue = sharePlayVenue({
  env: { LOGINS_PER_MINUTE_ADDRESS: "10000", PUSH_HOSTS: HOST, PUSH_CONTACT: "mailto:it@example.org" },
});
let service: PushService;
beforeAll(async () => {
  service = await openPushService(PORT);
});
afterAll(async () => await service.close());
beforeEach(() => {
  service.pushes.length = 0;
  service.answer(201);
});

type Who = { readonly id: string; readonly token: string };
const calls = { ...pushCalls, ...queueCalls, ...breakCalls };

async function call(who: Who, name: keyof typeof calls, body?: unknown) {
  const { method, path }: Call = calls[name];
  const response = await fetch(`${venue.url.replace("ws", "http")}/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${who.token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function rung(who: Who, name: string) {
  const device = service.device(name);
  const added = await call(who, "addPush", { ...device.target, language: "tr" });
  expect(added).toMatchObject({ status: 200, body: { on: true } });
  return device;
}
const ring = (who: Who, data: { readonly until?: string } = {}) =>
  ringPlayer(venue.database.kysely, systemRandom, {
    ...{ playerId: who.id, type: "question.answered", subject: `dispute:${who.id}`, data },
  });
/** What became of the pushes to a player, the newest first. */
async function ends(who: Who): Promise<{ state: string; answer: string | null; attempts: number }[]> {
  const { rows } = await sql<{ state: string; answer: string | null; attempts: number }>`
    select d.state, d.last_answer as answer, d.attempts from outbox_delivery d join outbox_fact f on f.seq = d.fact_seq
    where d.channel = 'push' and f.data ->> 'player' = ${who.id} order by d.id desc`.execute(venue.db);
  return rows;
}

describe("a turn", () => {
  test("rings the device while the call lasts, urgently, encrypted, with no name and no amount", async () => {
    await venue.machine("pp-01");
    const ann = await venue.player("pp.ann", 123_456);
    const phone = await rung(ann, "ann-phone");
    expect((await call(ann, "push")).body).toEqual({
      on: true,
      publicKey: expect.stringMatching(/^[A-Za-z0-9_-]{87}$/),
    });
    await call(ann, "joinQueue", { machine: "pp-01" });
    await eventually(() => expect(service.to("ann-phone")).toHaveLength(1));
    const [push] = service.to("ann-phone");
    expect(push?.headers).toMatchObject({
      urgency: "high",
      topic: expect.stringMatching(/^place-qp_/),
      authorization: expect.stringMatching(/^vapid t=.+, k=.+/),
      "content-encoding": "aes128gcm",
    });
    expect(Number(push?.headers["ttl"])).toBeGreaterThan(0);
    expect(Number(push?.headers["ttl"])).toBeLessThanOrEqual(30);
    const shown = phone.read(push?.body ?? Buffer.alloc(0));
    expect(shown).toEqual({
      ...{ type: "queue.called", subject: expect.stringMatching(/^place:qp_/), machine: expect.any(String) },
      ...{ seconds: 30, language: "tr" },
    });
    expect(JSON.stringify(shown)).not.toMatch(/ann|123456|123\.456/);
  });

  test("is tried again while it lasts, and not after the player sat down", async () => {
    await venue.machine("pp-02");
    const bo = await venue.player("pp.bo", 10_000);
    await rung(bo, "bo-phone");
    service.answer("later");
    await call(bo, "joinQueue", { machine: "pp-02" });
    await eventually(() => expect(service.to("bo-phone")).toHaveLength(1));
    service.answer(201);
    await eventually(() => expect(service.to("bo-phone")).toHaveLength(2));
    await eventually(async () => expect(await ends(bo)).toMatchObject([{ state: "done", attempts: 2 }]));

    await venue.machine("pp-03");
    service.answer(503);
    await call(bo, "joinQueue", { machine: "pp-03" });
    await eventually(() => expect(service.to("bo-phone")).toHaveLength(3));
    expect((await (await venue.page(bo.token, "pp-03")).init()).is).toBe("done");
    expect((await ends(bo))[0]).toMatchObject({ state: "dropped" });
  });

  test("that is over rings no device", async () => {
    const cem = await venue.player("pp.cem");
    await rung(cem, "cem-phone");
    await ring(cem, { until: new Date(Date.now() - 60_000).toISOString() });
    await eventually(async () =>
      expect(await ends(cem)).toMatchObject([{ state: "dropped", answer: "its time is over" }]),
    );
    expect(service.to("cem-phone")).toEqual([]);
    expect((await call(cem, "push")).body).toMatchObject({ on: true });
  });
});

describe("a device", () => {
  test.each([404, 410] as const)("that its push service no longer knows (%i) is forgotten", async (status) => {
    const who = await venue.player(`pp.gone${status}`);
    await rung(who, `gone-${status}`);
    service.answer(status);
    await ring(who);
    await eventually(async () => expect((await call(who, "push")).body).toMatchObject({ on: false }));
    await eventually(async () => expect(await ends(who)).toMatchObject([{ state: "dropped", answer: String(status) }]));
  });

  test.each(["redirect", "endless", "cut"] as const)(
    "with a push service that answers %s harms no other",
    async (how) => {
      const who = await venue.player(`pp.${how}`);
      await rung(who, `phone-${how}`);
      service.answer(how);
      await ring(who);
      await eventually(async () => expect((await ends(who))[0]?.attempts).toBe(1));
      await eventually(() => expect(service.to(`phone-${how}`)).toHaveLength(1));
      const other = await venue.player(`pp.not-${how}`);
      await rung(other, `other-${how}`);
      service.answer(201);
      await ring(other);
      await eventually(async () => expect(await ends(other)).toMatchObject([{ state: "done" }]));
      expect(service.to("elsewhere")).toEqual([]);
    },
  );

  test("ends with its sign-in, and another sign-in of the player has its own", async () => {
    const one = await venue.player("pp.two-devices");
    const other = { id: one.id, token: await venue.signIn("pp.two-devices") };
    await rung(one, "first");
    expect((await call(other, "push")).body).toMatchObject({ on: false });
    await rung(other, "second");
    await venue.platform.auth.end({ playerId: one.id, exceptJti: jtiOf(other) }, "logged out");
    await ring(one);
    await eventually(() => expect(service.to("second")).toHaveLength(1));
    await eventually(async () =>
      expect((await ends(one)).map(({ state }) => state).toSorted()).toEqual(["done", "dropped"]),
    );
    expect(service.to("first")).toEqual([]);
    await call(other, "endPush");
    expect((await call(other, "push")).body).toMatchObject({ on: false });
  });

  test("of a player on a break is never rung, and is forgotten", async () => {
    const eda = await venue.player("pp.eda");
    await rung(eda, "eda-phone");
    expect((await call(eda, "beginBreak", { kind: "timeOut", hours: 24 })).status).toBe(200);
    await ring(eda);
    await eventually(async () =>
      expect(await ends(eda)).toMatchObject([{ state: "dropped", answer: "its player is away" }]),
    );
    expect(service.to("eda-phone")).toEqual([]);
    expect((await call(eda, "push")).body).toMatchObject({ on: false });
  });

  test("of a player who is banned is forgotten at the next look", async () => {
    const fay = await venue.player("pp.fay");
    await rung(fay, "fay-phone");
    await venue.platform.auth.ban(fay.id);
    expect(await forgetDevices(venue.database.kysely, mayRing)).toBeGreaterThan(0);
    await ring(fay);
    expect(await ends(fay)).toEqual([]);
  });

  test("is one of ten at most: the oldest makes room", async () => {
    const who = await venue.player("pp.many");
    for (let at = 0; at < 12; at += 1) {
      const signedIn = { id: who.id, token: await venue.signIn("pp.many") };
      await rung(signedIn, `many-${at}`);
    }
    await ring(who);
    await eventually(() => expect(service.pushes).toHaveLength(10));
    expect(service.pushes.map(({ path }) => path)).not.toContain("/many-1");
  });

  test.each([
    ["another host", "https://evil.example/push"],
    ["our own network", "http://10.0.0.5/push"],
    ["the platform itself", "http://127.0.0.1:1/push"],
    ["a name and a password", `http://u:p@${HOST}/push`],
    ["no address of the web", "file:///etc/passwd"],
    ["an address without an end", `http://${HOST}/${"x".repeat(2_000)}`],
  ])("names no address but a push service's: %s", async (_what, endpoint) => {
    const who = await venue.player(`pp.${systemRandom.bytes(4).toString("hex")}`);
    const { target } = service.device("x");
    expect((await call(who, "addPush", { ...target, endpoint, language: "en" })).status).toBe(400);
    expect((await call(who, "push")).body).toMatchObject({ on: false });
  });
});

/** The id of the sign-in that a token is of. */
const jtiOf = ({ token }: Who): string =>
  (JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { jti: string }).jti;
