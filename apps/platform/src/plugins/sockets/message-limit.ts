import { CLOSE } from "@longarm/contract/envelope";
import type { Clock } from "../../clock.ts";
import type { GuardedSocket } from "./guarded-socket.ts";

const WINDOW_MS = 1_000;
/** Emitted by a socket that is closed for it. */
export const TOO_MANY_MESSAGES = Symbol("too many messages");

/**
 * Closes a socket with 1008 when more than `perSecondMax` messages (or pings, or pongs) come within a second, or when `mayAlso` says that
 * they are too many together with those of others; reads no more of it.
 */
export function limitMessages(
  socket: GuardedSocket,
  clock: Clock,
  perSecondMax: number,
  mayAlso: () => boolean = () => true,
): void {
  let windowStart = clock.now();
  let count = 0;
  const counted = () => {
    const now = clock.now();
    if (now - windowStart >= WINDOW_MS) {
      windowStart = now;
      count = 0;
    }
    count += 1;
    const tooMany = !mayAlso() || count > perSecondMax;
    // What still comes until the peer answers our close is counted, and changes nothing.
    if (!tooMany || socket.readyState !== socket.OPEN) return;
    socket.emit(TOO_MANY_MESSAGES);
    socket.closeDeaf(CLOSE.malformed, "too many messages");
  };
  socket.on("message", counted);
  socket.on("ping", counted);
  socket.on("pong", counted);
}
