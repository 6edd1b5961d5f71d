/** Longer names are cut where they are shown: the wire has no limit for them. */
const SHOWN_MAX = 80;

/** A machine's or a brand's name as it is shown; without a name its id. */
export function shownName({ name, id }: { readonly name: string; readonly id: string }): string {
  const words = name.trim() === "" ? id : name;
  return words.length <= SHOWN_MAX ? words : `${words.slice(0, SHOWN_MAX - 1).toWellFormed()}…`;
}

/** Longer names are cut where they are shown: the wire has no limit for them. */
const SENTENCE_MAX = 80;

/** The machine's name for a sentence: never empty, never endless, and unable to reverse the text around it. */
export function shownMachine({ name, id }: { readonly name: string; readonly id: string }): string {
  const words = (name.trim() || id).replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "");
  const short = words.length <= SENTENCE_MAX ? words : `${words.slice(0, SENTENCE_MAX - 1).toWellFormed()}…`;
  return `\u2068${short}\u2069`;
}
