import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../../log.ts";
import type { Sockets } from "../../../plugins/sockets.ts";
import { createSockets } from "../../../plugins/sockets.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import type { Auth } from "./auth.ts";
import { addPlayerSocket } from "./player-socket.ts";

const PER_SECOND = 5;
const log = createLog({ logLevel: "silent", logFormat: "json" });
let sockets: Sockets;
let server: ReturnType<typeof createServer>;
let clock: ReturnType<typeof manualClock>;
let base: string;

/** Each but two is whom the token says, from everywhere but one address. */
const auth = {
  authenticate: async (token: string) =>
    ["", "bad"].includes(token)
      ? { is: "refused", problem: { name: "auth.signature" } }
      : { is: "caller", playerId: token, jti: token, expiresAtMs: 0, locked: false },
  whileSignedIn: () => () => {},
  keepsOut: ({ clientAddress }: { clientAddress: string }) => clientAddress === "203.0.113.13",
} as unknown as Auth;

beforeEach(async () => {
  clock = manualClock();
  sockets = createSockets({
    clock,
    log,
    originAllowed: () => true,
    addressOf: ({ headers }) => String(headers["x-from"]),
    perAddressMax: 100,
    handshakesPerMinute: 1_000,
    messagesPerSecondAddress: 30,
  });
  const route = { path: "/page", frameBytesMax: 1_024, messagesPerSecondMax: PER_SECOND };
  addPlayerSocket(
    sockets,
    auth,
    { clock, log },
    {
      ...route,
      open: (socket) => socket.listen({ text: () => socket.send("{}"), binary() {}, closed() {} }),
    },
  );
  server = createServer();
  server.on("upgrade", sockets.upgrade);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/page`;
});
const clients: ReturnType<typeof openSocket>[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

async function open(player: string, from: string) {
  const client = openSocket(`${base}?token=${player}`, { headers: { "x-from": from } });
  clients.push(client);
  await client.opened;
  return client;
}
type Client = Awaited<ReturnType<typeof open>>;

async function say(client: Client, times: number): Promise<void> {
  const heard = client.frames.length;
  for (let count = 0; count < times; count += 1) client.send({});
  await expect
    .poll(() => client.frames.length === heard + times || client.socket.readyState !== client.socket.OPEN)
    .toBe(true);
}

test("an account may say three times what one socket may, however many it has", async () => {
  const clients = await Promise.all([1, 2, 3, 4].map((line) => open("ada", `203.0.113.${line}`)));
  for (const client of clients.slice(0, 3)) await say(client, PER_SECOND);
  clients[3]!.send({});
  expect(await clients[3]!.closed).toEqual({ code: 1008, reason: "too many messages of one player" });
  await say(await open("bea", "203.0.113.1"), PER_SECOND);
  clock.advance(1_000);
  await say(clients[0]!, PER_SECOND);
  expect(clients[0]!.socket.readyState).toBe(clients[0]!.socket.OPEN);
});

test("an address may say so much a second, whoever speaks from it", async () => {
  const clients = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((player) => open(`player-${player}`, "203.0.113.9")));
  for (const client of clients.slice(0, 6)) await say(client, PER_SECOND);
  clients[6]!.send({});
  expect(await clients[6]!.closed).toEqual({ code: 1008, reason: "too many messages" });
  await say(await open("elsewhere", "203.0.113.10"), PER_SECOND);
});

test("from where nobody may sign in a good token opens nothing either", async () => {
  const client = await open("ada", "203.0.113.13");
  expect(await client.closed).toEqual({ code: 4000, reason: "bad token" });
});

test("a token comes as a subprotocol, which is not the one that is chosen and goes before the address", async () => {
  const of = (protocol: readonly string[], query = "") => {
    const client = openSocket(base + query, { protocol, headers: { "x-from": "203.0.113.1" } });
    clients.push(client);
    return client;
  };
  for (const [protocol, query, isIn] of [
    [["protoo", "token.ada.b-c_d"], "", true],
    [["token.ada.b-c_d", "protoo"], "?token=", true],
    [["protoo", "token.ada.b-c_d"], "?token=bad", true],
    [["protoo", "token."], "?token=ada", false],
    [["protoo"], "", false],
  ] as const) {
    const client = of(protocol, query);
    await client.opened;
    expect(client.socket.protocol).toBe("protoo");
    if (isIn) await say(client, 1);
    else expect(await client.closed).toEqual({ code: 4000, reason: "bad token" });
  }
  expect(await of(["token.ada"]).refused).toBe(400);
});
