/* How long a wait will be, as a range: from how long others have sat at the machines, and from who is before. */

/** A machine that would do for a place, or for one before it. */
export type MachineNow = {
  readonly id: string;
  /** How long players have sat at it, ms: ended sittings. */
  readonly lengthsMs: readonly number[];
  /** How long the present player has sat, ms; null: the seat is free. */
  readonly sittingMs: number | null;
  /** What is left of the present player's turn, ms; null: there is no such rule. */
  readonly turnLeftMs: number | null;
};

/** Machines of which any would do. */
type Wish = readonly string[];

export type WaitNow = {
  readonly machines: readonly MachineNow[];
  /** Those before, in the order of their turns. */
  readonly ahead: readonly Wish[];
  readonly mine: Wish;
  /** Which share of those who wait sits down in the end, 0 to 1: others leave or miss their calls. */
  readonly seatedShare: number;
  /** How long others may sit while somebody waits, ms; null: as long as they like. */
  readonly turnMs: number | null;
  /** Numbers from 0 up to 1. */
  readonly draw: () => number;
};

export type Range = { readonly lowMs: number; readonly highMs: number; readonly sittings: number };

/** Fewer sittings say nothing. */
export const SITTINGS_MIN = 20;
/** Fewer sittings that were longer than the present one say nothing of its end. */
const LONGER_MIN = 3;
/** Seats that were left take so long to be answered, ms. */
const ANSWER_MS = 10_000;
const DRAWS = 400;
/** Eight of ten waits shall end inside; wider than that, since a few sittings do not show their rarest lengths. */
const LOW = 0.05;
const HIGH = 0.95;
/** A wider range helps no player, ms. */
const WIDTH_MAX_MS = 5_400_000;

/** The range in which eight of ten such waits end; null: it is not known, or too wide to help. */
export function waitRange({ machines, ahead, mine, seatedShare, turnMs, draw }: WaitNow): Range | null {
  const known = new Map(
    machines.flatMap((machine) => (isKnown(machine) ? [[machine.id, endsOf(machine, turnMs)]] : [])),
  );
  if (mine.length === 0 || !mine.every((id) => known.has(id))) return null;
  const waits = Array.from({ length: DRAWS }, () => {
    const freeAt = new Map([...known].map(([id, { left }]) => [id, pick(left, draw)]));
    for (const wish of ahead) {
      const taken = draw() < seatedShare ? firstFree(freeAt, wish) : undefined;
      if (taken === undefined) continue;
      const [id, at] = taken;
      freeAt.set(id, at + ANSWER_MS + pick(known.get(id)?.lengths ?? [], draw));
    }
    return firstFree(freeAt, mine)?.[1] ?? 0;
  }).toSorted((one, other) => one - other);
  const lowMs = waits[Math.floor(LOW * DRAWS)] ?? 0;
  const highMs = waits[Math.ceil(HIGH * DRAWS) - 1] ?? 0;
  if (highMs - lowMs > WIDTH_MAX_MS) return null;
  const sittings = machines.filter(({ id }) => mine.includes(id)).reduce((sum, one) => sum + one.lengthsMs.length, 0);
  return { lowMs, highMs, sittings };
}

const isKnown = ({ lengthsMs, sittingMs, turnLeftMs }: MachineNow): boolean =>
  lengthsMs.length >= SITTINGS_MIN &&
  (sittingMs === null || turnLeftMs !== null || lengthsMs.filter((length) => length > sittingMs).length >= LONGER_MIN);

/** What is left of the present sitting, as many possible ones; and how long others sit, ms. No turn is longer than its rule. */
function endsOf({ lengthsMs, sittingMs, turnLeftMs }: MachineNow, turnMs: number | null) {
  const within = (lengths: readonly number[], most: number | null) =>
    most === null ? lengths : lengths.map((length) => Math.min(length, most));
  const longer =
    sittingMs === null ? [0] : lengthsMs.filter((length) => length > sittingMs).map((length) => length - sittingMs);
  const left = longer.length === 0 && turnLeftMs !== null ? [turnLeftMs] : within(longer, turnLeftMs);
  return { left, lengths: within(lengthsMs, turnMs) };
}

const pick = (from: readonly number[], draw: () => number): number => from[Math.floor(draw() * from.length)] ?? 0;

/** The machine of a wish that is free first, and when; undefined: none of them is known. */
function firstFree(freeAt: ReadonlyMap<string, number>, wish: Wish): readonly [id: string, at: number] | undefined {
  let first: readonly [string, number] | undefined;
  for (const id of wish) {
    const at = freeAt.get(id);
    if (at !== undefined && (first === undefined || at < first[1])) first = [id, at];
  }
  return first;
}
