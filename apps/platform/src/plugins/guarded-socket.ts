import { CLOSE } from "@longarm/contract/envelope";
import { WebSocket } from "ws";
import type { Clock } from "../clock.ts";

/** What a slow reader may make us keep, bytes. */
export const WAITING_BYTES_MAX = 1_048_576;

/** How long a peer has to answer our close frame before the connection is cut, ms. */
const CLOSE_ANSWER_MS = 3_000;

type Send = Parameters<WebSocket["send"]>;

/**
 * A socket that never buffers without end: when more than 1 MiB waits to leave, it is closed with 1013, and cut when the peer
 * does not read that either.
 */
export class GuardedSocket extends WebSocket {
  #deaf = false;

  /** Closes, and gives no message that still comes to anybody. */
  closeDeaf(code: number, reason: string): void {
    this.#deaf = true;
    this.close(code, reason);
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (this.#deaf && event === "message") return false;
    return super.emit(event, ...args);
  }

  override send(...args: unknown[]): void {
    if (this.readyState !== WebSocket.OPEN) return;
    if (this.bufferedAmount > WAITING_BYTES_MAX) {
      this.close(CLOSE.later, "you read too slowly");
      return;
    }
    super.send(...(args as Send));
  }

  override close(code?: number, reason?: string | Buffer): void {
    if (this.readyState === WebSocket.CLOSED) return;
    super.close(code, reason);
    const cut = setTimeout(() => this.terminate(), CLOSE_ANSWER_MS);
    this.once("close", () => clearTimeout(cut));
  }
}

const WINDOW_MS = 1_000;

/**
 * Counts the messages of many sockets together, by whoever sends them: an address or an account must not get more by opening more sockets.
 * Answers whether this one is still within `perSecondMax`.
 */
export function createMessageCounts(clock: Clock, perSecondMax: number): (key: string) => boolean {
  const counts = new Map<string, number>();
  let windowStart = clock.now();
  return (key) => {
    const now = clock.now();
    if (now - windowStart >= WINDOW_MS) {
      windowStart = now;
      counts.clear();
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= perSecondMax;
  };
}
