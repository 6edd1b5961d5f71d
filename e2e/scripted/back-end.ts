import { createReadStream, existsSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import type { Script, ScriptedCall } from "./answers.ts";
import { createAnswers, scriptedToken } from "./answers.ts";
import type { GameListener, OpenedSocket } from "./sockets.ts";
import { scriptSockets } from "./sockets.ts";
import type { World } from "./world.ts";

/** A back end that says what its script says: for looking at the web, and for tests of it, without a platform. */
export type ScriptedBackEnd = {
  readonly url: string;
  /** A token that this back end takes, for `?token=`. */
  readonly token: string;
  readonly world: World;
  /** Every call of the API it got, in order. */
  readonly calls: ScriptedCall[];
  /** Those calls as "GET /v1/…", for short. */
  called(): string[];
  /** The next answer of a path: `failNext("/v1/player/balance", 401)`. */
  failNext(path: string, httpStatus: number, body?: unknown): void;
  /** What a call is answered from now on: `script("GET /v1/player/sessions", ({ query }) => ok({ rows, total }))`. It may be held by a promise. */
  script(route: string, script: Script): void;
  /** Notifies every notification socket. */
  push(method: string, data: unknown): void;
  /** How many notification sockets have said who they are. */
  listening(): number;
  /** Every socket that the page opened, in order. The game socket answers only what `listenToGame` answers. */
  readonly opened: { readonly notifications: OpenedSocket[]; readonly game: OpenedSocket[] };
  /** Called with every frame that the page sends on a game socket. */
  listenToGame(onFrame: GameListener): void;
  /** Closes new notification sockets at once, as a platform that restarts does. */
  refuseSockets(refuse: boolean): void;
  /** Drops every notification socket. */
  drop(code: number, reason: string): void;
  close(): Promise<void>;
};

/** Where back ends are reached one after another: the next one opens when the one before is closed. */
export type Door = {
  readonly server: Server;
  readonly url: string;
  /** The address of an empty page, which needs no back end. */
  readonly blank: string;
};

const BLANK = "/between-visitors";

/** The caller closes its server. */
export async function openDoor(): Promise<Door> {
  const server = createServer((request, response) => {
    if (request.url === BLANK) response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
    // No back end is open that could answer.
    else if (server.listenerCount("request") === 1) response.writeHead(503).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The scripted back end has no port");
  const url = `http://127.0.0.1:${address.port}`;
  return { server, url, blank: `${url}${BLANK}` };
}

/** `door`: a browser comes again there, and may keep the files that it got. Without it the back end has a port of its own. */
export async function startScriptedBackEnd(
  world: World,
  webFolder: string,
  expSeconds: number,
  door?: Door,
): Promise<ScriptedBackEnd> {
  const calls: ScriptedCall[] = [];
  const token = scriptedToken(world.player, expSeconds);
  const { answer, failNext, script } = createAnswers(world, token, calls);
  const { server, url, blank } = door ?? (await openDoor());
  const web: Web = { folder: webFolder, hosts: world.hosts, keeps: door !== undefined };
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (blank === `${url}${request.url}`) return;
    const answered = await answer(await readCall(request));
    if (answered === undefined) return serveWeb(web, request, response);
    response.writeHead(answered.httpStatus, { "content-type": "application/json", ...answered.headers });
    const isWritten = typeof answered.body === "string" || answered.body instanceof Uint8Array;
    response.end(isWritten ? answered.body : JSON.stringify(answered.body));
  };
  server.on("request", onRequest);
  const { end, ...sockets } = scriptSockets(server, world);
  return {
    ...{ url, token, world, calls, failNext, script },
    ...sockets,
    called: () => calls.map(({ method, path }) => `${method} ${path}`),
    async close() {
      end();
      server.off("request", onRequest);
      server.closeAllConnections();
      if (door === undefined) await new Promise((closed) => server.close(closed));
    },
  };
}

async function readCall(request: IncomingMessage): Promise<ScriptedCall> {
  const url = new URL(request.url ?? "/", "http://x");
  let text = "";
  for await (const part of request) text += String(part);
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: text === "" ? undefined : (JSON.parse(text) as unknown),
  };
}

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

const FRAMED: ReadonlySet<string> = new Set(Object.values(INFO_PAGES).map(({ path }) => path));

/** As strict as the platform's own: no inline script or style element, and only info pages in a frame. `hosts`: others that the settings name. */
const policyOf = (path: string, hosts: readonly string[]): string =>
  `default-src 'self'; script-src 'self' ${hosts.join(" ")}; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob: data:; connect-src 'self' ${hosts.join(" ")}; frame-ancestors ${FRAMED.has(path) ? "'self'" : "'none'"}`;

/** The files of a built web. */
type Web = {
  readonly folder: string;
  readonly hosts: readonly string[];
  /** Whether a browser may keep them; it never keeps the page itself, whose policy differs. */
  readonly keeps: boolean;
};

/** Serves a built web; every path without an ending is the page itself. */
function serveWeb({ folder, hosts, keeps }: Web, { url = "/" }: IncomingMessage, response: ServerResponse): void {
  const path = normalize(new URL(url, "http://x").pathname);
  const full = join(folder, decodeURIComponent(extname(path) === "" ? "/index.html" : path));
  if (!existsSync(full)) {
    response.writeHead(404).end();
    return;
  }
  const type = TYPES[extname(full)] ?? "application/octet-stream";
  response.writeHead(200, {
    "content-type": type,
    "content-security-policy": policyOf(path, hosts),
    ...(keeps && { "cache-control": type === TYPES[".html"] ? "no-store" : "public, max-age=3600" }),
  });
  createReadStream(full).pipe(response);
}
