/** Something that the palette leads to. */
export type Entry = {
  readonly id: string;
  readonly group: "here" | "machines" | "acts" | "players" | "pages";
  readonly label: string;
  /** More words by which it is found, in any language. */
  readonly words: string;
  readonly about?: string;
  /** Keys that do the same. */
  readonly keys?: string;
  readonly run: () => void;
};

/** Words as they are compared: without marks, case and leading zeros, so that "nar 3" finds "Nar 03" and "bosalt" finds "boşalt". */
export const wordsOf = (text: string): string[] =>
  text
    .toLocaleLowerCase("en")
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ı", "i")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.replace(/^0+(?=\d)/, ""));

/** How many of each group are shown. */
const SHOWN_MAX = 8;

/** The entries in which every word of the question begins a word, the closest first, grouped as they are to be shown. */
export function findEntries(entries: readonly Entry[], question: string): readonly Entry[] {
  const wanted = wordsOf(question);
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
  const groups = Map.groupBy(ranked, ({ entry }) => entry.group);
  return [...groups.values()].flatMap((own) => own.slice(0, SHOWN_MAX).map(({ entry }) => entry));
}

/** 0: all its own words are in the question; larger: less close. Undefined: it does not fit. */
function rankOf({ label, words }: Entry, wanted: readonly string[]): number | undefined {
  const own = wordsOf(label);
  const all = [...own, ...wordsOf(words)];
  let rank = 0;
  for (const word of wanted) {
    if (!all.some((one) => one.startsWith(word))) return undefined;
    if (!own.some((one) => one.startsWith(word))) rank += 4;
    else if (!own.includes(word)) rank += 2;
  }
  return rank + Math.max(0, own.length - wanted.length) / 10;
}
