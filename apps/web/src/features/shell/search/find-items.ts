import { fold } from "@longarm/ui/i18n/fold.ts";
import type { Translate } from "@longarm/ui/i18n/texts.ts";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import type { NavigationItem, NavigationTree } from "../../../shared/navigation/navigation.ts";
import { titleOf } from "../../../shared/navigation/navigation.ts";

/** Something the search can lead to: a route, or a panel that it opens. */
export type Findable = {
  readonly id: string;
  /** The title of the specification; found beside the shown label (decision D-04). */
  readonly title: string;
  readonly label: string;
  readonly icon: IconName;
  readonly to?: string;
  readonly open?: () => void;
  /** Suggested only when a part of its name is typed. */
  readonly onlyByName?: boolean;
};

/** The most suggestions at a time (specification section 9). */
const SUGGESTIONS_MAX = 10;

/** The items whose title or label holds the text, case and accents aside. */
export function matching(items: readonly Findable[], text: string): readonly Findable[] {
  const wanted = fold(text.trim());
  return items.filter(({ title, label }) => fold(title).includes(wanted) || fold(label).includes(wanted));
}

/** The first of them, no more than are suggested. */
export function findItems(items: readonly Findable[], text: string): readonly Findable[] {
  const offered = text.trim() === "" ? items.filter(({ onlyByName }) => !onlyByName) : matching(items, text);
  return offered.slice(0, SUGGESTIONS_MAX);
}

/** The label in three: before the text that was looked for, what matches it, and what follows. The last two are empty without a match. */
export function splitAtMatch(label: string, text: string): readonly [string, string, string] {
  const wanted = fold(text.trim());
  // Where in the label each letter of its plain form comes from: accents make it longer or shorter.
  const origins: number[] = [];
  let seen = 0;
  for (const letter of label) {
    for (let units = fold(letter).length; units > 0; units -= 1) origins.push(seen);
    seen += letter.length;
  }
  const start = fold(label).indexOf(wanted);
  if (wanted === "" || start === -1) return [label, "", ""];
  const from = origins[start] ?? 0;
  const to = origins[start + wanted.length] ?? label.length;
  return [label.slice(0, from), label.slice(from, to), label.slice(to)];
}

/**
 * All pages of the tree for the search and the shortcuts. A page in a part that opens is named with it, for several parts may
 * have a page of the same name; it has the part's icon where it has none, and is suggested only when a part of its name is typed.
 */
export function pagesOf(items: NavigationTree, t: Translate, inside?: NavigationItem): readonly Findable[] {
  return items.flatMap((item) => {
    const { id, type, title, url, children } = item;
    const icon = item.icon ?? inside?.icon ?? "info";
    if (children !== undefined) return pagesOf(children, t, { ...item, icon });
    if (type !== "item" || url === undefined) return [];
    const label = inside?.type === "collapse" ? `${titleOf(inside, t)}: ${titleOf(item, t)}` : titleOf(item, t);
    return [{ id, title, label, icon, to: url, onlyByName: inside !== undefined }];
  });
}
