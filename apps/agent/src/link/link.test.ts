import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import type { Hello } from "@longarm/contract/agent-link";
import { done, refused } from "@longarm/link/answer";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../ports/clock.ts";
import { systemClock } from "../system-clock.ts";
import type { FakePlatform } from "../testing/fake-platform.ts";
import { fakePlatform, until } from "../testing/fake-platform.ts";
import type { AgentPeer } from "./agent-peer.ts";
import { dialPlatform } from "./dial.ts";
import { agentHandlers, agentListeners } from "./handlers.ts";
import type { PlatformLink } from "./link.ts";
import { startLink, waitMs } from "./link.ts";
import { agentUrl, putStill } from "./still.ts";

let platform: FakePlatform;
let link: PlatformLink | undefined;
let said: { sentence: string; grave: boolean }[];
let waits: number[];
let ups: AgentPeer[];
let downs: number;

/** Deadlines of an attempt are at least this, ms; the first waits between two attempts are shorter. */
const DEADLINE_MS = 6_000;

/** Real time, but the waits between two attempts are noted and cut short. Deadlines are not: a busy computer may need longer than 20 ms. */
const clock: Clock = {
  ...systemClock(),
  after: (delayMs, run) => {
    if (delayMs >= 100 && delayMs <= 30_000) waits.push(delayMs);
    return systemClock().after(delayMs < DEADLINE_MS ? Math.min(delayMs, 20) : delayMs, run);
  },
};

beforeEach(async () => {
  platform = await fakePlatform();
  [said, waits, ups, downs, link] = [[], [], [], 0, undefined];
});

afterEach(async () => {
  await link?.stop();
  await platform.close();
});

const meters = {
  credit: 0,
  bet: 1,
  win: 0,
  freeSpins: 0,
  bonus: false,
  gamesPlayed: 0,
  activeBand: null,
  inGame: false,
};
const limits = { minCycleMs: 0, minTransfer: 1, maxTransfer: 5, autoplay: true };
const facts = { id: "nar-01", name: "Nar", brand: "nar", videoType: "camera" as const, denomination: 1 };
const rest = { bandSelects: [], buttons: [], limits, webcam: false, state: "idle" as const, meters, epoch: 0 };
const oneMachine: Hello["machines"] = [{ ...facts, ...rest, jackpots: [] }];

function dial({ key = platform.key, url = platform.url, machines = oneMachine } = {}): void {
  const deps = { machine: () => undefined, journal: undefined as never, putStill: async () => undefined, clock };
  link = startLink({
    clock,
    random: () => 0.5,
    dial: () => dialPlatform({ url, key, clock, pingMs: 50 }),
    hello: () => ({ agent: "ag", version: "1", clock: 5, machines }),
    handlers: agentHandlers(deps),
    listeners: agentListeners(deps),
    up: (peer) => void ups.push(peer),
    down: () => {
      downs += 1;
    },
    say: (sentence, grave) => void said.push({ sentence, grave }),
  });
}

const heard = (pattern: RegExp) => until(String(pattern), () => said.find(({ sentence }) => pattern.test(sentence)));

test("a hello that is not in order is refused by the platform's schema, and said", async () => {
  dial({ machines: [] });
  const { grave } = await heard(/The platform refuses this agent: .*machines/);
  expect(grave).toBe(true);
});

test("a wrong key is said in a sentence that tells what to do, and tried again slowly", async () => {
  dial({ key: "some-other-key-of-nobody" });
  const { sentence, grave } = await heard(/HTTP 401/);
  expect(sentence).toMatch(/Enrol the agent and put its key in AGENT_KEY/);
  expect(sentence).not.toContain("some-other-key");
  expect(grave).toBe(true);
  expect(waits[0]).toBe(1_500);
});

test.each([["another agent holds the machine nar-01"], ["the clock of this agent is 9 s off"]])(
  "a refused hello (%s) is logged with its sentence and tried again until it is taken",
  async (sentence) => {
    platform.answerHello = () => refused("request.invalid", { detail: sentence });
    dial();
    await heard(new RegExp(`refuses this agent: ${sentence}`));
    platform.answerHello = () => done({ clock: 0, renewMs: 1, taken: {} });
    await until("link", () => ups.length === 1);
    expect(waits.some((ms) => ms >= 1_500)).toBe(true);
  },
);

test("a lost link comes back by itself and says hello again", async () => {
  dial();
  await until("first link", () => ups.length === 1);
  platform.sockets()[0]?.close(1012, "restart");
  await until("second link", () => ups.length === 2);
  expect(ups[0]?.closed).toBe(true);
  // More on a busy computer: an attempt that takes longer than our short times is given up, and the next one succeeds.
  expect(downs).toBeGreaterThanOrEqual(1);
  expect(platform.hellos.length).toBeGreaterThanOrEqual(2);
  await heard(/was lost \(code 1012, restart\)/);
});

test("even a link that was ended for good is tried again, slowly", async () => {
  dial();
  await until("first link", () => ups.length === 1);
  platform.sockets()[0]?.close(4000, "taken over");
  const { grave } = await heard(/ended the link for good \(code 4000, taken over\)/);
  expect(grave).toBe(true);
  await until("second link", () => ups.length === 2);
});

test("a link that has gone silent is given up", async () => {
  dial();
  await until("first link", () => ups.length === 1);
  // The other end reads nothing any more, so no ping is answered; TCP itself stays up.
  platform.sockets()[0]?.pause();
  await until("second link", () => ups.length === 2);
});

test("one malformed frame is dropped, and the link stays", async () => {
  dial();
  await until("link", () => ups.length === 1);
  const [socket] = platform.sockets();
  const answer = new Promise<string>((resolve) => socket?.on("message", (frame) => resolve(String(frame))));
  socket?.send("{{{");
  socket?.send(JSON.stringify({ request: true, id: 78, method: "no.such.method", data: {} }));
  expect(JSON.parse(await answer)).toMatchObject({ id: 78, ok: false });
  expect(ups[0]?.closed).toBe(false);
});

test.each<[string, (send: (frame: string | Buffer) => void) => unknown]>([
  ["six without JSON", (send) => Array.from({ length: 6 }, () => send("{{{"))],
  ["six lists", (send) => Array.from({ length: 6 }, () => send("[]"))],
  ["binary", (send) => send(Buffer.from([1, 2, 3]))],
  ["an oversized one", (send) => send(JSON.stringify({ notification: true, method: "x", data: "y".repeat(70_000) }))],
])("what is no frame (%s) ends that link only, and the agent is back", async (_what, attack) => {
  dial();
  await until("first link", () => ups.length === 1);
  attack((frame) => platform.sockets()[0]?.send(frame));
  await until("second link", () => ups.length === 2);
});

test.each([
  ["egm.cashIn", { machineId: "nar-01", epoch: 1, transferId: "short" }],
  ["egm.cashIn", { machineId: "nar-01", epoch: 1, transferId: "tr_00000001", amount: -5 }],
  ["seat.grant", { machineId: "../../etc", epoch: 1, playSessionId: "p", leaseMs: 5_000 }],
  ["seat.grant", { machineId: "nar-01", epoch: 0.5, playSessionId: "p", leaseMs: 5_000 }],
  ["rtc.offer", { machineId: "nar-01", viewerId: "v", role: "owner", sdp: "x", iceServers: [] }],
  ["no.such.method", {}],
  ["__proto__", {}],
])("a hostile request (%s %o) is refused as malformed and the link stays", async (method, data) => {
  dial();
  await until("link", () => ups.length === 1);
  const [socket] = platform.sockets();
  const answer = new Promise<string>((resolve) => socket?.on("message", (frame) => resolve(String(frame))));
  socket?.send(JSON.stringify({ request: true, id: 77, method, data }));
  expect(JSON.parse(await answer)).toMatchObject({ id: 77, ok: false, errorCode: 60031 });
  expect(ups[0]?.closed).toBe(false);
});

test("a request for a machine of somebody else is refused with a sentence", async () => {
  dial();
  await until("link", () => ups.length === 1);
  const answer = await platform.peer()?.request("egm.meters", { machineId: "kuzey-09" });
  expect(answer).toMatchObject({
    is: "refused",
    refusal: { code: 60040, reason: 'This agent has no machine "kuzey-09".' },
  });
});

test("a platform that is not there is tried again with growing waits", async () => {
  const nobody = createServer();
  await new Promise<void>((listening) => nobody.listen(0, "127.0.0.1", listening));
  const { port } = nobody.address() as AddressInfo;
  await new Promise((closed) => nobody.close(closed));
  dial({ url: `ws://127.0.0.1:${port}/agent` });
  await until("four tries", () => waits.length >= 4);
  expect(waits.slice(0, 4)).toEqual([188, 375, 750, 1_500]);
  expect(said[0]?.sentence).toMatch(/cannot be reached \(.*\)\. Next try in 0\.2 s\./);
});

test("waits double up to a limit and are spread over their upper half", () => {
  expect([waitMs("away", 0, 0), waitMs("away", 0, 0.999)]).toEqual([125, 250]);
  expect(waitMs("away", 1_000, 0.5)).toBe(3_750);
  expect(waitMs("refused", 1_000, 0.5)).toBe(22_500);
});

test("a renewed link says hello at once", async () => {
  dial();
  await until("first link", () => ups.length === 1);
  link?.renew();
  await until("second link", () => ups.length === 2);
  expect(waits.filter((ms) => ms < DEADLINE_MS)).toEqual([]);
});

test("stills are put beside the link with the key, and a refusal is a sentence", async () => {
  expect(String(agentUrl("wss://venue.example/x/agent/", "machines/nar-01/still"))).toBe(
    "https://venue.example/x/agent/machines/nar-01/still",
  );
  await putStill({ url: platform.url, key: platform.key }, "nar-01", new Uint8Array(10));
  expect(platform.stills).toEqual([{ path: "/agent/machines/nar-01/still", key: `Bearer ${platform.key}`, bytes: 10 }]);
  platform.stillStatus = 413;
  await expect(putStill({ url: platform.url, key: platform.key }, "nar-01", new Uint8Array(10))).rejects.toThrow(
    /HTTP 413/,
  );
});
