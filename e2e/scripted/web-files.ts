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

/** As strict as the platform's own: no inline script, no inline style element. `hosts`: others that the settings name. */
const policyOf = (hosts: readonly string[]): string =>
  `default-src 'self'; script-src 'self' ${hosts.join(" ")}; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' ${hosts.join(" ")}; frame-ancestors 'self'`;

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
  response.writeHead(200, { "content-type": type, "content-security-policy": policyOf(hosts) });
  createReadStream(full).pipe(response);
}
