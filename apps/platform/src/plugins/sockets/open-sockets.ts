import { CLOSE } from "@longarm/contract/envelope";
import type { Clock } from "../../clock.ts";
import { limitKey } from "../client-address.ts";
import type { GuardedSocket } from "./guarded-socket.ts";

/** The sockets that are open now, counted by address. */
export function createOpenSockets(clock: Clock) {
  const open = new Set<GuardedSocket>();
  const perAddress = new Map<string, number>();

  function forget(socket: GuardedSocket, key: string): void {
    open.delete(socket);
    const left = (perAddress.get(key) ?? 1) - 1;
    if (left > 0) perAddress.set(key, left);
    else perAddress.delete(key);
  }

  return {
    add(socket: GuardedSocket, address: string): void {
      const key = limitKey(address);
      open.add(socket);
      perAddress.set(key, (perAddress.get(key) ?? 0) + 1);
      socket.once("close", () => forget(socket, key));
    },
    /** How many one address holds. */
    of: (address: string): number => perAddress.get(limitKey(address)) ?? 0,
    /** Tells all to come back later, and cuts those that do not go within `graceMs`. */
    async closeAll(graceMs: number): Promise<void> {
      const gone = [...open].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      for (const socket of open) socket.close(CLOSE.restart, "restart");
      const stop = clock.after(graceMs, () => {
        for (const socket of open) socket.terminate();
      });
      await Promise.all(gone);
      stop();
    },
    get size(): number {
      return open.size;
    },
  };
}
