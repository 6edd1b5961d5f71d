import { notificationSocket } from "@longarm/contract/notification-socket";
import { createPeer } from "@longarm/link/peer";
import type { Timers } from "@longarm/link/socket";
import { stayConnected } from "@longarm/link/stay-connected";
import { dialSocket } from "@longarm/link/ws-socket";
import type { Venue } from "./venue.ts";

export type NotificationsDeps = {
  readonly timers: Timers;
  readonly random: () => number;
  /** The socket is open and told who we are; again after each loss. */
  readonly open?: () => void;
  readonly lost?: () => void;
  readonly machine?: (id: string, status: number) => void;
};

const HANDSHAKE_MS = 10_000;

/** A page's notification socket, which comes back by itself. Answers how to close it. */
export function openNotifications(
  venue: Venue,
  { token, id }: { readonly token: string; readonly id: string },
  deps: NotificationsDeps,
): () => void {
  const url = new URL(venue.notifications);
  url.searchParams.set("token", token);
  const connection = stayConnected({
    ...{ timers: deps.timers, random: deps.random },
    open: () =>
      dialSocket({ url: url.href, frameBytesMax: notificationSocket.frameBytesMax, handshakeMs: HANDSHAKE_MS }),
    session(socket, lost) {
      const peer = createPeer({
        ...{ contract: notificationSocket, end: "client", socket, timers: deps.timers, handlers: {} },
        listeners: { machine: (changed) => deps.machine?.(changed.id, changed.status) },
        log: () => {},
        onClose(code, reason) {
          deps.lost?.();
          lost(code, reason);
        },
      });
      void peer.request("init", { id }).then((answer) => {
        if (answer.is === "done") deps.open?.();
      });
    },
  });
  return () => connection.stop();
}
