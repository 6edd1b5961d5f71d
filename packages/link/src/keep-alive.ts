import type WebSocket from "ws";
import type { Stop } from "./socket.ts";

/** How often the other end is pinged, ms. */
export const PING_MS = 2_500;
/** Pings without any sign of life before the connection is cut: a frozen process or a dead line is noticed within 10 s. */
const UNANSWERED_MAX = 3;

export type KeepAlive = {
  readonly clock: { every(periodMs: number, run: () => void): Stop };
  readonly pingMs?: number;
  /** Runs beside each ping, for what the other end needs to know as well. */
  readonly beside?: () => void;
};

/**
 * Pings for as long as the socket lives, and cuts it when the other end is silent. Pings are counted instead of time: a process that was
 * itself suspended reads what arrived meanwhile before its next ping.
 */
export function keepAlive(socket: WebSocket, { clock, pingMs = PING_MS, beside }: KeepAlive): void {
  let unanswered = 0;
  const onSign = (): void => {
    unanswered = 0;
  };
  for (const sign of ["pong", "ping", "message"] as const) socket.on(sign, onSign);
  const stop = clock.every(pingMs, () => {
    if (unanswered >= UNANSWERED_MAX) return socket.terminate();
    unanswered += 1;
    socket.ping();
    beside?.();
  });
  socket.once("close", stop);
}
