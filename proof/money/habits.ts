import type { Sql } from "./statement.ts";

/** Where a value of a statement comes from: always the same, or a text among those that the transaction has sent before, perhaps in a list. */
type Source =
  | { readonly is: "constant"; readonly value: unknown }
  | { readonly is: "copy"; readonly at: number; readonly prefix: string; readonly inList: boolean };

/** A point of a transaction: the statements that have led to it. */
type Place = { times: number; readonly next: Map<string, Step> };
type Step = { readonly place: Place; times: number; readonly sources: readonly (readonly Source[])[] };

const newPlace = (): Place => ({ times: 0, next: new Map() });

/** Addresses in the ledger are made of ids so. */
const PREFIXES = ["", "machine:", "player:"];
/** Statements that are guessed at once, how sure the last of them must be, and how often a place must have been seen. */
const [DEPTH_MAX, SURE, SEEN_MIN] = [3, 0.6, 4];
const TEXTS_MAX = 24;

const READS = /^\s*select\b/;
const WRITES = /\bfor (no key )?(update|share)\b|ledger\.\w+\s*\(|\b(set_config|nextval|setval|pg_\w+)\s*\(/;
/** Whether a statement changes nothing, so that it may run whether the platform requests it or not. */
export const isRead = (text: string): boolean => READS.test(text) && !WRITES.test(text);

/** Whether the answer of a read is the same at any time. */
export const isTimeless = (text: string): boolean => !/\b(clock_timestamp|now)\s*\(/.test(text);

/**
 * Learns which statements follow one another in a transaction, and with which values. The platform's transactions are few and much alike, so
 * the next reads can be sent with the statement before them.
 */
export class Habits {
  readonly #root = newPlace();
  #at: Place = this.#root;
  /** The texts that this transaction has sent as values. */
  #texts: string[] = [];

  /** A transaction begins or ends. */
  restart(): void {
    this.#at.times += 1;
    this.#at = this.#root;
    this.#texts = [];
  }

  /** A statement runs. */
  follow({ text, values }: Sql): void {
    this.#at.times += 1;
    const known = this.#at.next.get(text);
    const fits = (source: Source, value: unknown): boolean => isEqual(taken(source, this.#texts), value);
    const sources = values.map((value, index) =>
      (known === undefined ? sourcesOf(value, this.#texts) : (known.sources[index] ?? [])).filter((source) =>
        fits(source, value),
      ),
    );
    const step: Step = { place: known?.place ?? newPlace(), times: (known?.times ?? 0) + 1, sources };
    this.#at.next.set(text, step);
    this.#at = step.place;
    for (const value of values)
      if (typeof value === "string" && this.#texts.length < TEXTS_MAX) this.#texts.push(value);
  }

  /** The reads that probably come next, in their order. */
  guesses(): Sql[] {
    const guesses: Sql[] = [];
    let sure = 1;
    const texts = [...this.#texts];
    for (let at = this.#at; guesses.length < DEPTH_MAX; ) {
      const [text, step] = mostFrequent(at) ?? ["", undefined];
      if (step === undefined || !isRead(text)) return guesses;
      sure *= step.times / at.times;
      if (sure < SURE || step.sources.some(([source]) => source === undefined)) return guesses;
      const values = step.sources.map(([source]) => source && taken(source, texts));
      guesses.push({ text, values });
      for (const value of values) if (typeof value === "string" && texts.length < TEXTS_MAX) texts.push(value);
      at = step.place;
    }
    return guesses;
  }
}

function mostFrequent({ times, next }: Place): [text: string, step: Step] | undefined {
  if (times < SEEN_MIN) return undefined;
  let most: [string, Step] | undefined;
  for (const one of next) if (most === undefined || one[1].times > most[1].times) most = one;
  return most;
}

function sourcesOf(value: unknown, texts: readonly string[]): Source[] {
  const copies = [false, true].flatMap((inList) =>
    PREFIXES.flatMap((prefix) => texts.map((_, at) => ({ is: "copy" as const, at, prefix, inList }))),
  );
  return [...copies, { is: "constant", value }];
}

function taken(source: Source, texts: readonly string[]): unknown {
  if (source.is === "constant") return source.value;
  const text = texts[source.at];
  if (text === undefined) return undefined;
  return source.inList ? [source.prefix + text] : source.prefix + text;
}

/** Whether two values are sent as the same. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isEqual(each, other[at]));
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  return one === other;
}
