import { SUBPROTOCOL } from "@longarm/contract/envelope";
import { keepFrames } from "./keep-frames.ts";
import type { FrameSocket } from "./socket.ts";
import { systemTimers } from "./socket.ts";

/** A server that has not opened the socket by then is as good as away; browsers wait for minutes. ms */
const HANDSHAKE_MS = 10_000;

/**
 * Opens a WebSocket of the browser. Rejects when it closes before it opened, with its code in the error's `cause`, and when it is not
 * open after 10 s.
 */
export function openBrowserSocket(
  url: string,
  make: (url: string, protocol: string) => WebSocket = defaultMake,
  timers = systemTimers,
): Promise<FrameSocket> {
  return new Promise((opened, failed) => {
    const socket = make(url, SUBPROTOCOL);
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

function defaultMake(url: string, protocol: string): WebSocket {
  return new WebSocket(url, protocol);
}

/** A browser may only close with 1000 or 3000 to 4999. */
function closable(code: number): number {
  return code === 1000 || (code >= 3000 && code <= 4999) ? code : 4001;
}
