import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import * as z from "zod/mini";
import { Order } from "./orders.ts";
import type { Powered } from "./powered.ts";

const BODY_BYTES_MAX = 4_096;
/** A browser page of another site reaches 127.0.0.1 by a name of its own; only these names are ours. */
const HOSTS = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** The control of one cabinet for this computer: `GET /` reports the machine as JSON, `POST /` orders one thing of `Order`. */
export function createControl(powered: Pick<Powered, "order" | "report">): Server {
  const server = createServer((request, response) => {
    answer(request, powered).then(
      ({ status, body }) => send(response, status, body),
      () => response.destroy(),
    );
  });
  server.requestTimeout = 5_000;
  server.maxConnections = 16;
  return server;
}

type Answer = { status: number; body: unknown };

async function answer(request: IncomingMessage, powered: Pick<Powered, "order" | "report">): Promise<Answer> {
  if (!HOSTS.test(request.headers.host ?? "")) return { status: 403, body: { problem: "Use http://127.0.0.1." } };
  if (request.url !== "/") return { status: 404, body: { problem: "There is only /." } };
  if (request.method === "GET") return { status: 200, body: powered.report() };
  if (request.method !== "POST") return { status: 405, body: { problem: "GET reports, POST orders." } };
  if (request.headers["content-type"]?.split(";")[0] !== "application/json") {
    return { status: 415, body: { problem: "Send application/json." } };
  }
  const text = await readBody(request);
  if (text === null) return { status: 413, body: { problem: `An order has at most ${BODY_BYTES_MAX} bytes.` } };
  const parsed = Order.safeParse(jsonOf(text));
  if (!parsed.success) return { status: 400, body: { problem: z.prettifyError(parsed.error) } };
  return { status: 200, body: { done: powered.order(parsed.data) } };
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}
