import { agentLink } from "@longarm/contract/agent-link";
import { SUBPROTOCOL } from "@longarm/contract/envelope";
import { keepAlive, PING_MS } from "@longarm/link/keep-alive";
import type { FrameSocket } from "@longarm/link/socket";
import { fromWs, HandshakeRefused } from "@longarm/link/ws-socket";
import WebSocket from "ws";
import type { Clock } from "../ports/clock.ts";

const HANDSHAKE_MS = 10_000;
/** Parts of one unfinished message of the platform, which sends each in one. */
const FRAGMENTS_MAX = 16;

export type DialOptions = {
  readonly url: string;
  /** Sent with the upgrade, never logged. */
  readonly key: string;
  readonly clock: Clock;
  /** A platform that answers none of three is gone, whatever TCP believes. */
  readonly pingMs?: number;
  /** How long the handshake may take, ms. */
  readonly handshakeMs?: number;
};

/** Opens the agent link. Rejects with `HandshakeRefused` when the platform answers with an HTTP status, else with the network's error. */
export function dialPlatform({
  url,
  key,
  clock,
  pingMs = PING_MS,
  handshakeMs = HANDSHAKE_MS,
}: DialOptions): Promise<FrameSocket> {
  return new Promise((opened, failed) => {
    const socket = new WebSocket(url, SUBPROTOCOL, {
      headers: { authorization: `Bearer ${key}` },
      maxPayload: agentLink.frameBytesMax,
      maxFragments: FRAGMENTS_MAX,
      handshakeTimeout: handshakeMs,
      perMessageDeflate: false,
    });
    const frames = fromWs(socket);
    socket.once("unexpected-response", (request, response) => {
      response.resume();
      failed(new HandshakeRefused(response.statusCode ?? 0, ""));
      request.destroy();
    });
    socket.once("open", () => {
      keepAlive(socket, { clock, pingMs });
      opened(frames);
    });
    socket.once("error", failed);
  });
}
