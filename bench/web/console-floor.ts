import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { STAFF_SOCKET_PATH, staffSocket } from "@longarm/contract/staff";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import type { FloorMachine } from "@longarm/contract/staff-floor";
import { ROLES } from "@longarm/contract/staff-rights";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { systemTimers } from "@longarm/link/socket";
import { fromWs } from "@longarm/link/ws-socket";
import { WebSocketServer } from "ws";
import { encodeStill } from "../../apps/agent/src/media/encoder/still-encoder.ts";
import { ROOT } from "../../launcher/venue.ts";
import { buildPage } from "../../launcher/web-build.ts";

/** A staff listener that a measurement drives: the console's own build, a floor of so many machines, and stills like those of agents. */
export type ConsoleFloor = {
  readonly href: string;
  /** Changes one machine after the other, and their stills, as a floor that is played does. */
  change(): void;
  close(): Promise<void>;
};

const SIGNED_IN = "2026-11-27T06:00:00.000Z";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** The platform reads what changed together this often, and pushes it together, ms (`LOOK_MS_MIN`). */
const PUSH_MS = 300;
/** Different pictures of a machine, which come one after the other. */
const STILLS = 12;
const ISLAND = 8;

export async function startConsoleFloor(count: number, say: (line: string) => void): Promise<ConsoleFloor> {
  await buildPage(ROOT, "console", say);
  const stills = await Promise.all(Array.from({ length: STILLS }, (_, at) => stillOf(at)));
  const machines = Array.from({ length: count }, (_, at) => machineOf(at));
  const answers = answersFor(machines);
  const dist = join(ROOT, "apps/console/dist");
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const name = path.startsWith(STAFF_BASE) ? path.slice(STAFF_BASE.length) : undefined;
    if (name?.startsWith("stills/")) {
      const tag = Number(new URL(request.url ?? "/", "http://x").searchParams.get("tag"));
      response.writeHead(200, { "content-type": "image/webp", "cache-control": "private, max-age=3600, immutable" });
      response.end(stills[tag % STILLS]);
    } else if (name !== undefined) json(response, answers(name));
    else void file(response, dist, path);
  });
  const consoles = new Set<Peer<typeof staffSocket, "server">>();
  const sockets = new WebSocketServer({ server, path: STAFF_SOCKET_PATH });
  sockets.on("connection", (socket) => {
    const peer: Peer<typeof staffSocket, "server"> = createPeer({
      contract: staffSocket,
      end: "server",
      socket: fromWs(socket),
      timers: systemTimers,
      handlers: {},
      listeners: { follow: () => {} },
      onClose: () => void consoles.delete(peer),
      log: () => {},
    });
    consoles.add(peer);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  let changed = 0;
  const due = new Map<number, FloorMachine>();
  const pushing = setInterval(() => {
    if (due.size === 0) return;
    for (const peer of consoles) peer.notify("floor", { rows: [...due.values()], gone: [] });
    due.clear();
  }, PUSH_MS);
  return {
    href: `http://localhost:${(server.address() as AddressInfo).port}`,
    change() {
      const at = changed % machines.length;
      changed += 1;
      const row = changedRow(machines[at] ?? machineOf(at), changed, new Date().toISOString());
      machines[at] = row;
      due.set(at, row);
    },
    async close() {
      clearInterval(pushing);
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function machineOf(at: number): FloorMachine {
  const playing = at % 5 < 3;
  return {
    id: `m-${String(at).padStart(3, "0")}`,
    name: `Nar ${String(at).padStart(3, "0")}`,
    brand: "Nar",
    group: `Bank ${Math.floor(at / ISLAND)}`,
    simulated: true,
    lamp: playing ? "playing" : "available",
    state: playing ? "playing" : "free",
    mode: "open",
    lockup: null,
    answers: true,
    player: playing ? { id: `p_${at}`, username: `player.${at}` } : null,
    credit: playing ? 50_000 + at * 10 : 0,
    lastWin: playing ? 1_200 : null,
    lastGameAt: null,
    watchers: 0,
    reservedFor: null,
    reservedUntil: null,
    seatEndsAt: null,
    stillTag: String(at % STILLS),
    stillAt: new Date().toISOString(),
    needs: [],
    delayMs: playing ? 40 : null,
  };
}

/** As after a game: another credit, and a new still. */
const changedRow = (row: FloorMachine, number: number, now: string): FloorMachine => ({
  ...row,
  credit: row.player === null ? 0 : 40_000 + ((number * 7) % 30_000),
  stillTag: String(number % STILLS),
  stillAt: now,
});

function answersFor(machines: readonly FloorMachine[]) {
  const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: new Date().toISOString() });
  const me = () => ({
    person: { id: "st_1", username: "eva", name: "Eva Kaya", roles: ["supervisor"] },
    permissions: ROLES.supervisor.permissions,
    limits: {},
    signIn: { id: "si_1", how: "passkey", since: SIGNED_IN, expiresAt: SIGNED_IN, locked: false, idleMs: 86_400_000 },
    csrf: "token",
    passkeys: 1,
    recoveryCodesLeft: 10,
    directory: null,
    previousSignIn: null,
    venue: {
      name: "Grand Levent",
      node: "main",
      version: "0.1.0",
      now: new Date().toISOString(),
      timeZone: "Europe/Istanbul",
      dayBeginsMinutes: 360,
      secondPerson: true,
      operatorWallet: false,
    },
  });
  return (name: string): unknown => {
    if (name === "me") return me();
    if (name === "floor") return listOf(machines);
    return name === "active" || name === "lock" ? {} : listOf([]);
  };
}

function json(response: ServerResponse, answer: unknown): void {
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(answer));
}

/** A file of the build as a proxy gives it, compressed where that is there; any other address is the page. */
async function file(response: ServerResponse, dist: string, path: string): Promise<void> {
  const wanted = join(dist, normalize(path));
  const found = extname(path) !== "" && existsSync(wanted) ? wanted : join(dist, "index.html");
  const packed = existsSync(`${found}.br`);
  response.writeHead(200, {
    "content-type": TYPES[extname(found)] ?? "application/octet-stream",
    ...(packed && { "content-encoding": "br" }),
    "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  });
  response.end(await readFile(packed ? `${found}.br` : found));
}

/** Stripes that differ from still to still, encoded as an agent does it. */
async function stillOf(number: number): Promise<Buffer> {
  const [width, height] = [640, 400];
  const data = new Uint8Array((width * height * 3) / 2).fill(128);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) data[y * width + x] = 40 + ((x * (number + 3) + ((x * y) >> 6) + y * 2) % 180);
  return await encodeStill({ width, height, data, capturedAtMs: 0 });
}
