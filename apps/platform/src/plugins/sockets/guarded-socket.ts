import { CLOSE } from "@longarm/contract/envelope";
import { WebSocket } from "ws";

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
