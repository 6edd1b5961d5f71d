import { createReadStream, existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { INFO_PAGES } from "@longarm/contract/info-pages";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

const FRAMED: ReadonlySet<string> = new Set(Object.values(INFO_PAGES).map(({ path }) => path));

/** As strict as the platform's own: no inline script or style element, and only info pages in a frame. `hosts`: others that the settings name. */
const policyOf = (path: string, hosts: readonly string[]): string =>
  `default-src 'self'; script-src 'self' ${hosts.join(" ")}; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' ${hosts.join(" ")}; frame-ancestors ${FRAMED.has(path) ? "'self'" : "'none'"}`;

/** Serves a built web; every path without an ending is the page itself. */
export function serveWeb(
  folder: string,
  hosts: readonly string[],
  { url = "/" }: IncomingMessage,
  response: ServerResponse,
): void {
  const path = normalize(new URL(url, "http://x").pathname);
  const full = join(folder, decodeURIComponent(extname(path) === "" ? "/index.html" : path));
  if (!existsSync(full)) {
    response.writeHead(404).end();
    return;
  }
  const type = TYPES[extname(full)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "content-security-policy": policyOf(path, hosts) });
  createReadStream(full).pipe(response);
}
