import { MACHINE_STATUS } from "@longarm/contract/machine";
import type { ChatTold } from "@longarm/contract/notification-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import type { FastifyInstance } from "fastify";
import type { Topics } from "../../../bus/index.ts";
import type { Stop } from "../../../clock.ts";
import type { PlatformDeps } from "../../../deps.ts";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import type { Play } from "../../play/index.ts";
import type { Auth, Guard } from "../../players/auth/index.ts";
import { addPlayerSocket, callerOf } from "../../players/auth/index.ts";
import type { Listener } from "./listener.ts";
import { createListener, PlayersHere } from "./listener.ts";

const MESSAGES_PER_SECOND_MAX = 20;

export type NotificationParts = {
  readonly app: FastifyInstance;
  readonly auth: Auth;
  readonly sockets: SocketRoutes;
  readonly play: Pick<Play, "sessions" | "wallet">;
};

/** The pages that players have open on this node. */
export interface Notifications {
  /** Tells those of one player. */
  chat(playerId: string, told: ChatTold): void;
  /** Tells all of them that something of a chat may have been missed. */
  chatMissed(): void;
  /** Players with a page open here. */
  isHere(playerId: string): boolean;
  /** Calls when the first page of a player has come, or the last one gone. */
  onPresence(hear: (playerId: string) => void): void;
  readonly close: Stop;
}

/** Tells signed-in players what changed: the notification socket, and the balance for whoever asks. */
export function createNotifications(
  deps: PlatformDeps,
  { app, auth, sockets, play }: NotificationParts,
): Notifications {
  const { bus, clock, log } = deps;
  const here = new PlayersHere();
  const tell = (playerId: string, what: (listener: Listener) => void) => here.of(playerId)?.forEach(what);

  addPlayerSocket(
    sockets,
    auth,
    { clock, log },
    {
      path: "/notifications",
      frameBytesMax: notificationSocket.frameBytesMax,
      messagesPerSecondMax: MESSAGES_PER_SECOND_MAX,
      open(socket, caller) {
        const listener = createListener({ clock, log, play, isLocked: auth.isLocked }, socket, caller, () =>
          here.gone(caller.playerId, listener),
        );
        here.came(caller.playerId, listener);
      },
    },
  );
  balanceRoute(app, auth.guard, play.wallet);

  /** The status that pages of this node were told last, by machine. */
  const told = new Map<string, number>();
  function tellStatus({ machineId, status, holderId }: Topics["machine.changed"]): void {
    told.set(machineId, status);
    for (const [playerId, own] of here.all()) {
      // A gap or a fault is told to the holder by `session` and the meters: the page must not be thrown out of its game by it.
      if (status !== MACHINE_STATUS.playing && playerId === holderId) continue;
      for (const listener of own) listener.machineChanged(machineId, status);
    }
  }

  /** Messages of other nodes may have been missed: everything is read again, and what differs is told. */
  async function catchUp(): Promise<void> {
    for (const [, own] of here.all()) {
      for (const listener of own) {
        listener.balanceChanged();
        listener.sessionChanged();
      }
    }
    for (const now of await play.sessions.statuses()) if (told.get(now.machineId) !== now.status) tellStatus(now);
  }

  const subscriptions = [
    bus.subscribe("machine.changed", tellStatus),
    bus.subscribe("balance.changed", ({ playerId }) => tell(playerId, (listener) => listener.balanceChanged())),
    bus.subscribe("player.paid", ({ playerId, ...paid }) => tell(playerId, (listener) => listener.paid(paid))),
    bus.subscribe("session.changed", ({ playerId }) => tell(playerId, (listener) => listener.sessionChanged())),
    bus.onGap(() => {
      catchUp().catch((error: unknown) =>
        log.warn({ err: error }, "what was missed could not be read, the next gap tries again"),
      );
    }),
  ];
  return {
    chat: (playerId, told) => tell(playerId, (listener) => listener.chat(told)),
    chatMissed() {
      for (const [, own] of here.all()) for (const listener of own) listener.chat({});
    },
    isHere: (playerId) => here.of(playerId) !== undefined,
    onPresence: (hear) => here.onChange(hear),
    close: () => subscriptions.forEach((stop) => void stop()),
  };
}

/** What the caller can spend, and what is elsewhere: a few bytes, never packed. */
export function balanceRoute(app: FastifyInstance, guard: Guard, wallet: Play["wallet"]): void {
  app.get("/v1/player/balance", { onRequest: guard, compress: false }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await wallet.balanceOf(callerOf(request).playerId)),
  );
}
