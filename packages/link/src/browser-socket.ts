import { SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "@longarm/contract/envelope";
import { keepFrames } from "./keep-frames.ts";
import type { FrameSocket } from "./socket.ts";
import { systemTimers } from "./socket.ts";

/** A server that has not opened the socket by then is as good as away; browsers wait for minutes. ms */
const HANDSHAKE_MS = 10_000;

/** Where a socket is. `token`: brought by a header of the handshake, and so in no address. */
export type SocketAddress = { readonly url: string; readonly token?: string | undefined };

/**
 * Opens a WebSocket of the browser. Rejects when it closes before it opened, with its code in the error's `cause`, and when it is not
 * open after 10 s.
 */
export function openBrowserSocket(
  address: string | SocketAddress,
  make: (url: string, protocols: string[]) => WebSocket = defaultMake,
  timers = systemTimers,
): Promise<FrameSocket> {
  const { url, token }: SocketAddress = typeof address === "string" ? { url: address } : address;
  return new Promise((opened, failed) => {
    const socket = make(url, [SUBPROTOCOL, ...(token === undefined ? [] : [TOKEN_SUBPROTOCOL + token])]);
    const events = keepFrames();
    const stop = timers.after(HANDSHAKE_MS, () => {
      failed(new Error("The socket did not open in time"));
      socket.close();
    });
    socket.onopen = () => {
      stop();
      opened({
        send: (text) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text);
        },
        close: (code, reason) => socket.close(closable(code), reason.slice(0, 120)),
        waitingBytes: () => socket.bufferedAmount,
        listen: events.listen,
      });
    };
    socket.onmessage = (message) => (typeof message.data === "string" ? events.text(message.data) : events.binary());
    socket.onclose = (close) => {
      stop();
      failed(new Error("The socket closed before it opened", { cause: close.code }));
      events.closed(close.code, close.reason);
    };
  });
}

function defaultMake(url: string, protocols: string[]): WebSocket {
  return new WebSocket(url, protocols);
}

/** A browser may only close with 1000 or 3000 to 4999. */
function closable(code: number): number {
  return code === 1000 || (code >= 3000 && code <= 4999) ? code : 4001;
}
