import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { PING_MS } from "@longarm/link/keep-alive";
import { ANSWERING } from "@longarm/link/ws-socket";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createLog } from "../log.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { openSocket } from "../testing/open-socket.ts";
import { clientAddress } from "./client-address.ts";
import { WAITING_BYTES_MAX } from "./guarded-socket.ts";
import { REFUSED_MS_MAX } from "./refuse-upgrade.ts";
import type { Admission, Sockets } from "./sockets.ts";
import { createSockets } from "./sockets.ts";

const lines: string[] = [];
const log = createLog({ logLevel: "debug", logFormat: "json" }, { write: (line) => void lines.push(line) });
let server: Server;
let sockets: Sockets;
let base: string;
let accepted: WebSocket[];
const clock = manualClock();
const CLOSE_TIMES = { answerMs: 2_000, graceMs: 1_000 };

beforeEach(async () => {
  accepted = [];
  sockets = createSockets({
    clock,
    log,
    originAllowed: (origin) => origin === "https://play.example.org",
    addressOf: (request) => clientAddress(request, 1),
    perAddressMax: 3,
    handshakesPerMinute: 12,
    messagesPerSecondAddress: 12,
  });
  sockets.add({
    path: "/page",
    caller: "page",
    frameBytesMax: 1_024,
    messagesPerSecondMax: 5,
    accept: (socket) => {
      accepted.push(socket);
      socket.on("message", (data) => socket.send(JSON.stringify({ heard: String(data).length })));
    },
  });
  sockets.add<string>({
    path: "/agent",
    caller: "agent",
    frameBytesMax: 1_024,
    messagesPerSecondMax: 5,
    admit: async ({ headers }) =>
      headers.authorization === "Bearer good"
        ? { is: "admitted", context: "the good one" }
        : { is: "refused", status: 401, sentence: "This key is not known" },
    accept: (socket, _facts, context) => socket.send(JSON.stringify({ context })),
  });
  server = createServer();
  server.on("upgrade", sockets.upgrade);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  const gone = [sockets.close("page", CLOSE_TIMES), sockets.close("agent", CLOSE_TIMES)];
  clock.advance(1_000);
  await Promise.all(gone);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("the handshake", () => {
  test("an allowed origin, and a caller without one, are let in", async () => {
    const page = openSocket(`${base}/page?token=secret`, { origin: "https://play.example.org" });
    const program = openSocket(`${base}/page`);
    await Promise.all([page.opened, program.opened]);
    expect(page.socket.protocol).toBe("protoo");
    expect(sockets.open).toBe(2);
    expect(lines.join("")).not.toContain("secret");
  });

  test.each([
    ["another origin", "/page", { origin: "https://evil.example" }, 403],
    ["an origin that begins like ours", "/page", { origin: "https://play.example.org.evil.example" }, 403],
    ["the origin of a file", "/page", { origin: "null" }, 403],
    [
      "a page that plays the agent",
      "/agent",
      { origin: "https://play.example.org", headers: { authorization: "Bearer good" } },
      403,
    ],
    ["no subprotocol", "/page", { protocol: null }, 400],
    ["another subprotocol", "/page", { protocol: "chat" }, 400],
    ["an unknown path", "/nothing", {}, 404],
    ["a wrong key", "/agent", { headers: { authorization: "Bearer bad" } }, 401],
  ])("%s is refused", async (_name, path, options, status) => {
    expect(await openSocket(base + path, options).refused).toBe(status);
    expect(accepted).toHaveLength(0);
  });

  test("an admitted agent comes with its context", async () => {
    const agent = openSocket(`${base}/agent`, { headers: { authorization: "Bearer good" } });
    await expect.poll(() => agent.frames).toEqual([{ context: "the good one" }]);
  });

  test("so many from one address and no more; others are not touched", async () => {
    const from = (address: string) => openSocket(`${base}/page`, { headers: { "x-forwarded-for": address } });
    const [first, ...more] = [from("203.0.113.1"), from("203.0.113.1"), from("203.0.113.1")];
    await Promise.all([first!.opened, ...more.map(({ opened }) => opened)]);
    expect(await from("203.0.113.1").refused).toBe(429);
    await from("203.0.113.2").opened;
    first!.socket.close();
    await first!.closed;
    await expect.poll(() => sockets.open).toBe(3);
    await from("203.0.113.1").opened;
  });

  test("so many handshakes a minute from one address, good or bad, and no more", async () => {
    const knock = (key: string, address = "203.0.113.9") =>
      openSocket(`${base}/agent`, { headers: { authorization: `Bearer ${key}`, "x-forwarded-for": address } });
    for (let count = 0; count < 12; count += 1) expect(await knock("bad").refused).toBe(401);
    expect(await knock("good").refused).toBe(429);
    await knock("good", "203.0.113.10").opened;
    clock.advance(60_000);
    await knock("good").opened;
  });

  test.each([
    "GET /page HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    "GET http://[bad HTTP/1.1\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  ])("a handshake that is none is refused and ends: %j", async (text) => {
    const stream = connect(Number(new URL(base).port), "127.0.0.1");
    let answer = "";
    stream.on("data", (part) => {
      answer += part;
    });
    const ended = new Promise((resolve) => stream.on("close", resolve));
    stream.write(text);
    await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

// attack 4: a refused upgrade kept its descriptor for ever once a byte came after it.
describe("a refused upgrade ends with its connection", () => {
  const HEAD = "host: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n";
  const KEY = "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
  const PROTOCOL = "sec-websocket-protocol: protoo\r\n";
  const openConnections = () => new Promise<number>((done) => server.getConnections((_error, count) => done(count)));
  const refusals: [string, string][] = [
    ["an unknown path", `GET /nothing HTTP/1.1\r\n${HEAD}${KEY}${PROTOCOL}\r\n`],
    ["no protocol", `GET /page HTTP/1.1\r\n${HEAD}${KEY}\r\n`],
    ["another origin", `GET /page HTTP/1.1\r\n${HEAD}${KEY}${PROTOCOL}origin: https://evil.example\r\n\r\n`],
    ["an agent's wrong key", `GET /agent HTTP/1.1\r\n${HEAD}${KEY}${PROTOCOL}authorization: Bearer bad\r\n\r\n`],
    ["no key of a WebSocket", `GET /page HTTP/1.1\r\n${HEAD}${PROTOCOL}\r\n`],
    ["an address that is none", `GET http://[bad HTTP/1.1\r\n${HEAD}${KEY}${PROTOCOL}\r\n`],
  ];

  async function refused(request: string): Promise<ReturnType<typeof connect>> {
    const stream = connect({ port: Number(new URL(base).port), host: "127.0.0.1", allowHalfOpen: true });
    stream.on("error", () => {});
    const answered = new Promise((resolve) => stream.once("data", resolve));
    stream.write(`${request}a few bytes more`);
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 4\d\d /);
    return stream;
  }

  test.each(refusals)("%s: when the caller ends, and when it stays silent", async (_name, request) => {
    const [leaves, stays] = [await refused(request), await refused(request)];
    leaves.end("and more");
    await expect.poll(openConnections).toBeLessThanOrEqual(1);
    clock.advance(REFUSED_MS_MAX);
    await expect.poll(openConnections).toBe(0);
    stays.destroy();
  });

  test.each(refusals)("%s: when the caller goes on sending", async (_name, request) => {
    const stream = await refused(request);
    // Bounded by the bytes that are drained: a caller that is cut notices with one of its next writes.
    while (!stream.destroyed) {
      stream.write("x".repeat(16_384));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(openConnections).toBe(0);
  });

  test("a handshake that is never decided is cut, and opens nothing afterwards", async () => {
    const decided = Promise.withResolvers<Admission<undefined>>();
    const hung = vi.fn();
    sockets.add<undefined>({
      path: "/hung",
      caller: "page",
      frameBytesMax: 1_024,
      messagesPerSecondMax: 5,
      admit: () => decided.promise,
      accept: hung,
    });
    const stream = connect(Number(new URL(base).port), "127.0.0.1");
    stream.write(`GET /hung HTTP/1.1\r\n${HEAD}${KEY}${PROTOCOL}\r\nearly`);
    await expect.poll(openConnections).toBe(1);
    await expect
      .poll(() => {
        clock.advance(1_000);
        return openConnections();
      })
      .toBe(0);
    decided.resolve({ is: "admitted", context: undefined });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hung).not.toHaveBeenCalled();
    stream.destroy();
  });
});

describe("frames", () => {
  test("one over the limit closes with 1009", async () => {
    const page = openSocket(`${base}/page`);
    await page.opened;
    page.socket.send("x".repeat(1_025));
    expect((await page.closed).code).toBe(1009);
  });

  // attack 8: 80 sockets with unfinished messages in one-byte parts held 260 MB.
  test("an unfinished message in tiny parts closes with 1008, whether its peer splits frames or bytes", async () => {
    const parts = openSocket(`${base}/page`);
    await parts.opened;
    for (let count = 0; count < 100; count += 1) parts.socket.send("x", { fin: false });
    expect((await parts.closed).code).toBe(1008);
    expect(accepted.at(-1)?.readyState).not.toBe(WebSocket.OPEN);

    const pieces = openSocket(`${base}/page`);
    await pieces.opened;
    const raw = (pieces.socket as unknown as { _socket: Socket })._socket.setNoDelay(true);
    // The head of a masked frame of 1,000 bytes, and then one byte at a time.
    raw.write(Buffer.from([0x81, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]));
    const read = () => (accepted.at(-1) as unknown as { _socket: Socket })._socket.bytesRead;
    while (!raw.destroyed && pieces.socket.readyState === WebSocket.OPEN) {
      const before = read();
      raw.write("x");
      await expect
        .poll(() => raw.destroyed || read() > before || pieces.socket.readyState !== WebSocket.OPEN)
        .toBe(true);
    }
    expect((await pieces.closed).code).toBe(1008);
    expect(accepted).toHaveLength(2);
  });

  test("a message in a few parts is one message", async () => {
    const page = openSocket(`${base}/page`);
    await page.opened;
    for (const fin of [false, false, false, true]) page.socket.send("ab", { fin });
    await expect.poll(() => page.frames).toEqual([{ heard: 8 }]);
  });

  test("bytes that are no text close with 1007", async () => {
    const page = openSocket(`${base}/page`);
    await page.opened;
    page.socket.send(Buffer.from([0xc3, 0x28]), { binary: false });
    expect((await page.closed).code).toBe(1007);
  });

  test("too many in a second close with 1008, and the rest is not heard", async () => {
    const page = openSocket(`${base}/page`);
    await page.opened;
    for (let count = 0; count < 40; count += 1) page.socket.send("{}");
    expect(await page.closed).toEqual({ code: 1008, reason: "too many messages" });
    expect(page.frames.length).toBeLessThanOrEqual(5);
  });

  test("pongs that nobody asked for count as well", async () => {
    const page = openSocket(`${base}/page`);
    await page.opened;
    for (let count = 0; count < 40; count += 1) page.socket.pong();
    expect((await page.closed).code).toBe(1008);
  });

  test("as many as allowed, second after second, are fine", async () => {
    const page = openSocket(`${base}/page`);
    await page.opened;
    // Before the first ping: its pong would count as well.
    for (let second = 1; second <= 2; second += 1) {
      for (let count = 0; count < 5; count += 1) page.socket.send("{}");
      await expect.poll(() => page.frames.length).toBe(5 * second);
      clock.advance(1_000);
    }
  });

  test("a reader that does not read is closed with 1013", async () => {
    const page = openSocket(`${base}/page`);
    await page.opened;
    page.socket.pause();
    const [socket] = accepted;
    const text = "x".repeat(65_536);
    let sent = 0;
    while (socket!.readyState === socket!.OPEN && sent < 2_000) {
      socket!.send(text);
      sent += 1;
      // Lets the kernel take what it can.
      if (sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(socket!.readyState).not.toBe(socket!.OPEN);
    expect(socket!.bufferedAmount).toBeLessThan(WAITING_BYTES_MAX + 4 * 65_536);
    page.socket.resume();
    expect((await page.closed).code).toBe(1013);
  });
});

test("a silent peer is cut within 10 s, one that answers pings stays", async () => {
  const alive = openSocket(`${base}/page`);
  const dead = openSocket(`${base}/page`);
  await Promise.all([alive.opened, dead.opened]);
  dead.socket.pause();
  const began = clock.now();
  // A terminated socket knows it at once.
  const cut = () => accepted.filter((socket) => socket.readyState !== socket.OPEN).length;
  while (cut() === 0 && clock.now() - began < 60_000) {
    const pinged = new Promise((resolve) => alive.socket.once("ping", resolve));
    clock.advance(PING_MS);
    await pinged;
    const frames = alive.frames.length;
    // Its answer to the ping has arrived when a message sent after that is answered.
    alive.send({});
    await expect.poll(() => alive.frames.length).toBeGreaterThan(frames);
  }
  expect(clock.now() - began).toBeLessThanOrEqual(10_000);
  await expect.poll(() => sockets.open).toBe(1);
  expect(alive.socket.readyState).toBe(alive.socket.OPEN);
  dead.socket.resume();
});

test("a page is told a beat beside each ping, an agent is not", async () => {
  const page = openSocket(`${base}/page`);
  const agent = openSocket(`${base}/agent`, { headers: { authorization: "Bearer good" } });
  await Promise.all([page.opened, agent.opened]);
  const pinged = new Promise((resolve) => agent.socket.once("ping", resolve));
  clock.advance(PING_MS);
  await pinged;
  await expect.poll(() => page.frames).toEqual([{ notification: true, method: "beat", data: { everyMs: PING_MS } }]);
  expect(agent.frames).toEqual([{ context: "the good one" }]);
});

test("at the end every socket is told to come back, and new ones are refused", async () => {
  const page = openSocket(`${base}/page`);
  await page.opened;
  const gone = sockets.close("page", CLOSE_TIMES);
  expect(await page.closed).toEqual({ code: 1012, reason: "restart" });
  await gone;
  expect(await openSocket(`${base}/page`).refused).toBe(503);
});

test("at the end a socket keeps what it has asked until the last answer is sent, and agents stay for as long as pages need them", async () => {
  const page = openSocket(`${base}/page`);
  const agent = openSocket(`${base}/agent`, { headers: { authorization: "Bearer good" } });
  await Promise.all([page.opened, agent.opened]);
  await expect.poll(() => accepted).toHaveLength(1);
  accepted[0]!.emit(ANSWERING, 2);
  const gone = sockets.close("page", CLOSE_TIMES);
  accepted[0]!.emit(ANSWERING, 1);
  page.socket.send("one more word");
  await expect.poll(() => page.frames).toEqual([{ heard: 13 }]);
  expect(agent.socket.readyState).toBe(agent.socket.OPEN);
  accepted[0]!.send("the last answer");
  accepted[0]!.emit(ANSWERING, 0);
  expect(await page.closed).toEqual({ code: 1012, reason: "restart" });
  expect(page.frames).toEqual([{ heard: 13 }, "the last answer"]);
  await gone;
  expect(agent.socket.readyState).toBe(agent.socket.OPEN);
});

test("at the end an answer that never comes is not waited for without end", async () => {
  const page = openSocket(`${base}/page`);
  await page.opened;
  await expect.poll(() => accepted).toHaveLength(1);
  accepted[0]!.emit(ANSWERING, 1);
  const gone = sockets.close("page", CLOSE_TIMES);
  clock.advance(CLOSE_TIMES.answerMs);
  expect(await page.closed).toEqual({ code: 1012, reason: "restart" });
  await gone;
});
