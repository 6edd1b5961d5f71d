import type { IconName } from "../../../shared/ui/icon-paths.ts";

/** Something the search can lead to: a route, or a panel that it opens. */
export type Findable = {
  readonly id: string;
  /** The title of the specification; found beside the shown label (decision D-04). */
  readonly title: string;
  readonly label: string;
  readonly icon: IconName;
  readonly to?: string;
  readonly open?: () => void;
};

/** The most suggestions at a time (specification section 9). */
export const SUGGESTIONS_MAX = 10;

/** The items whose title or label holds the text, case and accents aside; all of them for an empty text. */
export function findItems(items: readonly Findable[], text: string): readonly Findable[] {
  const wanted = plain(text.trim());
  const found = items.filter(({ title, label }) => plain(title).includes(wanted) || plain(label).includes(wanted));
  return found.slice(0, SUGGESTIONS_MAX);
}

/** Lower case without accents. Turkish has two letters i, and whoever types ISLEMLER means İşlemler. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ı", "i");
}
