import { CLOSE } from "@longarm/contract/envelope";
import { ANSWERING } from "@longarm/link/ws-socket";
import type { Clock } from "../../clock.ts";
import { limitKey } from "../client-address.ts";
import type { GuardedSocket } from "./guarded-socket.ts";
import type { SocketRoute } from "./route.ts";

export type Caller = SocketRoute["caller"];

/** How long an end may take, ms. */
export type CloseTimes = {
  /** Until every request that a socket has open is answered. */
  readonly answerMs: number;
  /** Then: until it has answered our close frame. */
  readonly graceMs: number;
};

type Open = {
  readonly caller: Caller;
  /** Requests of the other end that wait for our answer. */
  answering: number;
  /** Called when the last of them is answered. */
  answered: () => void;
};

/** Sockets that are told to go at the same moment, and how soon the next ones are, ms: 5,000 within a second. */
const GROUP = 100;
const GROUP_EVERY_MS = 20;

/** The sockets that are open now, counted by address. */
export function createOpenSockets(clock: Clock) {
  const open = new Map<GuardedSocket, Open>();
  const perAddress = new Map<string, number>();
  const perPath = new Map<string, number>();

  function forget(socket: GuardedSocket, key: string, path: string): void {
    open.delete(socket);
    perPath.set(path, (perPath.get(path) ?? 1) - 1);
    const left = (perAddress.get(key) ?? 1) - 1;
    if (left > 0) perAddress.set(key, left);
    else perAddress.delete(key);
  }

  /** One socket comes to its end: what it asked is answered, and what it says after that is nobody's. */
  function end(socket: GuardedSocket, state: Open, { answerMs, graceMs }: CloseTimes): Promise<void> {
    return new Promise((gone) => {
      let stop = (): void => {};
      const tell = (): void => {
        stop();
        state.answered = () => {};
        stop = clock.after(graceMs, () => socket.terminate());
        socket.closeDeaf(CLOSE.restart, "restart");
      };
      socket.once("close", () => {
        stop();
        gone();
      });
      if (state.answering === 0) return tell();
      state.answered = tell;
      stop = clock.after(answerMs, tell);
    });
  }

  return {
    /** A path that has none yet is told too. */
    expect: (path: string): void => void perPath.set(path, 0),
    add(socket: GuardedSocket, address: string, { caller, path }: Pick<SocketRoute, "caller" | "path">): void {
      const key = limitKey(address);
      const state: Open = { caller, answering: 0, answered: () => {} };
      open.set(socket, state);
      perAddress.set(key, (perAddress.get(key) ?? 0) + 1);
      perPath.set(path, (perPath.get(path) ?? 0) + 1);
      socket.on(ANSWERING, (count: number) => {
        state.answering = count;
        if (count === 0) state.answered();
      });
      socket.once("close", () => forget(socket, key, path));
    },
    /** How many one address holds. */
    of: (address: string): number => perAddress.get(limitKey(address)) ?? 0,
    byPath: (): ReadonlyMap<string, number> => perPath,
    /** Answers what they have asked, tells them to come back later, and cuts those that do not go in time. */
    async closeAll(caller: Caller, times: CloseTimes): Promise<void> {
      const theirs = [...open].filter(([, state]) => state.caller === caller);
      const ends: Promise<void>[] = [];
      for (let first = 0; first < theirs.length; first += GROUP) {
        // Another process has to take them, so they do not all come at once.
        if (first > 0) await new Promise<void>((next) => clock.after(GROUP_EVERY_MS, next));
        ends.push(...theirs.slice(first, first + GROUP).map(([socket, state]) => end(socket, state, times)));
      }
      await Promise.all(ends);
    },
    get size(): number {
      return open.size;
    },
  };
}
