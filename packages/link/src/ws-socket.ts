import { SUBPROTOCOL } from "@longarm/contract/envelope";
import WebSocket from "ws";
import { keepFrames } from "./keep-frames.ts";
import type { FrameSocket } from "./socket.ts";

/** Event on the socket: how many requests of its other end are being answered now. */
export const ANSWERING = Symbol("answering");

/** An open socket of `ws`, from a server's upgrade or from `dialSocket`. */
export function fromWs(socket: WebSocket): FrameSocket {
  const events = keepFrames();
  socket.on("message", (data: WebSocket.RawData, isBinary: boolean) =>
    isBinary ? events.binary() : events.text(String(data)),
  );
  socket.on("close", (code: number, reason: Buffer) => events.closed(code, reason.toString("utf8")));
  // A socket error is always followed by its close, which carries all we need.
  socket.on("error", () => {});
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: (code, reason) => socket.close(code, Buffer.from(reason).subarray(0, 120).toString("utf8")),
    waitingBytes: () => socket.bufferedAmount,
    listen: events.listen,
    answering: (open) => void socket.emit(ANSWERING, open),
  };
}

export type Dial = {
  readonly url: string;
  /** Sent with the upgrade; never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly frameBytesMax: number;
  /** Gives up the handshake after this many ms. */
  readonly handshakeMs: number;
};

/** A handshake that was answered with something else than 101. */
export class HandshakeRefused extends Error {
  override readonly name = "HandshakeRefused";
  readonly httpStatus: number;
  constructor(httpStatus: number, body: string) {
    super(`The server refused the socket with HTTP ${httpStatus}${body === "" ? "" : `: ${body}`}`);
    this.httpStatus = httpStatus;
  }
}

/** Opens a socket to a server. Rejects with `HandshakeRefused` when it answers with an HTTP status. */
export function dialSocket({ url, headers, frameBytesMax, handshakeMs }: Dial): Promise<FrameSocket> {
  return new Promise((opened, failed) => {
    const socket = new WebSocket(url, SUBPROTOCOL, {
      headers: { ...headers },
      maxPayload: frameBytesMax,
      handshakeTimeout: handshakeMs,
      perMessageDeflate: false,
    });
    const frames = fromWs(socket);
    socket.once("unexpected-response", (request, response) => {
      const body: Buffer[] = [];
      response.on("data", (part: Buffer) => body.length < 4 && body.push(part));
      response.on("end", () =>
        failed(new HandshakeRefused(response.statusCode ?? 0, String(Buffer.concat(body)).slice(0, 300))),
      );
      response.on("error", failed);
      response.on("end", () => request.destroy());
    });
    socket.once("open", () => opened(frames));
    socket.once("error", failed);
  });
}
