import { notificationSocket } from "@longarm/contract/notification-socket";
import type { SocketAddress } from "@longarm/link/browser-socket";
import { openBrowserSocket } from "@longarm/link/browser-socket";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket, Timers } from "@longarm/link/socket";
import type { LinkState } from "@longarm/link/stay-connected";
import { stayConnected } from "@longarm/link/stay-connected";
import type { Log } from "../log/log.ts";
import type { NotificationEvent } from "./notification-events.ts";

export type NotificationDeps = {
  /** The full address with its token, read at every attempt. */
  readonly address: () => SocketAddress;
  readonly playerId: string;
  readonly emit: <M extends keyof NotificationEvent>(method: M, data: NotificationEvent[M]) => void;
  /** Connecting, open, waiting, or ended for good (close code 4000). */
  readonly onState: (state: LinkState) => void;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
  readonly open?: (address: SocketAddress) => Promise<FrameSocket>;
};

/** Keeps the notification socket up until stopped: comes back with back-off, and never after a final close. Errors are only logged. */
export function keepNotified(deps: NotificationDeps): { stop(): void; retryNow(): void; askAgain(): void } {
  const open = deps.open ?? openBrowserSocket;
  let reported = false;
  let closeNow = (): void => {};
  const link = stayConnected({
    open: () => open(deps.address()),
    timers: deps.timers,
    random: deps.random,
    onState(state) {
      // One line an outage: a platform that is away for the night would fill the console.
      if (state.is === "waiting" && !reported)
        deps.log(`The notification socket is away${whyOf(state)}. It comes back by itself.`);
      if (state.is === "waiting") reported = true;
      if (state.is !== "open") closeNow = () => {};
      else reported = false;
      deps.onState(state);
    },
    session(socket, lost) {
      const peer = createPeer({
        contract: notificationSocket,
        end: "client",
        socket,
        timers: deps.timers,
        handlers: {},
        listeners: {
          machine: (data) => deps.emit("machine", data),
          balance: (data) => deps.emit("balance", data),
          session: (data) => deps.emit("session", data),
          chat: (data) => deps.emit("chat", data),
          paid: (data) => deps.emit("paid", data),
          queue: (data) => deps.emit("queue", data),
          waiting: (data) => deps.emit("waiting", data),
        },
        onClose: lost,
        log: deps.log,
      });
      // An end of our own is no outage.
      closeNow = () => {
        reported = true;
        peer.close(1000, "asks again");
      };
      void peer.request("init", { id: deps.playerId }).then((answer) => {
        if (answer.is === "refused") deps.log(`The notification socket refused us: ${answer.refusal.code}.`);
      });
    },
  });
  return {
    ...link,
    /** Reconnects at once or within the first wait: on each connection the platform sends everything again. */
    askAgain() {
      closeNow();
      link.retryNow();
    },
  };
}

/** Never the address: it may hold the token. */
const whyOf = ({ code }: { readonly code?: number }): string => (code === undefined ? "" : ` (closed with ${code})`);
