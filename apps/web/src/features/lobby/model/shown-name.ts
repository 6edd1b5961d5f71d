/** Longer names are cut where they are shown: the wire has no limit for them. */
const SHOWN_MAX = 80;

/** A machine's or a brand's name as it is shown; without a name its id. */
export function shownName({ name, id }: { readonly name: string; readonly id: string }): string {
  const words = name.trim() === "" ? id : name;
  return words.length <= SHOWN_MAX ? words : `${words.slice(0, SHOWN_MAX - 1).toWellFormed()}…`;
}
