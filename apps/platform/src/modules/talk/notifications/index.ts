import { MACHINE_STATUS } from "@longarm/contract/machine";
import type { ChatTold } from "@longarm/contract/notification-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import type { FastifyInstance } from "fastify";
import type { Topics } from "../../../bus/index.ts";
import type { Clock, Stop } from "../../../clock.ts";
import type { PlatformDeps } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import type { Play } from "../../play/index.ts";
import type { Auth } from "../../players/auth/index.ts";
import { addPlayerSocket, callerOf } from "../../players/auth/index.ts";
import type { Listener } from "./listener.ts";
import { COALESCE_MS, coalesce, createListener } from "./listener.ts";

const MESSAGES_PER_SECOND_MAX = 20;

export type NotificationParts = {
  readonly app: FastifyInstance;
  readonly auth: Auth;
  readonly sockets: SocketRoutes;
  readonly play: Pick<Play, "sessions" | "wallet">;
};

/** The pages that players have open on this node. */
export interface Notifications {
  /** Pushes a chat message to the pages of one player. */
  chat(playerId: string, told: ChatTold): void;
  /** Has all pages read their chats again: messages may have been missed. */
  chatMissed(): void;
  /** Whether the player has a page open on this node. */
  isHere(playerId: string): boolean;
  /** Calls when a player opens the first page, and when the last one closes. */
  onPresence(listener: (playerId: string) => void): void;
  readonly close: Stop;
}

/** Pushes what changed to signed-in players: adds the notification socket and GET /v1/player/balance. */
export function createNotifications(
  { bus, clock, log }: PlatformDeps,
  { app, auth, sockets, play }: NotificationParts,
): Notifications {
  const pages = new OpenPages();
  const statuses = new StatusPush(pages, clock, log);

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
          pages.remove(caller.playerId, listener),
        );
        pages.add(caller.playerId, listener);
      },
    },
  );
  // A few bytes, never compressed.
  app.get("/v1/player/balance", { onRequest: auth.guard, compress: false }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await play.wallet.balanceOf(callerOf(request).playerId)),
  );

  /** Messages of other nodes may have been missed: reads everything again and pushes what differs. */
  async function catchUp(): Promise<void> {
    pages.each((listener) => {
      listener.balanceChanged();
      listener.sessionChanged();
    });
    for (const now of await play.sessions.statuses())
      if (statuses.last(now.machineId) !== now.status) statuses.add(now);
  }

  const subscriptions = [
    bus.subscribe("machine.changed", (changed) => statuses.add(changed)),
    bus.subscribe("balance.changed", ({ playerId }) => pages.of(playerId, (listener) => listener.balanceChanged())),
    bus.subscribe("player.paid", ({ playerId, ...paid }) => pages.of(playerId, (listener) => listener.paid(paid))),
    bus.subscribe("session.changed", ({ playerId }) => pages.of(playerId, (listener) => listener.sessionChanged())),
    bus.onGap(() => {
      catchUp().catch((error: unknown) =>
        log.warn({ err: error }, "missed changes could not be read, the next gap tries again"),
      );
    }),
  ];
  return {
    chat: (playerId, message) => pages.of(playerId, (listener) => listener.chat(message)),
    chatMissed: () => pages.each((listener) => listener.chat({})),
    isHere: (playerId) => pages.has(playerId),
    onPresence: (listener) => pages.onPresence(listener),
    close() {
      statuses.close();
      for (const stop of subscriptions) stop();
    },
  };
}

type Changed = Topics["machine.changed"];

/**
 * Pushes machines' statuses to all pages of this node. Only here do status changes wait for each other, whatever the number of pages: a machine
 * that changes many times within `COALESCE_MS` is pushed once, with its last status.
 */
class StatusPush {
  readonly #pages: OpenPages;
  readonly #queue: ReturnType<typeof coalesce>;
  /** `toHolder`: the last status that the holder of the seat may see. */
  readonly #waiting = new Map<string, Changed & { readonly toHolder: number | undefined }>();
  /** The last status of each machine. */
  readonly #last = new Map<string, number>();

  constructor(pages: OpenPages, clock: Clock, log: Log) {
    this.#pages = pages;
    this.#queue = coalesce(
      clock,
      COALESCE_MS,
      async () => this.#push(),
      (error) => log.error({ err: error }, "changed statuses could not be pushed"),
    );
  }

  add(changed: Changed): void {
    const { machineId, status, holderId } = changed;
    const before = this.#waiting.get(machineId);
    // `session` and the meters report a gap or a fault to the holder: this status would throw the page out of its game.
    const isHidden = status !== MACHINE_STATUS.playing && holderId !== undefined;
    const visibleBefore = before?.holderId === holderId ? before?.toHolder : undefined;
    this.#waiting.set(machineId, { ...changed, toHolder: isHidden ? visibleBefore : status });
    this.#last.set(machineId, status);
    this.#queue.request();
  }

  last(machineId: string): number | undefined {
    return this.#last.get(machineId);
  }

  close(): void {
    this.#queue.stop();
  }

  #push(): void {
    const changed = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#pages.each((listener, playerId) => {
      for (const { machineId, status, holderId, toHolder } of changed) {
        const shown = playerId === holderId ? toHolder : status;
        if (shown !== undefined) listener.machineChanged(machineId, shown);
      }
    });
  }
}

/** The open notification sockets of this node, by player. */
class OpenPages {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #presence: ((playerId: string) => void)[] = [];

  has(playerId: string): boolean {
    return this.#listeners.has(playerId);
  }

  of(playerId: string, run: (listener: Listener) => void): void {
    this.#listeners.get(playerId)?.forEach(run);
  }

  each(run: (listener: Listener, playerId: string) => void): void {
    for (const [playerId, listeners] of this.#listeners) for (const listener of listeners) run(listener, playerId);
  }

  add(playerId: string, listener: Listener): void {
    const own = this.#listeners.get(playerId);
    if (own !== undefined) {
      own.add(listener);
      return;
    }
    this.#listeners.set(playerId, new Set([listener]));
    this.#presenceChanged(playerId);
  }

  remove(playerId: string, listener: Listener): void {
    const own = this.#listeners.get(playerId);
    if (!own?.delete(listener) || own.size > 0) return;
    this.#listeners.delete(playerId);
    this.#presenceChanged(playerId);
  }

  onPresence(listener: (playerId: string) => void): void {
    this.#presence.push(listener);
  }

  #presenceChanged(playerId: string): void {
    for (const listener of this.#presence) listener(playerId);
  }
}
