import type { Server } from "node:net";
import type { RTCPeerConnection } from "werift";
import { TcpPassiveProtocol } from "werift";

/** Connections that one of a viewer's listeners holds at once. A browser opens one for each of its networks. */
const CONNECTIONS_MAX = 16;
/** A connection on which nothing goes either way for so long is closed, ms. A browser's checks come every few seconds. */
const SILENT_MS = 15_000;

/** Limits what strangers may do to the TCP listeners of a peer; to be called whenever it has gathered its addresses. */
export function limitTcp(peer: RTCPeerConnection): void {
  for (const { connection } of peer.iceTransports) {
    const { protocols } = connection as unknown as { readonly protocols: readonly unknown[] };
    for (const protocol of protocols)
      if (protocol instanceof TcpPassiveProtocol) limitListener((protocol as unknown as { server: Server }).server);
  }
}

const limited = new WeakSet<Server>();

export function limitListener(listener: Server, silentMs = SILENT_MS): void {
  if (limited.has(listener)) return;
  limited.add(listener);
  listener.maxConnections = CONNECTIONS_MAX;
  listener.on("connection", (socket) => socket.setTimeout(silentMs, () => socket.destroy()));
}
