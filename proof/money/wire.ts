import { EventEmitter } from "node:events";
import type WebSocket from "ws";
import type { Chance, Life, Schedule } from "./schedule.ts";

/** How bad a line is. Shares of frames, ms. A calm one keeps the order. */
export type Weather = {
  readonly lost: number;
  readonly doubled: number;
  readonly reordered: number;
  /** Frames that come much later, and by how much at most. */
  readonly late: number;
  readonly lateMs: number;
};

export const CALM: Weather = { lost: 0, doubled: 0, reordered: 0, late: 0, lateMs: 0 };

export type WireParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  /** The line's weather now. */
  readonly weather: () => Weather;
  readonly count: (fault: string) => void;
};

/** The part of a WebSocket of `ws` that both programs use. */
type End = EventEmitter & {
  readonly OPEN: 1;
  readyState: 1 | 2 | 3;
  bufferedAmount: 0;
  send(text: string): void;
  close(code: number, reason?: string): void;
  terminate(): void;
  ping(): void;
};

/** Two ends of a socket over a line that loses, doubles, delays and reorders frames, and that can be cut. */
export type Wire = { readonly ends: readonly [WebSocket, WebSocket]; cut(): void; readonly open: boolean };

const CLOSE_LOST = 1006;
const TRANSIT_MS_MAX = 6;
/** The other end of a cut line notices by then, ms. */
const NOTICED_MS_MAX = 3_000;

/** `lives`: the process at each end; a dead process neither receives nor sends. */
export function openWire(parts: WireParts, lives: readonly [Life, Life]): Wire {
  const { schedule, chance } = parts;
  let cut = false;
  const lastAt = [0, 0];
  const ends: End[] = [];

  function deliver(to: 0 | 1, event: "message" | "close", ...args: unknown[]): void {
    const end = ends[to];
    if (end === undefined || lives[to].dead || end.readyState === 3) return;
    if (event === "close") end.readyState = 3;
    end.emit(event, ...args);
  }

  function carry(to: 0 | 1, text: string): void {
    const { lost, doubled, reordered, late, lateMs } = parts.weather();
    if (lost > 0 && chance.hits(lost)) {
      parts.count("frame lost");
      return;
    }
    if (doubled > 0 && chance.hits(doubled)) {
      parts.count("frame doubled");
      schedule.after(chance.next() * 50, () => cut || deliver(to, "message", text, false));
    }
    let at = schedule.now() + chance.next() * TRANSIT_MS_MAX;
    if (late > 0 && chance.hits(late)) {
      parts.count("frame late");
      at += chance.next() * lateMs;
    } else if (reordered > 0 && chance.hits(reordered)) {
      parts.count("frame reordered");
      at += chance.next() * 40;
    } else {
      at = Math.max(at, lastAt[to] ?? 0);
      lastAt[to] = at;
    }
    schedule.after(at - schedule.now(), () => cut || deliver(to, "message", text, false));
  }

  function close(by: 0 | 1, code: number, reason: string): void {
    const end = ends[by];
    if (end === undefined || end.readyState !== 1) return;
    end.readyState = 2;
    const other = by === 0 ? 1 : 0;
    // Behind what was sent before it.
    const at = Math.max(schedule.now(), lastAt[other] ?? 0) + 1 - schedule.now();
    schedule.after(at, () => deliver(other, "close", code, Buffer.from(reason)));
    schedule.after(at + 2, () => deliver(by, "close", code, Buffer.from(reason)));
  }

  function cutNow(): void {
    if (cut) return;
    cut = true;
    for (const to of [0, 1] as const)
      schedule.after(chance.next() * NOTICED_MS_MAX, () => deliver(to, "close", CLOSE_LOST, Buffer.alloc(0)));
  }

  for (const me of [0, 1] as const) {
    const other = me === 0 ? 1 : 0;
    const send = (text: string): void => {
      if (!cut && !lives[me].dead && ends[me]?.readyState === 1) carry(other, text);
    };
    ends.push(makeEnd({ send, close: (code, reason = "") => close(me, code, reason), terminate: cutNow }));
  }
  return {
    ends: ends as unknown as [WebSocket, WebSocket],
    cut: cutNow,
    get open() {
      return !cut && ends.every(({ readyState }) => readyState === 1);
    },
  };
}

function makeEnd(calls: Pick<End, "send" | "close" | "terminate">): End {
  const fields = { OPEN: 1 as const, readyState: 1 as const, bufferedAmount: 0 as const, ping: () => undefined };
  return Object.assign(new EventEmitter(), fields, calls) as End;
}
