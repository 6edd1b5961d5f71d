import type { Clock } from "../../clock.ts";
import { limitKey } from "../client-address.ts";

const MINUTE_MS = 60_000;
/** Addresses that are remembered; beyond them the count begins anew. */
const REMEMBERED_MAX = 20_000;

/**
 * Counts the handshakes of each address in a minute, before anything else is looked at: every one may cost a look into the database, and
 * the limits of HTTP calls do not see them. Answers whether this one may go on.
 */
export function createHandshakeLimit(clock: Clock, perMinute: number): (address: string) => boolean {
  const counts = new Map<string, number>();
  let windowStart = clock.now();
  return (address) => {
    const now = clock.now();
    if (now - windowStart >= MINUTE_MS || counts.size >= REMEMBERED_MAX) {
      windowStart = now;
      counts.clear();
    }
    const key = limitKey(address);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= perMinute;
  };
}
