import type { WebSocket } from "ws";
import type { Clock } from "../../clock.ts";

/** How often a silent peer is asked whether it is there, ms. */
export const PING_MS = 15_000;

/** Asks with a ping each 15 s; a peer that answered nothing since the last one is cut. */
export function keepAlive(socket: WebSocket, clock: Clock): void {
  let heard = true;
  const hear = () => {
    heard = true;
  };
  socket.on("pong", hear);
  socket.on("message", hear);
  const stop = clock.every(PING_MS, () => {
    if (!heard) return socket.terminate();
    heard = false;
    socket.ping();
  });
  socket.once("close", stop);
}
