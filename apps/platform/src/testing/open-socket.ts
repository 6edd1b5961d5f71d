import { SUBPROTOCOL } from "@longarm/contract/envelope";
import { WebSocket } from "ws";

export type OpenOptions = {
  /** Null: none is offered. */
  readonly protocol?: string | readonly string[] | null;
  readonly origin?: string;
  readonly headers?: Record<string, string>;
};

/** A client's socket with everything it was told, for tests. */
export function openSocket(url: string, { protocol = SUBPROTOCOL, ...options }: OpenOptions = {}) {
  const protocols = protocol === null ? [] : [protocol].flat();
  const socket = new WebSocket(url, protocols, { ...options, perMessageDeflate: false });
  const frames: unknown[] = [];
  const opened = new Promise<void>((resolve) => socket.once("open", resolve));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once("close", (code, reason) => resolve({ code, reason: String(reason) })),
  );
  /** HTTP status of a refused handshake. */
  const refused = new Promise<number>((resolve) =>
    socket.once("unexpected-response", (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    }),
  );
  socket.on("message", (data) => {
    const text = String(data);
    frames.push(/^[{[]/.test(text) ? JSON.parse(text) : text);
  });
  socket.on("error", () => {});
  return { socket, frames, opened, closed, refused, send: (frame: unknown) => socket.send(JSON.stringify(frame)) };
}
