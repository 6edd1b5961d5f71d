import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { ChatTold, Paid, WaitingChanged } from "@longarm/contract/notification-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import { done, refused } from "@longarm/link/answer";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket } from "@longarm/link/socket";
import type { FastifyInstance } from "fastify";
import type { Topics } from "../../../bus/index.ts";
import type { Clock, Stop } from "../../../clock.ts";
import type { PlatformDeps } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import type { Play } from "../../play/index.ts";
import type { Auth, Caller } from "../../players/auth/index.ts";
import { addPlayerSocket, callerOf } from "../../players/auth/index.ts";
import { COALESCE_MS, coalesce } from "./coalesce.ts";
import { placesPush, pushQueues } from "./queue-push.ts";

const MESSAGES_PER_SECOND_MAX = 20;

export type NotificationParts = {
  readonly app: FastifyInstance;
  readonly auth: Auth;
  readonly sockets: SocketRoutes;
  readonly play: Pick<Play, "sessions" | "wallet" | "queues">;
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
  const queues = pushQueues(pages, { bus, clock, log, queues: play.queues });

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
  app.get("/v1/player/balance", { onRequest: auth.guard, compress: false }, async (request, reply) => {
    const { playerId } = callerOf(request);
    play.wallet.lookedAt(playerId);
    return await reply.header("cache-control", "no-store").send(await play.wallet.balanceOf(playerId));
  });

  /** Messages of other nodes may have been missed: reads everything again and pushes what differs. */
  async function catchUp(): Promise<void> {
    pages.each((listener) => {
      listener.balanceChanged();
      listener.sessionChanged();
      listener.queueChanged();
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
      queues();
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

  ids(): string[] {
    return [...this.#listeners.keys()];
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

type ListenerDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly play: Pick<Play, "sessions" | "wallet" | "queues">;
  isLocked(caller: Caller): Promise<boolean>;
};

/** One open notification socket of a player. It pushes nothing before `init`. */
interface Listener {
  /** Pushes at once: the node has coalesced the machine's changes already. */
  machineChanged(machineId: string, status: number): void;
  balanceChanged(): void;
  sessionChanged(): void;
  queueChanged(): void;
  /** The places of a player who has some read otherwise with time. */
  queueAged(): void;
  waitingChanged(now: WaitingChanged): void;
  chat(message: ChatTold): void;
  paid(paid: Paid): void;
}

/** Pushed while no play session is open: it closes a dialog that an earlier push has opened. */
const NO_SESSION = { status: false, id: "none", name: "", machine_status: "unknown" } as const;

function createListener(
  { clock, log, play, isLocked }: ListenerDeps,
  socket: FrameSocket,
  caller: Caller,
  onClose: () => void,
): Listener {
  const { playerId } = caller;
  let ready = false;
  const failed = (error: unknown) => log.warn({ err: error, playerId }, "a push could not be read, it is tried again");
  const queue = (work: () => Promise<void>) => coalesce(clock, COALESCE_MS, work, failed);
  const balance = queue(async () => peer.notify("balance", await play.wallet.balanceOf(playerId)));
  const places = placesPush({ isLocked: () => isLocked(caller), read: () => play.queues.of(playerId) }, queue, (now) =>
    peer.notify("queue", now),
  );
  const session = queue(async () =>
    peer.notify("session", (await play.sessions.openSessionOf(playerId)) ?? NO_SESSION),
  );
  /** Pushes for the player's eyes only: a locked screen drops them, and the page reads their lists again after the unlock. */
  const personal = <T>(push: (one: T) => void) => {
    const waiting: T[] = [];
    const pushes = queue(async () => {
      const locked = await isLocked(caller);
      for (const one of waiting.splice(0)) if (!locked) push(one);
    });
    const add = (one: T): void => {
      if (!ready) return;
      waiting.push(one);
      pushes.request();
    };
    return { add, stop: pushes.stop };
  };
  const chat = personal((message: ChatTold) => peer.notify("chat", message));
  const paid = personal((one: Paid) => peer.notify("paid", one));

  // Last, because frames that came early are handled while it is made.
  const peer = createPeer({
    contract: notificationSocket,
    end: "server",
    socket,
    timers: clock,
    handlers: {
      async init({ id }) {
        if (id !== playerId) return refused("session.not_yours");
        if (await isLocked(caller)) return refused("session.locked");
        ready = true;
        balance.request();
        session.request();
        places.request();
        return done({});
      },
    },
    onClose() {
      for (const pushes of [balance, session, places, chat, paid]) pushes.stop();
      onClose();
    },
    log: (sentence) => log.info({ playerId, sentence }, "notification socket"),
  });

  return {
    machineChanged: (id, status) => ready && peer.notify("machine", { id, status }),
    balanceChanged: () => ready && balance.request(),
    sessionChanged: () => ready && session.request(),
    queueChanged: () => ready && places.request(),
    queueAged: () => ready && places.hasSome() && places.request(),
    waitingChanged: (now) => ready && peer.notify("waiting", now),
    chat: chat.add,
    paid: paid.add,
  };
}
