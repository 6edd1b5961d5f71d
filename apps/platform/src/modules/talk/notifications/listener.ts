import type { ChatTold, Paid } from "@longarm/contract/notification-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import { done, refused } from "@longarm/link/answer";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket } from "@longarm/link/socket";
import type { Clock, Stop } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { Play } from "../../play/index.ts";
import type { Caller } from "../../players/auth/index.ts";

/** Changes within this time are told together, ms. */
const TOGETHER_MS = 50;

export type ListenerDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly play: Pick<Play, "sessions" | "wallet">;
  isLocked(caller: Caller): Promise<boolean>;
};

/** One open notification socket of a player. Nothing is told before `init`. */
export interface Listener {
  machineChanged(machineId: string, status: number): void;
  balanceChanged(): void;
  sessionChanged(): void;
  chat(told: ChatTold): void;
  paid(paid: Paid): void;
}

/** Told when no play session is open: it closes a dialog that an earlier word has opened. */
const NO_SESSION = { status: false, id: "none", name: "", machine_status: "unknown" } as const;

export function createListener(
  { clock, log, play, isLocked }: ListenerDeps,
  socket: FrameSocket,
  caller: Caller,
  onClose: () => void,
): Listener {
  const { playerId } = caller;
  let ready = false;
  const machines = new Map<string, number>();
  const failed = (error: unknown) => log.warn({ err: error, playerId }, "a push could not be read, it is tried again");
  const soon = (work: () => Promise<void>) => runSoon(clock, TOGETHER_MS, work, failed);
  const machine = soon(async () => {
    const changed = [...machines];
    machines.clear();
    for (const [id, status] of changed) peer.notify("machine", { id, status });
  });
  const balance = soon(async () => peer.notify("balance", await play.wallet.balanceOf(playerId)));
  const session = soon(async () => peer.notify("session", (await play.sessions.openSessionOf(playerId)) ?? NO_SESSION));
  /** Pushes for the player's eyes only: a locked screen drops them, and the page reads their lists again after the unlock. */
  const personal = <T>(push: (one: T) => void) => {
    const waiting: T[] = [];
    const queue = soon(async () => {
      const locked = await isLocked(caller);
      for (const one of waiting.splice(0)) if (!locked) push(one);
    });
    const add = (one: T): void => {
      if (!ready) return;
      waiting.push(one);
      queue.ask();
    };
    return { add, stop: queue.stop };
  };
  const chat = personal((told: ChatTold) => peer.notify("chat", told));
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
        balance.ask();
        session.ask();
        return done({});
      },
    },
    onClose() {
      for (const soon of [machine, balance, session, chat, paid]) soon.stop();
      onClose();
    },
    log: (sentence) => log.info({ playerId, sentence }, "notification socket"),
  });

  return {
    machineChanged(machineId, status) {
      if (!ready) return;
      machines.set(machineId, status);
      machine.ask();
    },
    balanceChanged: () => ready && balance.ask(),
    sessionChanged: () => ready && session.ask(),
    chat: chat.add,
    paid: paid.add,
  };
}

/** After work that failed it is tried again, ms. */
const AGAIN_MS = 1_000;

/** Asks for work; asking often runs it once, and it always runs once more after the last asking. */
interface Soon {
  ask(): void;
  stop: Stop;
}

/** Runs `work` `delayMs` after it was asked for, one at a time. */
export function runSoon(
  clock: Clock,
  delayMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Soon {
  let waiting: Stop | undefined;
  let running = false;
  let askedAgain = false;
  let stopped = false;

  async function run(): Promise<void> {
    waiting = undefined;
    running = true;
    askedAgain = false;
    try {
      await work();
    } catch (error) {
      failed(error);
      if (!stopped) waiting = clock.after(AGAIN_MS, () => void run());
    }
    running = false;
    if (askedAgain) ask();
  }

  function ask(): void {
    if (stopped || waiting) return;
    if (running) askedAgain = true;
    else waiting = clock.after(delayMs, () => void run());
  }

  return {
    ask,
    stop() {
      stopped = true;
      waiting?.();
    },
  };
}

/** The open notification sockets of this node, by player. */
export class PlayersHere {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #hears: ((playerId: string) => void)[] = [];

  /** Undefined: the player has no page open here. */
  of(playerId: string): ReadonlySet<Listener> | undefined {
    return this.#listeners.get(playerId);
  }

  all(): Iterable<[string, ReadonlySet<Listener>]> {
    return this.#listeners;
  }

  came(playerId: string, listener: Listener): void {
    const own = this.#listeners.get(playerId);
    if (own !== undefined) {
      own.add(listener);
      return;
    }
    this.#listeners.set(playerId, new Set([listener]));
    this.#tell(playerId);
  }

  gone(playerId: string, listener: Listener): void {
    const own = this.#listeners.get(playerId);
    if (!own?.delete(listener) || own.size > 0) return;
    this.#listeners.delete(playerId);
    this.#tell(playerId);
  }

  /** Calls when the first page of a player has come, or the last one gone. */
  onChange(hear: (playerId: string) => void): void {
    this.#hears.push(hear);
  }

  #tell(playerId: string): void {
    for (const hear of this.#hears) hear(playerId);
  }
}
