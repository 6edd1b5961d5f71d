import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { limitKey, plainAddress } from "./client-address.ts";

/** How often dropped connections are told in the log, ms: a flood must not fill the disk as well. */
const TELL_MS = 60_000;

export type ConnectionLimits = {
  /** Connections open at once; more are dropped unseen. */
  readonly max: number;
  /** Of one address; null: a proxy of ours stands in front, and all come from it. */
  readonly perAddress: number | null;
};

export type ConnectionLimitDeps = {
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each connection that is dropped. */
  limited?(limit: "connections", address: string): void;
};

/** Bounds the connections of an HTTP server before a byte of them is read: each costs memory and a file of the process. */
export function limitConnections(
  server: Server,
  { max, perAddress }: ConnectionLimits,
  { clock, log, limited }: ConnectionLimitDeps,
): void {
  const open = new Map<string, number>();
  let dropped = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  function tell(address: string): void {
    dropped += 1;
    limited?.("connections", plainAddress(address));
    if (clock.now() - toldAt < TELL_MS) return;
    log.warn({ dropped }, "connections were dropped, too many are open");
    toldAt = clock.now();
    dropped = 0;
  }

  server.maxConnections = max;
  server.on("drop", (connection) => tell(connection?.remoteAddress ?? "unknown"));
  if (perAddress === null) return;
  server.on("connection", (socket) => {
    const key = limitKey(plainAddress(socket.remoteAddress ?? ""));
    const count = (open.get(key) ?? 0) + 1;
    open.set(key, count);
    socket.once("close", () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
    if (count <= perAddress) return;
    const address = socket.remoteAddress ?? "unknown";
    socket.destroy();
    tell(address);
  });
}

/** Every connection of a server, whatever has become of it: the HTTP server itself forgets those that were upgraded. */
export function trackConnections(server: Server): { destroyAll(): number } {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return {
    /** Ends all that are left, at once; returns how many. */
    destroyAll() {
      const left = open.size;
      for (const socket of open) socket.destroy();
      return left;
    },
  };
}
