import type { HistogramData, Seen } from "../figures.ts";
import { addAll, addSeen, addTo, emptyHistogram, nothingSeen } from "../figures.ts";
import type { StreamCounts } from "../receiver/stream.ts";

/** Times that are kept, ms. */
export const TIMES = [
  "sign-in",
  "lobby",
  "seat",
  "place to watch",
  "first picture",
  "round trip",
  "press answered",
  "cash in",
  "cash out",
  "told by notification",
  "back after a drop",
] as const;
type TimeName = (typeof TIMES)[number];

/** One player's money, minor units. */
export type MoneyLine = {
  readonly username: string;
  /** Wallet, machine and what was being checked, together. */
  readonly before: number;
  readonly after: number;
  /** Of `after`: still on a machine, or being checked. */
  readonly away: number;
  /** What the play sessions in between won or lost. */
  readonly net: number;
  readonly sessions: number;
};

/** What one or many people met with; travels as JSON and adds up. */
export type Tally = {
  readonly times: Record<TimeName, HistogramData>;
  /** Of what happened, how often: `refused: seat.taken`, `press: started`, `error: …`. */
  readonly counts: Record<string, number>;
  readonly seen: Seen;
  readonly media: { packets: number; missed: number; repaired: number; soundPackets: number; bytes: number };
  readonly money: MoneyLine[];
};

export function emptyTally(): Tally {
  return {
    times: Object.fromEntries(TIMES.map((name) => [name, emptyHistogram()])) as Tally["times"],
    counts: {},
    seen: nothingSeen(),
    media: { packets: 0, missed: 0, repaired: 0, soundPackets: 0, bytes: 0 },
    money: [],
  };
}

export function count({ counts }: Tally, what: string, times = 1): void {
  counts[what] = (counts[what] ?? 0) + times;
}

export function time({ times }: Tally, name: TimeName, ms: number): void {
  addTo(times[name], ms);
}

export function addTally(into: Tally, more: Tally): void {
  for (const name of TIMES) addAll(into.times[name], more.times[name]);
  for (const [what, times] of Object.entries(more.counts)) count(into, what, times);
  addSeen(into.seen, more.seen);
  for (const key of Object.keys(into.media) as (keyof Tally["media"])[]) into.media[key] += more.media[key];
  into.money.push(...more.money);
}

type Counted = { readonly video: StreamCounts; readonly sound: StreamCounts };

/** Adds what came since `before` of the same connection. */
export function addMedia({ media }: Tally, now: Counted, before: Counted | undefined): void {
  media.packets += now.video.packets - (before?.video.packets ?? 0);
  media.missed += now.video.missed - (before?.video.missed ?? 0);
  media.repaired += now.video.repaired - (before?.video.repaired ?? 0);
  media.soundPackets += now.sound.packets - (before?.sound.packets ?? 0);
  media.bytes += now.video.bytes + now.sound.bytes - (before?.video.bytes ?? 0) - (before?.sound.bytes ?? 0);
}
