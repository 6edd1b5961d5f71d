import { CLOSE } from "@longarm/contract/envelope";
import { STAFF_SOCKET_PATH, staffSocket } from "@longarm/contract/staff";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { OpenOptions } from "../../../testing/open-socket.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember, staffOrigin } from "../../../testing/staff-client.ts";
import type { StaffTables } from "../accounts/index.ts";
import { CONSOLES_PER_PERSON_MAX } from "./socket.ts";

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Notice = { readonly method: string; readonly data: Record<string, unknown> };
const member = (name: string, role: Parameters<typeof staffMember>[2][number]) =>
  staffMember({ platform: venue.platform, db: venue.database }, name, [role]);

let okan: Member;
let deniz: Member;
let selin: Member;
async function prepare(): Promise<void> {
  okan = await member("okan", "supervisor");
  deniz = await member("deniz", "attendant");
  selin = await member("selin", "cashier");
}

const origin = () => staffOrigin(venue);
const address = (path: string = STAFF_SOCKET_PATH) => origin().replace("http://localhost", "ws://127.0.0.1") + path;

function dial(cookie: string, more: OpenOptions = {}, path?: string) {
  const given = { origin: origin(), headers: { cookie, host: new URL(origin()).host } };
  return openSocket(address(path), { ...given, ...more });
}

/** A console that is open, and what it was sent. */
function console(by: Member) {
  const socket = dial(by.cookie);
  const notices = () => (socket.frames as Notice[]).filter(({ method }) => method !== "beat");
  return {
    ...socket,
    notices,
    of: (method: string) => notices().filter((one) => one.method === method),
    rows: (method: string) =>
      notices()
        .filter((one) => one.method === method)
        .flatMap(({ data }) => (data["rows"] ?? []) as Record<string, unknown>[]),
  };
}

describe("a console", () => {
  test("receives everything at first, then each change on every open console, by what its person may see", async () => {
    const { machine, agent } = await venue.machine("ws-01");
    const consoles = { okan: console(okan), deniz: console(deniz), selin: console(selin) };
    for (const one of Object.values(consoles))
      await eventually(() => expect(one.rows("floor")).toMatchObject([{ id: "ws-01", lamp: "available" }]));
    const player = await venue.player("pays.seen", 5_000);
    const page = await venue.page(player.token, "ws-01");
    await page.init();
    machine.handPay = { id: "hp-ws", amount: 3_000, kind: "win" };
    machine.lockup = "handPay";
    machine.happen("handPayPending", { handPay: machine.handPay });
    await agent.pump();
    for (const name of ["okan", "deniz"] as const) {
      await eventually(() => expect(consoles[name].rows("tasks")).toMatchObject([{ kind: "handPay", amount: 3_000 }]));
      await eventually(() =>
        expect(consoles[name].rows("floor").at(-1)).toMatchObject({ player: { username: "pays.seen" } }),
      );
    }
    await eventually(() =>
      expect(consoles.okan.of("changed").flatMap(({ data }) => data["parts"])).toContain("handPays"),
    );
    await deniz.act("payHandPay", { id: "ws-01" }, { handPay: "hp-ws", machineAmount: 3_000 });
    await eventually(() =>
      expect(consoles.okan.of("tasks").flatMap(({ data }) => data["over"])).toContain("handPay:ws-01:hp-ws"),
    );
    // A cashier sees the machine, and neither the hand pay nor that there is one.
    await eventually(() => expect(consoles.selin.rows("floor").length).toBeGreaterThan(1));
    expect(consoles.selin.rows("tasks")).toEqual([]);
    expect(consoles.selin.rows("floor").flatMap(({ needs }) => needs)).toEqual([]);
    expect(consoles.selin.of("changed").flatMap(({ data }) => data["parts"])).not.toContain("handPays");
    // Every push is what the contract says.
    const { notifications } = staffSocket.server;
    for (const { method, data } of consoles.okan.notices())
      expect(z.safeParse(notifications[method as keyof typeof notifications], data).success).toBe(true);
    await page.peer.request("leave", {});
    for (const one of Object.values(consoles)) one.socket.close();
  });

  test("receives what an act of the command line's database changed, and the events of the machine that it follows", async () => {
    const { machine, agent } = await venue.machine("ws-02");
    const one = console(okan);
    await eventually(() => expect(one.rows("floor").map(({ id }) => id)).toContain("ws-02"));
    one.send({ notification: true, method: "follow", data: { machine: "ws-02" } });
    // Written past the platform: the bus carries nothing of it.
    await venue.database.kysely
      .withTables<StaffTables>()
      .insertInto("staff_has_role")
      .values({ staff_id: okan.id, role: "technician" })
      .execute();
    await eventually(() => expect(one.of("changed").flatMap(({ data }) => data["parts"])).toContain("me"));
    machine.happen("doorOpened");
    await agent.pump();
    await eventually(() => expect(one.rows("events")).toMatchObject([{ kind: "doorOpened", source: "machine" }]));
    one.socket.close();
  });

  test("is cleared when its sign-in locks, receives all again when it is unlocked, and is closed when it ends", async () => {
    const gul = await member("gul", "attendant");
    const one = console(gul);
    await eventually(() => expect(one.of("floor")).not.toEqual([]));
    await gul.post("lock");
    await eventually(() => expect(one.of("locked")).toHaveLength(1));
    const before = one.of("floor").length;
    const begun = await gul.post("unlock/passkey/begin");
    const { challenge } = begun.body["options"] as { challenge: string };
    const response = gul.passkey.sign({ origin: origin(), challenge });
    await gul.post("unlock/passkey/finish", { ceremony: begun.body["ceremony"], response });
    await eventually(() => expect(one.of("floor").length).toBeGreaterThan(before));
    await gul.post("sign-out");
    expect(await one.closed).toMatchObject({ code: CLOSE.final });
    expect(one.of("ended")).toMatchObject([{ data: { reason: "signedOut" } }]);
  });

  test("loses what its person may not see any more, at once", async () => {
    const hakan = await member("hakan", "attendant");
    const one = console(hakan);
    await eventually(() => expect(one.of("floor")).not.toEqual([]));
    await venue.database.kysely
      .withTables<StaffTables>()
      .deleteFrom("staff_has_role")
      .where("staff_id", "=", hakan.id)
      .execute();
    await eventually(() => expect(one.of("floor").flatMap(({ data }) => data["gone"])).toContain("ws-01"));
    one.socket.close();
  });
});

describe("a stranger", () => {
  test("opens no console: without a cookie, with a wrong or doubled one, from another site, or at another path", async () => {
    expect(await dial("").refused).toBe(401);
    expect(await dial("longarm-staff=wrong").refused).toBe(401);
    expect(await dial(`${okan.cookie}; ${deniz.cookie}`).refused).toBe(401);
    expect(await dial(okan.cookie, { origin: "http://evil.example" }).refused).toBe(403);
    expect(await dial(okan.cookie, { origin: venue.url.replace("ws", "http") }).refused).toBe(403);
    expect(await dial(okan.cookie, { protocol: "other" }).refused).toBe(400);
    for (const path of ["/notifications", "/game", "/agent", "/staff/v1/", `${STAFF_SOCKET_PATH}/x`])
      expect(await dial(okan.cookie, {}, path).refused).toBe(404);
  });

  test("reaches no console through the players' listener", async () => {
    const headers = { cookie: okan.cookie };
    expect(await openSocket(venue.url + STAFF_SOCKET_PATH, { headers }).refused).toBe(404);
  });

  test("who is signed in is cut off after too many messages, a frame that is too large or none of ours, and too many consoles", async () => {
    const cem = await member("cem", "attendant");
    const flood = console(cem);
    await flood.opened;
    for (let sent = 0; sent < 30; sent += 1)
      flood.send({ notification: true, method: "follow", data: { machine: "x" } });
    expect(await flood.closed).toMatchObject({ code: CLOSE.malformed });
    const large = console(cem);
    await large.opened;
    large.socket.send("x".repeat(staffSocket.frameBytesMax + 1));
    expect(await large.closed).toMatchObject({ code: 1009 });
    const odd = console(cem);
    await odd.opened;
    for (const frame of [
      { notification: true, method: "follow", data: { machine: { $gt: "" } } },
      { request: true, id: 1, method: "constructor", data: {} },
    ])
      odd.send(frame);
    await eventually(() => expect(odd.of("floor")).not.toEqual([]));
    odd.socket.close();
    await odd.closed;
    const many = Array.from({ length: CONSOLES_PER_PERSON_MAX }, () => console(cem));
    for (const one of many) await one.opened;
    expect(await dial(cem.cookie).refused).toBe(429);
    for (const one of many) one.socket.close();
  });
});
