import type { Socket } from "node:dgram";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../chance.ts";
import type { Damage, UdpRelay } from "./udp-relay.ts";
import { CLEAN, openUdpRelay } from "./udp-relay.ts";

/* The damage itself is what it says: a measurement over a relay that does nothing would prove nothing. */

let agent: Socket;
let browser: Socket;
let relay: UdpRelay | undefined;
/** What the browser got, in its order, with the time. */
let got: { text: string; at: number }[];

beforeEach(async () => {
  got = [];
  agent = createSocket("udp4");
  browser = createSocket("udp4");
  for (const socket of [agent, browser]) {
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
  }
  agent.on("message", (datagram, { port, address }) => agent.send(datagram, port, address));
  browser.on("message", (datagram) => got.push({ text: datagram.toString("utf8").trim(), at: performance.now() }));
});
afterEach(() => {
  relay?.close();
  agent.close();
  browser.close();
});

async function sendOver(damage: Damage, count: number, bytes = 4): Promise<number> {
  relay = await openUdpRelay(agent.address().port, damage, seededRandom("relay"));
  const at = performance.now();
  for (let number = 0; number < count; number += 1)
    browser.send(String(number).padEnd(bytes), relay.portNumber, "127.0.0.1");
  return at;
}

test("a clean way brings everything, and back", async () => {
  await sendOver(CLEAN, 50);
  await expect.poll(() => got.length).toBe(50);
  expect(new Set(got.map(({ text }) => text)).size).toBe(50);
});

test("delay is added each way", async () => {
  const sentAt = await sendOver({ lossShare: 0, delayMs: 40 }, 1);
  await expect.poll(() => got.length).toBe(1);
  // A timer may be a millisecond early.
  expect((got[0]?.at ?? 0) - sentAt).toBeGreaterThanOrEqual(78);
});

test("loss takes its share of each way, the same in every run", async () => {
  await sendOver({ lossShare: 0.5, delayMs: 0 }, 200);
  await expect.poll(() => (relay?.toAgent.lost ?? 0) + (relay?.toAgent.passed ?? 0)).toBe(200);
  const { lost, passed } = relay!.toAgent;
  expect(lost).toBeGreaterThan(70);
  expect(passed).toBeGreaterThan(70);
  await expect.poll(() => relay!.toBrowser.lost + relay!.toBrowser.passed).toBe(passed);
  await expect.poll(() => got.length).toBe(relay!.toBrowser.passed);
});

test("a bottleneck lets its rate through and drops what its queue cannot hold", async () => {
  // 1000 bytes take 8 ms; 80 ms of queue hold ten of them beside the one that leaves.
  await sendOver({ lossShare: 0, delayMs: 0, bitsPerSecond: 1_000_000, queueMs: 80 }, 60, 1_000);
  await expect.poll(() => relay!.toAgent.overflowed + relay!.toAgent.passed).toBe(60);
  expect(relay!.toAgent.passed).toBeLessThan(40);
  expect(relay!.toAgent.passed).toBeGreaterThanOrEqual(10);
});

test("a cut way lets nothing through, and everything again once it is repaired", async () => {
  await sendOver(CLEAN, 5);
  await expect.poll(() => got.length).toBe(5);
  relay!.cut(true);
  for (let number = 5; number < 10; number += 1) browser.send(String(number), relay!.portNumber, "127.0.0.1");
  await expect.poll(() => relay!.toAgent.lost).toBe(5);
  relay!.cut(false);
  browser.send("10", relay!.portNumber, "127.0.0.1");
  await expect.poll(() => got.at(-1)?.text).toBe("10");
  expect(got).toHaveLength(6);
  expect(relay!.toBrowser.bytes).toBe(22);
});
