/*
 * What packets cost a player, beside what the computing of the one who sends them costs. Seconds of both are put in order, and the worst is held against the
 * worst, the second worst against the second worst: a second of the attack that is as bad as one without packets was not lost to them.
 */

/** The most that may be lost in any second. */
export const FRAMES_LOST_MAX = 2;

/** Frames that were shown in each second of each period. */
export type Periods = readonly (readonly number[])[];

export type Verdict = {
  readonly is: "held" | "broken" | "busy";
  /** Frames lost in the second that lost most. */
  readonly lost: number;
  /** By how much periods without packets differ from each other by themselves, in the same measure. */
  readonly noise: number;
};

/** The most that one second has less than the second of the other list with its place; lists of different lengths are stretched. */
export function framesLost(control: readonly number[], attacked: readonly number[]): number {
  const [all, others] = [control, attacked].map((list) => list.toSorted((one, other) => one - other)) as [
    number[],
    number[],
  ];
  const places = Math.min(all.length, others.length);
  const at = (list: readonly number[], place: number): number =>
    list[Math.floor(((place + 0.5) / places) * list.length)] ?? 0;
  return Array.from({ length: places }, (_, place) => at(all, place) - at(others, place)).reduce(
    (most, one) => Math.max(most, one),
    0,
  );
}

/**
 * `busy`: other programs take so many frames, now more and now fewer, that nothing can be said: neither that the promise is kept nor that it is broken.
 */
export function judgeFrames(control: Periods, attacked: Periods): Verdict {
  const [even, odd] = halves(control);
  const noise = Math.max(framesLost(even, odd), framesLost(odd, even));
  const lost = framesLost(control.flat(), attacked.flat());
  if (attacked.flat().length === 0 || even.length === 0 || odd.length === 0) return { is: "busy", lost, noise };
  if (lost > FRAMES_LOST_MAX + noise) return { is: "broken", lost, noise };
  return { is: noise > FRAMES_LOST_MAX || lost > FRAMES_LOST_MAX ? "busy" : "held", lost, noise };
}

/** By turns; of a single period its seconds. */
function halves(periods: Periods): readonly [number[], number[]] {
  const parts: Periods = periods.length > 1 ? periods : (periods[0] ?? []).map((second) => [second]);
  const half = (which: number): number[] => parts.filter((_, place) => place % 2 === which).flat();
  return [half(0), half(1)];
}
