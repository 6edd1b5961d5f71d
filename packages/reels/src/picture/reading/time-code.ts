import { TIME_CODE } from "./layout.ts";
import type { Pixels } from "./pixels.ts";
import { meanBrightness } from "./pixels.ts";

/** `time`: the capture time in ms, modulo 65536. `marker` flips with each press that had an effect. */
export type TimeCode = { time: number; marker: boolean };

/** 16 bits of time, 4 check bits, the marker twice, then one lit and one dark block. */
export function timeCodeBits({ time, marker }: TimeCode): boolean[] {
  const value = Math.floor(time) & 0xffff;
  const bits = Array.from({ length: 16 }, (_, bit) => ((value >> (15 - bit)) & 1) === 1);
  return [...bits, ...checkBits(value), marker, marker, true, false];
}

function checkBits(value: number): boolean[] {
  const check = (value ^ (value >> 4) ^ (value >> 8) ^ (value >> 12) ^ 0b1010) & 0xf;
  return [3, 2, 1, 0].map((bit) => ((check >> bit) & 1) === 1);
}

/** Reads the time code; null when the picture has none or it is damaged. */
export function readTimeCode(pixels: Pixels): TimeCode | null {
  const { x, y, block, height, bits } = TIME_CODE;
  const levels = Array.from({ length: bits }, (_, n) =>
    meanBrightness(pixels, x + n * block + 8, y + 6, block - 16, height - 12),
  );
  const [lit, dark] = [levels[22] ?? 0, levels[23] ?? 0];
  if (lit - dark < 60) return null;
  const seen = levels.map((level) => level > (lit + dark) / 2);
  const time = seen.slice(0, 16).reduce((value, bit) => value * 2 + (bit ? 1 : 0), 0);
  const marker = seen[20] ?? false;
  const wanted = timeCodeBits({ time, marker });
  return wanted.every((bit, n) => bit === seen[n]) ? { time, marker } : null;
}

/** Milliseconds from a time code to `now` (both modulo 65536), taken as the shortest way forward. */
export function timeCodeAge(code: TimeCode, now: number): number {
  const full = 65_536;
  return (((now - code.time) % full) + full) % full;
}

/** Milliseconds between a time code and a time, either way round. */
export function timeCodeDistance(code: TimeCode, at: number): number {
  const age = timeCodeAge(code, at);
  return Math.min(age, 65_536 - age);
}
