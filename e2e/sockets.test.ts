import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openSocket } from "../apps/platform/src/testing/open-socket.ts";
import { protooPeer } from "../apps/platform/src/testing/protoo-client.ts";
import type { Player } from "../rig/player.ts";
import { playerIdOf, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/* The real platform with a real agent behind it, with an independent client, and with hostile ones. */

const MACHINE = "nar-01";
let venue: TestVenue;
let player: Player;
let sockets: string;
let before: unknown;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 1 });
  sockets = venue.href.replace(/^http/, "ws");
  player = await signIn(venue.href);
  before = await player.balance();
});
afterAll(() => venue?.close());

const gameUrl = (token = player.token) => `${sockets}/game?machine=${MACHINE}&token=${token}`;

describe("the published protoo-client, unchanged", () => {
  test("signs in on the notification socket and receives the present state", async () => {
    const peer = protooPeer(`${sockets}/notifications?token=${player.token}`, { origin: venue.href });
    const reported: string[] = [];
    peer.on("notification", ({ method }) => reported.push(method));
    await new Promise<void>((open) => peer.on("open", open));
    expect(await peer.request("init", { id: playerIdOf(player) })).toEqual({});
    await expect.poll(() => reported).toEqual(expect.arrayContaining(["balance", "session"]));
    peer.close();
  });

  test("signs in on the game socket, takes the seat, pays in, pays out and leaves", async () => {
    const peer = protooPeer(gameUrl(), { origin: venue.href });
    const meters: unknown[] = [];
    peer.on("notification", ({ method, data }) => method === "meters" && meters.push(data));
    await new Promise<void>((open) => peer.on("open", open));
    expect(await peer.request("init", { machineID: MACHINE, token: player.token })).toMatchObject({
      machine: { id: MACHINE, status: 3 },
      epoch: expect.any(Number),
    });
    const paidIn = { outcome: "done", amount: 50_000 };
    expect(await peer.request("cashIn", { id: "protoo-cash-in", amount: 50_000 })).toEqual(paidIn);
    await expect.poll(() => meters).toContainEqual(expect.objectContaining({ credit: 50_000 }));
    expect(await peer.request("cashOut", { id: "protoo-cash-out" })).toEqual(paidIn);
    expect(await peer.request("leave", {})).toMatchObject({ outcome: "done" });
    await expect.poll(() => player.balance()).toEqual(before);
  });
});

describe("a refused client gets the reason, and nothing happens", () => {
  test.each(["", "none", "a.b.c"])("the token %j ends both sockets with 4000 bad token", async (token) => {
    for (const url of [gameUrl(token), `${sockets}/notifications?token=${token}`])
      expect(await openSocket(url).closed).toEqual({ code: 4000, reason: "bad token" });
  });

  test("a page of another origin is refused before the handshake on all three sockets", async () => {
    const origin = "https://evil.example";
    expect(await openSocket(gameUrl(), { origin }).refused).toBe(403);
    expect(await openSocket(`${sockets}/notifications?token=${player.token}`, { origin }).refused).toBe(403);
    const headers = { authorization: `Bearer ${venue.agentKey}` };
    expect(await openSocket(`${sockets}/agent`, { origin, headers }).refused).toBe(403);
  });

  test("an agent without the right key is refused before the handshake", async () => {
    expect(await openSocket(`${sockets}/agent`).refused).toBe(401);
    expect(await openSocket(`${sockets}/agent`, { headers: { authorization: "Bearer lak_wrong" } }).refused).toBe(401);
  });
});

describe("a hostile game socket loses itself, not the machine", () => {
  test.each([
    ["no JSON", "{", 1008],
    ["no envelope", '{"method":"cashIn"}', 1008],
    ["binary", Buffer.from([0, 1, 2]), 1008],
    ["more than 16 KiB", "x".repeat(16_385), 1009],
  ])("%s closes it", async (_what, frame, code) => {
    const page = openSocket(gameUrl());
    await page.opened;
    page.socket.send(frame);
    expect((await page.closed).code).toBe(code);
  });

  test("money before init, of a wrong shape or beyond the limits is refused by name and moves nothing", async () => {
    const page = await player.open(MACHINE);
    const asks = () => page.peer.request("cashIn", { id: "hostile-cash-in", amount: 1_000 });
    expect(await asks()).toMatchObject({ refusal: { name: "session.not_yours" } });
    await page.init();
    for (const amount of [-1, 0, 0.5, 1e300, Number.NaN, "1000"])
      expect(await page.peer.request("cashIn", { id: "hostile-cash-in", amount: amount as number })).toMatchObject({
        refusal: { name: "request.malformed" },
      });
    expect(await page.peer.request("cashIn", { id: "hostile-cash-in", amount: 9e12 })).toMatchObject({ is: "refused" });
    await page.peer.request("leave", {});
    await expect.poll(() => player.balance()).toEqual(before);
  });

  test.each([
    ["garbage", "v=0"],
    ["no SDP at all", "<script>"],
    ["thousands of media sections", "v=0\n".padEnd(12_000, "m=x\n")],
    ["control characters", "v=0\r\n\u0000\u0007\r\n"],
    [
      "candidates of hosts inside the venue",
      "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 10.0.0.1\r\na=candidate:1 1 udp 1 169.254.169.254 80 typ host\r\n",
    ],
  ])("an offer of %s costs the picture, neither the seat nor the agent", async (_what, offer) => {
    const page = await player.open(MACHINE);
    const seated = await page.init({ offer });
    expect(seated).toMatchObject({ is: "done", data: { epoch: expect.any(Number) } });
    if (seated.is === "done") expect(seated.data.answer).toBeUndefined();
    expect(await page.peer.request("offer", { sdp: offer })).toMatchObject({
      is: "refused",
      refusal: { name: "pipeline.failed", reason: expect.stringMatching(/\w+ \w+/) },
    });
    const pay = { id: `after-${_what.replaceAll(" ", "-")}`, amount: 1_000 };
    expect(await page.peer.request("cashIn", pay)).toMatchObject({ data: { outcome: "done" } });
    await page.peer.request("leave", {});
    await expect.poll(() => player.balance()).toEqual(before);
  });
});

test("a garbage Settings.json gives the defaults, and one bad key only its own default", async () => {
  const file = join(venue.dataFolder, "Settings.json");
  const served = async () => await (await fetch(`${venue.href}/Settings.json`)).json();
  const defaults = await served();
  await writeFile(file, JSON.stringify({ hotFlagLimit: "many", maxAllIn: 77 }));
  await vi.waitFor(async () => expect(await served()).toEqual({ ...defaults, maxAllIn: 77 }), { timeout: 60_000 });
  await writeFile(file, "{ garbage \u0000");
  await vi.waitFor(async () => expect(await served()).toEqual(defaults), { timeout: 60_000 });
});

test("after all that the books are whole and agent and platform still run", async () => {
  expect(await player.balance()).toEqual(before);
  await expect.poll(() => player.statusOf(MACHINE)).toBe(1);
  expect(await venue.ledger.verify()).toEqual([]);
});
