import type { IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../clock.ts";

/** HTTP status and a sentence that says what to do. */
export type UpgradeRefusal = readonly [status: number, sentence: string];

/** How long a refused caller may keep its connection, ms: it has to read one short answer. */
export const REFUSED_MS_MAX = 2_000;
/** What it may still send meanwhile, bytes. */
const DRAINED_BYTES_MAX = 65_536;

/**
 * Whether a request is taken from the HTTP server and given to the sockets. Every other offer of an upgrade (`h2c`, TLS, a list of several)
 * is answered as plain HTTP/1.1, and so is one with a body: its length says where the next request begins, which an upgrade would not look at.
 */
export function isSocketUpgrade({ method, headers }: Pick<IncomingMessage, "method" | "headers">): boolean {
  return (
    method === "GET" &&
    headers.upgrade?.trim().toLowerCase() === "websocket" &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined
  );
}

/**
 * Answers an upgrade with a plain HTTP refusal and ends the connection. The HTTP server has let go of it by now, so nothing else reads it or
 * times it out: unread bytes would hide the caller's own end, and the descriptor would be lost for good.
 */
export function refuseUpgrade(stream: Duplex, [status, sentence]: UpgradeRefusal, clock: Clock): void {
  if (stream.destroyed) return;
  stream.once(
    "close",
    clock.after(REFUSED_MS_MAX, () => stream.destroy()),
  );
  let drained = 0;
  stream.on("data", (part: Buffer) => {
    drained += part.length;
    if (drained > DRAINED_BYTES_MAX) stream.destroy();
  });
  const body = `${sentence}\n`;
  stream.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}`,
      "connection: close",
      "content-type: text/plain; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}
