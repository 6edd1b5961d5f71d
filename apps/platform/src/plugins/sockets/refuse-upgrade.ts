import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** HTTP status and a sentence that says what to do. */
export type UpgradeRefusal = readonly [status: number, sentence: string];

/** Answers an upgrade with a plain HTTP refusal and ends the connection. */
export function refuseUpgrade(stream: Duplex, [status, sentence]: UpgradeRefusal): void {
  if (stream.destroyed) return;
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
