import type { Cabinet, CabinetOptions } from "../cabinet.ts";
import { powerUp } from "../cabinet.ts";
import type { Banks } from "../machine/memory.ts";
import { openMemory, PowerCut } from "../machine/memory.ts";
import type { Model } from "../machine/options.ts";
import { MODEL } from "../machine/options.ts";
import { crc16, fromHex, hex, withCrc } from "../sas/bytes.ts";
import type { Clock } from "../sas/link-layer.ts";

/** A clock that tests move: timers run in order when `advance` passes them. */
export type BenchClock = Clock & { advance(ms: number): void };

export function benchClock(start = Date.UTC(2026, 10, 21, 5, 30)): BenchClock {
  let time = start;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => time,
    after(delayMs, run) {
      const timer = { at: time + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        time = Math.max(time, next.at);
        next.run();
      }
      time = end;
    },
  };
}

/** Banks in memory; `cutAfter` lets the next write stop after so many bytes, and the power with it. */
export type BenchBanks = Banks & { cutAfter: number | null };

export function benchBanks(): BenchBanks {
  const kept: [Buffer | undefined, Buffer | undefined] = [undefined, undefined];
  const banks: BenchBanks = {
    cutAfter: null,
    read: (bank) => kept[bank],
    write(bank, bytes) {
      const { cutAfter } = banks;
      banks.cutAfter = null;
      kept[bank] = cutAfter === null ? bytes : bytes.subarray(0, cutAfter);
      if (cutAfter !== null) throw new PowerCut("cut");
    },
    clear() {
      kept.fill(undefined);
    },
  };
  return banks;
}

/** A machine on a bench, and a host that polls it by hand. */
export type Bench = {
  readonly clock: BenchClock;
  readonly banks: BenchBanks;
  cabinet(): Cabinet;
  /** Power off and on again. */
  cycle(): void;
  /** Sends characters as they are; the first with its ninth bit set. @returns what the machine sent, in hexadecimal. */
  raw(text: string): string;
  /** A long poll without CRC, with an address of another machine before it. */
  read(text: string): string;
  /** A long poll with its CRC, with an address of another machine before it. */
  write(text: string): string;
  /** A general poll, acknowledged by the poll of another machine after it. */
  poll(): string;
  /** Every exception that waits, acknowledged. */
  drain(): string[];
  /** Plays until no game is in progress. */
  settle(): void;
  off(): boolean;
};

export function createBench(model: Partial<Model> = {}, options: Partial<CabinetOptions> = {}): Bench {
  const clock = benchClock();
  const banks = benchBanks();
  let sent: number[] = [];
  let dark = false;
  const on = (): Cabinet => {
    dark = false;
    return powerUp({
      model: { ...MODEL, minCycleMs: 100, ...model },
      clock,
      memory: openMemory(banks),
      send: (characters) => void sent.push(...characters.map(({ byte }) => byte)),
      onPowerCut: () => {
        dark = true;
      },
      ...options,
    });
  };
  let cabinet = on();
  const bytes = (list: readonly number[]): string => {
    sent = [];
    for (const [index, byte] of list.entries()) cabinet.line.receive({ is: "character", byte, wakeup: index === 0 });
    return hex(sent);
  };
  const other = (): void => void bytes([0x80]);
  const bench: Bench = {
    clock,
    banks,
    cabinet: () => cabinet,
    cycle() {
      cabinet.powerDown();
      cabinet = on();
    },
    raw: (text) => bytes(fromHex(text)),
    read(text) {
      other();
      return bytes(fromHex(text));
    },
    write(text) {
      other();
      return bytes(withCrc(fromHex(text)));
    },
    poll() {
      other();
      const answer = bytes([0x80 | (model.address ?? MODEL.address)]);
      other();
      return answer;
    },
    drain() {
      const all: string[] = [];
      for (let answer = bench.poll(); answer !== "00" && answer !== "1f" && answer !== ""; answer = bench.poll())
        all.push(answer);
      return all;
    },
    settle() {
      for (let n = 0; n < 10_000 && cabinet.machine.state.game !== null; n += 1) clock.advance(50);
    },
    off: () => dark,
  };
  return bench;
}

/** Whether the last two bytes are the CRC of those before. */
export const checks = (answer: string): boolean => crc16(fromHex(answer)) === 0;

/** How often a check by chance draws: so often by `npm test -- all`, else a fifth of that (decision 0129). */
export const drawsOf = (whole: number): number =>
  process.env["LONGARM_TESTS"] === "all" ? whole : Math.ceil(whole / 5);
