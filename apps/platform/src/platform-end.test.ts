import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestVenue } from "./testing/test-venue.ts";
import { testVenue } from "./testing/test-venue.ts";

let venue: TestVenue;
let portNumber: number;
let opened: Socket[];

beforeEach(async () => {
  opened = [];
  venue = await testVenue({ env: { CALLS_PER_MINUTE_ADDRESS: "100000" } });
  const accept = () => {};
  const socket = { frameBytesMax: 1_024, messagesPerSecondMax: 100, accept };
  venue.platform.sockets.add({ ...socket, path: "/page-socket", caller: "page" });
  venue.platform.sockets.add({ ...socket, path: "/agent-link", caller: "agent" });
  venue.platform.sockets.add({ ...socket, path: "/hung", caller: "page", admit: () => new Promise(() => {}) });
  portNumber = Number(new URL(await venue.platform.listen()).port);
});
afterEach(async () => {
  for (const stream of opened) stream.destroy();
  await venue.db.drop();
});

const upgrade = (path: string, more = "") =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: protoo\r\n${more}\r\n`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

type Kind = { readonly name: string; readonly says: string; readonly answers: boolean; readonly deaf?: boolean };
const kinds: readonly Kind[] = [
  { name: "a connection that says nothing", says: "", answers: false },
  { name: "an idle keep-alive connection", says: get("/healthz"), answers: true },
  { name: "half a head", says: "GET / HTTP/1.1\r\nhost: localhost\r\nx-more: ", answers: false },
  {
    name: "half a body",
    says: 'POST /v1/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n{"',
    answers: false,
  },
  { name: "a caller that reads no answer", says: get("/metrics").repeat(50), answers: false, deaf: true },
  { name: "an open socket of a page that never answers a close", says: upgrade("/page-socket"), answers: true },
  { name: "an open agent link that never answers a close", says: upgrade("/agent-link"), answers: true },
  { name: "a socket that reads nothing", says: upgrade("/page-socket"), answers: false, deaf: true },
  { name: "half a frame", says: `${upgrade("/page-socket")}\x81\xfe\x01`, answers: true },
  { name: "a refused upgrade", says: `${upgrade("/nothing")}a few bytes more`, answers: true },
  { name: "an upgrade that is never decided", says: `${upgrade("/hung")}a few bytes more`, answers: false },
];

async function linger({ says, answers, deaf = false }: Kind): Promise<void> {
  // As a hostile caller: it never ends its half by itself.
  const stream = connect({ port: portNumber, host: "127.0.0.1", allowHalfOpen: true });
  opened.push(stream);
  stream.on("error", () => {});
  await new Promise<void>((done) => stream.once("connect", done));
  if (deaf) stream.pause();
  const answered = answers && new Promise((done) => stream.once("data", done));
  stream.write(says, "latin1");
  await answered;
}

const openConnections = () =>
  new Promise<number>((done) => venue.app.server.getConnections((_error, count) => done(count)));

// attack 4: one refused upgrade kept the platform from ending.
describe("the platform ends although a caller stays", () => {
  test.each(kinds)("$name", { tags: ["long"] }, async (kind) => {
    await linger(kind);
    await venue.platform.close();
    expect(await openConnections()).toBe(0);
  });

  test("and although all of them stay together", async () => {
    for (const kind of kinds) await linger(kind);
    await venue.platform.close();
    expect(await openConnections()).toBe(0);
  });
});
