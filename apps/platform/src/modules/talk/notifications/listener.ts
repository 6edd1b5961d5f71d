import type { ChatTold, Paid } from "@longarm/contract/notification-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import { done, refused } from "@longarm/link/answer";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket } from "@longarm/link/socket";
import type { Clock, Stop } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { Play } from "../../play/index.ts";
import type { Caller } from "../../players/auth/index.ts";

/** Changes within this time are pushed together, ms. */
export const COALESCE_MS = 50;

export type ListenerDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly play: Pick<Play, "sessions" | "wallet">;
  isLocked(caller: Caller): Promise<boolean>;
};

/** One open notification socket of a player. It pushes nothing before `init`. */
export interface Listener {
  /** Pushes at once: the node has coalesced the machine's changes already. */
  machineChanged(machineId: string, status: number): void;
  balanceChanged(): void;
  sessionChanged(): void;
  chat(message: ChatTold): void;
  paid(paid: Paid): void;
}

/** Pushed while no play session is open: it closes a dialog that an earlier push has opened. */
const NO_SESSION = { status: false, id: "none", name: "", machine_status: "unknown" } as const;

export function createListener(
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
        return done({});
      },
    },
    onClose() {
      for (const pushes of [balance, session, chat, paid]) pushes.stop();
      onClose();
    },
    log: (sentence) => log.info({ playerId, sentence }, "notification socket"),
  });

  return {
    machineChanged: (id, status) => ready && peer.notify("machine", { id, status }),
    balanceChanged: () => ready && balance.request(),
    sessionChanged: () => ready && session.request(),
    chat: chat.add,
    paid: paid.add,
  };
}

/** Work that failed is retried after this, ms. */
const RETRY_MS = 1_000;

/** Many requests run the work once; it always runs once more after the last request. */
interface Coalesced {
  request(): void;
  stop: Stop;
}

/** Runs `work` `delayMs` after it was requested, one run at a time. */
export function coalesce(
  clock: Clock,
  delayMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Coalesced {
  let waiting: Stop | undefined;
  let running = false;
  let requestedMeanwhile = false;
  let stopped = false;

  async function run(): Promise<void> {
    waiting = undefined;
    running = true;
    requestedMeanwhile = false;
    try {
      await work();
    } catch (error) {
      failed(error);
      if (!stopped) waiting = clock.after(RETRY_MS, () => void run());
    }
    running = false;
    if (requestedMeanwhile) request();
  }

  function request(): void {
    if (stopped || waiting) return;
    if (running) requestedMeanwhile = true;
    else waiting = clock.after(delayMs, () => void run());
  }

  return {
    request,
    stop() {
      stopped = true;
      waiting?.();
    },
  };
}
