import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { systemClock } from "../../../clock.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import { protooPeer } from "../../../testing/protoo-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { quietPlay, testVenue } from "../../../testing/test-venue.ts";
import type { Play } from "../../play/index.ts";
import { SOCKETS_PER_PLAYER_MAX } from "../../players/auth/index.ts";

let venue: TestVenue;
let base: string;
let playerId: string;
let token: string;
let balance = 0;
let balanceReads = 0;
let failures = 0;
let statuses: Awaited<ReturnType<Play["sessions"]["statuses"]>> = [];
/** Told when messages of other nodes may have been missed. */
const gaps = new Set<() => void>();
let openSession: Awaited<ReturnType<Play["sessions"]["openSessionOf"]>> = null;
const ends: (() => void)[] = [];

beforeAll(async () => {
  const bus = inProcessBus({ clock: systemClock, onError: () => {} });
  venue = await testVenue({
    sharedBus: {
      ...bus,
      onGap(handler) {
        gaps.add(handler);
        return () => gaps.delete(handler);
      },
    },
    env: { LOGINS_PER_MINUTE_ADDRESS: "10000" },
    makePlay: quietPlay({
      balanceOf: async () => {
        balanceReads += 1;
        if (failures > 0) {
          failures -= 1;
          throw new Error("the database is away");
        }
        return { balance };
      },
      openSessionOf: async () => openSession,
      statuses: async () => statuses,
    }),
  });
  base = (await venue.platform.listen()).replace("http", "ws");
  playerId = await venue.addPlayer("deniz");
  token = await venue.signIn("deniz");
});
afterAll(() => venue.close());
beforeEach(() => {
  balance = 5_000;
  openSession = null;
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function open(withToken = token, options = {}) {
  const page = openSocket(`${base}/notifications?token=${withToken}`, options);
  ends.push(() => page.socket.terminate());
  return page;
}

async function ready(withToken = token, id = playerId) {
  const page = open(withToken);
  await page.opened;
  page.send({ request: true, id: 1, method: "init", data: { id } });
  await expect.poll(() => told(page, "session").length).toBeGreaterThan(0);
  await expect.poll(() => told(page, "balance").length).toBeGreaterThan(0);
  return page;
}

type Frame = { notification?: true; method?: string; data?: unknown; id?: number; ok?: boolean; errorCode?: number };
const told = ({ frames }: { frames: unknown[] }, method: string) =>
  (frames as Frame[]).filter((frame) => frame.method === method).map(({ data }) => data);

test("one player cannot use up the sockets of an address: so many and no more, until one is closed", async () => {
  const pages = Array.from({ length: SOCKETS_PER_PLAYER_MAX }, () => open());
  await Promise.all(pages.map(({ opened }) => opened));
  // The tokens have been looked at when each socket has answered.
  await Promise.all(
    pages.map(async (page) => {
      page.send({ request: true, id: 1, method: "init", data: { id: playerId } });
      await expect.poll(() => told(page, "balance").length).toBeGreaterThan(0);
    }),
  );
  expect(await open().closed).toMatchObject({ code: 1013, reason: expect.stringMatching(/too many sockets/) });
  await venue.addPlayer("someone.else");
  const other = open(await venue.signIn("someone.else"));
  await other.opened;
  pages[0]?.socket.close();
  await pages[0]?.closed;
  await ready();
});

test("the published protoo client, unchanged, signs in and is told what is true", async () => {
  openSession = { status: true, id: "nar-07", name: "Nar 07", machine_status: "waiting" };
  const peer = protooPeer(`${base}/notifications?token=${token}`);
  ends.push(() => peer.close());
  const heard: { method: string; data: unknown }[] = [];
  peer.on("notification", ({ method, data }) => heard.push({ method, data }));
  await new Promise<void>((resolve) => peer.on("open", resolve));
  expect(await peer.request("init", { id: playerId })).toEqual({});
  await expect
    .poll(() => heard)
    .toEqual([
      { method: "balance", data: { balance: 5_000 } },
      { method: "session", data: openSession },
    ]);
  venue.bus.publish("machine.changed", { machineId: "nar-07", status: 3 });
  await expect.poll(() => heard.at(-1)).toEqual({ method: "machine", data: { id: "nar-07", status: 3 } });
  await expect(peer.request("dance", {})).rejects.toThrow();
});

test("what other nodes told meanwhile is read again after a gap, and only what differs is told", async () => {
  const page = await ready();
  venue.bus.publish("machine.changed", { machineId: "gap-01", status: 1 });
  venue.bus.publish("machine.changed", { machineId: "gap-02", status: 1 });
  await expect.poll(() => told(page, "machine")).toHaveLength(2);
  balance = 7_000;
  statuses = [
    { machineId: "gap-01", status: 3 },
    { machineId: "gap-02", status: 1 },
    { machineId: "gap-03", status: 2, holderId: playerId },
  ];
  for (const handler of gaps) handler();
  await expect.poll(() => told(page, "balance").at(-1)).toEqual({ balance: 7_000 });
  await expect.poll(() => told(page, "machine").slice(2)).toEqual([{ id: "gap-01", status: 3 }]);
});

describe("who may listen", () => {
  test.each(["", "garbage", "a.b.c"])("the token %j is accepted first, then closed for good", async (bad) => {
    const page = open(bad);
    await page.opened;
    expect(await page.closed).toEqual({ code: 4000, reason: "bad token" });
  });

  test("a page of another site is refused before the handshake", async () => {
    expect(await open(token, { origin: "https://evil.example" }).refused).toBe(403);
  });

  test("the platform's own page is let in", async () => {
    await open(token, { origin: base.replace("ws", "http") }).opened;
  });

  test("somebody else's id is refused and nothing is told", async () => {
    const page = open();
    await page.opened;
    page.send({ request: true, id: 7, method: "init", data: { id: "p_somebody" } });
    await expect.poll(() => page.frames).toMatchObject([{ response: true, id: 7, ok: false, errorCode: 60014 }]);
    venue.bus.publish("balance.changed", { playerId });
    venue.bus.publish("machine.changed", { machineId: "nar-07", status: 1 });
    const other = await ready();
    expect(other.frames.length).toBeGreaterThan(0);
    expect(page.frames).toHaveLength(1);
  });
});

describe("hostile frames", () => {
  test.each([
    ["no JSON", "{"],
    ["null", "null"],
    ["no envelope", '{"method":"init"}'],
    ["a request without an id", '{"request":true,"method":"init"}'],
    ["a negative id", '{"request":true,"id":-1,"method":"init"}'],
    ["a prototype key", '{"__proto__":{"request":true,"id":1,"method":"init"}}'],
  ])("%s closes with 1008", async (_name, text) => {
    const page = open();
    await page.opened;
    page.socket.send(text);
    expect((await page.closed).code).toBe(1008);
  });

  test("one over 64 KiB closes with 1009", async () => {
    const page = open();
    await page.opened;
    page.socket.send("x".repeat(65_537));
    expect((await page.closed).code).toBe(1009);
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("the method %s is none", async (method) => {
    const page = open();
    await page.opened;
    page.send({ request: true, id: 3, method, data: { id: playerId } });
    await expect.poll(() => page.frames).toMatchObject([{ id: 3, ok: false, errorCode: 60031 }]);
  });

  test("bad data is refused and the socket goes on", async () => {
    const page = open();
    await page.opened;
    page.send({ request: true, id: 1, method: "init", data: { id: { $ne: 1 } } });
    page.send({ request: true, id: 2, method: "init", data: { id: playerId } });
    await expect.poll(() => page.frames).toMatchObject([{ id: 1, ok: false }, { id: 2, ok: true }, {}, {}]);
  });
});

describe("pushes", () => {
  test("nothing open closes an old dialog", async () => {
    expect(told(await ready(), "session")).toEqual([
      { status: false, id: "none", name: "", machine_status: "unknown" },
    ]);
  });

  test("the holder of the seat is told neither status 2 nor 0, which would end the game; others are", async () => {
    const holder = await ready();
    const otherId = await venue.addPlayer("ekin");
    const other = await ready(await venue.signIn("ekin"), otherId);
    for (const status of [2, 0]) {
      venue.bus.publish("machine.changed", { machineId: "nar-07", status, holderId: playerId });
      await expect.poll(() => told(other, "machine").at(-1)).toEqual({ id: "nar-07", status });
    }
    venue.bus.publish("machine.changed", { machineId: "nar-07", status: 3, holderId: playerId });
    await expect.poll(() => told(holder, "machine")).toEqual([{ id: "nar-07", status: 3 }]);
  });

  test("many changes at once are told once, the last of them for certain", async () => {
    const page = await ready();
    const before = balanceReads;
    for (let count = 1; count <= 200; count += 1) {
      balance = count;
      venue.bus.publish("balance.changed", { playerId });
      venue.bus.publish("machine.changed", { machineId: "pera-01", status: count % 2 });
    }
    await expect.poll(() => told(page, "balance").at(-1)).toEqual({ balance: 200 });
    await expect.poll(() => told(page, "machine")).toEqual([{ id: "pera-01", status: 0 }]);
    expect(balanceReads - before).toBeLessThan(10);
  });

  test("a wallet that cannot be read now is told a little later", async () => {
    const page = await ready();
    failures = 1;
    balance = 77;
    venue.bus.publish("balance.changed", { playerId });
    await expect.poll(() => told(page, "balance").at(-1)).toEqual({ balance: 77 });
    expect(failures).toBe(0);
  });
});

describe("the end of a sign-in", () => {
  test("logging out closes that token's sockets, and no other's", async () => {
    const other = await ready();
    const leaving = await venue.signIn("deniz");
    const page = await ready(leaving);
    await venue.app.inject({
      method: "POST",
      url: "/v1/player/logout",
      headers: { authorization: `Bearer ${leaving}` },
    });
    expect(await page.closed).toEqual({ code: 4000, reason: "logged out" });
    expect(other.socket.readyState).toBe(other.socket.OPEN);
  });

  test("a word from another node closes all sockets of a player", async () => {
    const id = await venue.addPlayer("firat");
    const page = await ready(await venue.signIn("firat"), id);
    venue.bus.publish("auth.ended", { playerId: id, reason: "banned" });
    expect(await page.closed).toEqual({ code: 4000, reason: "banned" });
  });

  test("a ban that came while the player was away is told at the door", async () => {
    const id = await venue.addPlayer("gamze");
    const banned = await venue.signIn("gamze");
    await sql`update player set banned_at = now() where id = ${id}`.execute(venue.db.kysely);
    expect(await open(banned).closed).toEqual({ code: 4000, reason: "banned" });
  });
});
