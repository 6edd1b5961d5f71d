import { SUBPROTOCOL } from "@longarm/contract/envelope";
import { keepFrames } from "./keep-frames.ts";
import type { FrameSocket } from "./socket.ts";

/** Opens a WebSocket of the browser. Rejects when it closes before it opened, with its code in the error's `cause`. */
export function openBrowserSocket(
  url: string,
  make: (url: string, protocol: string) => WebSocket = defaultMake,
): Promise<FrameSocket> {
  return new Promise((opened, failed) => {
    const socket = make(url, SUBPROTOCOL);
    const events = keepFrames();
    socket.onopen = () =>
      opened({
        send: (text) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text);
        },
        close: (code, reason) => socket.close(closable(code), reason.slice(0, 120)),
        waitingBytes: () => socket.bufferedAmount,
        listen: events.listen,
      });
    socket.onmessage = (message) => (typeof message.data === "string" ? events.text(message.data) : events.binary());
    socket.onclose = (close) => {
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
