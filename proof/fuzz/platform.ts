import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gameSocket } from "@longarm/contract/game-socket";
import { calls } from "@longarm/contract/http";
import type { SocketContract } from "@longarm/contract/methods";
import { notificationSocket } from "@longarm/contract/notification-socket";
import fc from "fast-check";
import WebSocket from "ws";
import type { Player } from "../../rig/player.ts";
import { DENIZ, ELIF, signIn } from "../../rig/player.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import type { Recent, Until } from "./media.ts";
import type { Notes } from "./notes.ts";

export const PLATFORM_TARGETS = ["http", "notifications", "game", "agentLink"] as const;
export type PlatformTarget = (typeof PLATFORM_TARGETS)[number];

type SocketTarget = "notifications" | "game";

const BATCH = 20;
/** A request for the link that is not answered is left after this, ms. */
const LEFT_MS = 200;
const GAP_MS = 15;
const OPEN_MS = 10_000;
const ANSWER_MS = 30_000;

export class PlatformFault extends Error {}

export async function openPlatform(notes: Notes): Promise<TestVenue> {
  return await openTestVenue({
    platformEnv: {
      NODE_OPTIONS: notes.nodeOptions,
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      HANDSHAKES_PER_MINUTE_ADDRESS: "1000000",
      STILL_EVERY_MS: "60000",
    },
  });
}

/** Attacks one part of the platform until it is over, as a player who is signed in. Throws `PlatformFault`. */
export async function attackPlatform(
  venue: TestVenue,
  target: PlatformTarget,
  until: Until,
  recent: Recent,
): Promise<{ readonly inputs: number }> {
  const attack = await attackOn(venue, target, recent);
  let inputs = 0;
  for (let batch = 0; !until.isOver(inputs); batch += 1) {
    inputs += await attack.batch(until.seed + batch);
    await expectService(venue);
  }
  await attack.end();
  return { inputs };
}

function attackOn(venue: TestVenue, target: PlatformTarget, recent: Recent) {
  if (target === "http") return createHttpAttack(venue, recent);
  return target === "agentLink" ? createUpgradeAttack(venue, recent) : createSocketAttack(venue, target, recent);
}

/** A watcher has no agent's key: what he can send there is a request for the link, and what he puts behind it. */
function createUpgradeAttack(venue: TestVenue, recent: Recent) {
  const portNumber = Number(new URL(venue.href).port);
  const usual = <T>(value: T, ...others: T[]) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  const input = fc.record({
    path: usual("/agent", "/agent?x=1", "/agents", "/agent/", "/%61gent"),
    version: usual("13", "8", "", "99999999999"),
    key: usual("AAAAAAAAAAAAAAAAAAAAAA==", "", "A", "=".repeat(3_000)),
    protocol: usual("protoo", "", "protoo, protoo", "h2c"),
    upgrade: usual("websocket", "h2c", "WebSocket, h2c", ""),
    bearer: usual("0".repeat(64), "", "\u00ff", "x".repeat(6_000), "longarm"),
    behind: fc.uint8Array({ maxLength: 300 }),
  });
  return {
    async batch(seed: number): Promise<number> {
      for (const { path, version, key, protocol, upgrade, bearer, behind } of fc.sample(input, {
        seed,
        numRuns: BATCH,
      })) {
        const head = [
          ...[`GET ${path} HTTP/1.1`, "host: platform", "connection: Upgrade", `upgrade: ${upgrade}`],
          ...[`sec-websocket-version: ${version}`, `sec-websocket-key: ${key}`, `sec-websocket-protocol: ${protocol}`],
          ...[`authorization: Bearer ${bearer}`, "", ""],
        ].join("\r\n");
        recent.note(`agentLink ${JSON.stringify(head)} ${Buffer.from(behind).toString("hex")}`);
        const socket = connect(portNumber, "127.0.0.1");
        socket.on("error", () => undefined).resume();
        socket.write(Buffer.concat([Buffer.from(head, "latin1"), behind]));
        await Promise.race([once(socket, "close").catch(() => undefined), pause(LEFT_MS)]);
        socket.destroy();
      }
      return BATCH;
    },
    end: async () => undefined,
  };
}

async function expectService(venue: TestVenue): Promise<void> {
  const answer = await fetch(`${venue.href}/Settings.json`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    (error: unknown) => String(error),
  );
  if (typeof answer === "string" || !answer.ok)
    throw new PlatformFault(`The platform no longer serves: ${typeof answer === "string" ? answer : answer.status}`);
  await answer.arrayBuffer();
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1.5,
    1e308,
    2 ** 53,
    "",
    "__proto__",
    "\u0000",
    "\u202e",
    "💰".repeat(50),
    [],
    {},
    [[[[[]]]]],
  ),
  fc.string({ unit: "binary", maxLength: 300 }),
);
const FIELDS = [
  ...[
    "machineId",
    "machineID",
    "offer",
    "role",
    "amount",
    "id",
    "epoch",
    "seq",
    "button",
    "username",
    "password",
    "pin",
  ],
  ...[
    "site_id",
    "old_password",
    "new_password",
    "page",
    "limit",
    "after",
    "search",
    "from",
    "to",
    "type",
    "user",
    "data",
    "__proto__",
  ],
];
const body = fc.oneof(fc.dictionary(fc.constantFrom(...FIELDS), odd, { maxKeys: 6 }), odd);

async function createHttpAttack(venue: TestVenue, recent: Recent) {
  const paths = Object.values(calls).map(({ path }) => `/v1/${path}`.replace("/v1/../", "/"));
  const input = fc.record({
    path: fc.constantFrom(...paths, "/metrics", "/health", "/stills/x", "/%2e%2e/", "/v1/"),
    method: fc.constantFrom("GET", "GET", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"),
    body: fc.option(body),
    more: fc.oneof(
      fc.constant(""),
      fc.string({ unit: "binary", maxLength: 40 }).map((text) => `/${encodeURIComponent(text)}`),
    ),
    query: fc.dictionary(fc.constantFrom(...FIELDS), fc.string({ unit: "binary", maxLength: 60 }), { maxKeys: 3 }),
    cut: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(20) }),
  });
  let player: Player = await signIn(venue.href, ELIF);
  return {
    async batch(seed: number): Promise<number> {
      for (const { path, method, body: given, more, query, cut } of fc.sample(input, { seed, numRuns: BATCH })) {
        const url = `${venue.href}${path}${more}?${new URLSearchParams(Object.entries(query).filter(([, value]) => value.isWellFormed()))}`;
        const hasBody = method !== "GET" && method !== "OPTIONS" && given !== null;
        const text = hasBody ? JSON.stringify(given) : undefined;
        const sent = text?.slice(0, text.length - cut);
        recent.note(`http ${method} ${url} ${sent ?? ""}`);
        const answer = await fetch(url, {
          ...{ method, signal: AbortSignal.timeout(ANSWER_MS), redirect: "manual" },
          headers: { authorization: `Bearer ${player.token}`, ...(hasBody && { "content-type": "application/json" }) },
          ...(sent !== undefined && { body: sent }),
        }).catch((error: unknown) => {
          throw new PlatformFault(`No answer to ${method} ${path}: ${String(error)}`);
        });
        await answer.arrayBuffer();
        if (answer.status >= 500 && answer.status !== 503)
          throw new PlatformFault(`${method} ${path} was answered ${answer.status}`);
        if (answer.status === 401) player = await signIn(venue.href, ELIF).catch(() => player);
      }
      return BATCH;
    },
    end: async () => undefined,
  };
}

const methodsOf = ({ client, server }: SocketContract): string[] =>
  [client, server].flatMap(({ requests, notifications }) => [...Object.keys(requests), ...Object.keys(notifications)]);

/** What is nearly a frame of a socket. */
function frames(target: SocketTarget) {
  const methods = target === "game" ? methodsOf(gameSocket) : methodsOf(notificationSocket);
  const method = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...methods) },
    { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
  );
  const id = fc.oneof({ weight: 6, arbitrary: fc.nat(0xffff_ffff) }, { weight: 1, arbitrary: odd });
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({ request: fc.constant(true), id, method, data: body })
        .map((given) => JSON.stringify(given)),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ notification: fc.constant(true), method, data: body })
        .map((given) => JSON.stringify(given)),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ response: fc.constant(true), id, ok: fc.boolean(), data: odd })
        .map((given) => JSON.stringify(given)),
    },
    { weight: 1, arbitrary: odd.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }).map((text) => text.toWellFormed()) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.nat(70_000).map((length) => `{"request":${"[".repeat(length)}`) },
  );
}

function createSocketAttack(venue: TestVenue, target: SocketTarget, recent: Recent) {
  const frame = frames(target);
  let socket: WebSocket | undefined;
  let player: Player | undefined;
  const open = async (): Promise<WebSocket> => {
    player ??= await signIn(venue.href, DENIZ);
    const [machine] = await player.machines();
    const path = {
      game: `/game?machine=${machine?.id}&token=${player.token}`,
      notifications: `/notifications?token=${player.token}`,
    }[target];
    const next = new WebSocket(`${venue.href.replace(/^http/, "ws")}${path}`, "protoo", {
      ...{ handshakeTimeout: OPEN_MS, perMessageDeflate: false },
    });
    next.on("error", () => undefined);
    await new Promise((done) => next.once("open", done).once("close", done));
    // A sign-in may have been ended by what was sent.
    if (next.readyState !== WebSocket.OPEN) player = undefined;
    return next;
  };
  return {
    async batch(seed: number): Promise<number> {
      for (const text of fc.sample(frame, { seed, numRuns: BATCH })) {
        if (socket?.readyState !== WebSocket.OPEN) {
          socket?.terminate();
          socket = await open();
        }
        recent.note(
          `${target} ${typeof text === "string" ? JSON.stringify(text.slice(0, 400)) : Buffer.from(text).toString("hex")}`,
        );
        if (socket.readyState === WebSocket.OPEN) socket.send(text, { fin: true });
        await pause(GAP_MS);
      }
      return BATCH;
    },
    async end() {
      socket?.terminate();
    },
  };
}
