import type { Translate } from "../../../shared/i18n/texts.ts";
import type { NavigationItem } from "../../../shared/navigation/navigation-item.ts";
import type { NavigationTree } from "../../../shared/navigation/tree.ts";
import { titleOf } from "../../../shared/navigation/tree.ts";
import type { Findable } from "./find-items.ts";

/**
 * All pages of the tree for the search and the shortcuts. One that stands in a part that opens is named with it, for several parts may
 * have a page of the same name; it has the part's picture where it has none, and is suggested only to whoever asks for it.
 */
export function pagesOf(items: NavigationTree, t: Translate, inside?: NavigationItem): readonly Findable[] {
  return items.flatMap((item) => {
    const { id, type, title, url, children } = item;
    const icon = item.icon ?? inside?.icon ?? "info";
    if (children !== undefined) return pagesOf(children, t, { ...item, icon });
    if (type !== "item" || url === undefined) return [];
    const label = inside?.type === "collapse" ? `${titleOf(inside, t)}: ${titleOf(item, t)}` : titleOf(item, t);
    return [{ id, title, label, icon, to: url, asked: inside !== undefined }];
  });
}
