import type { Translate } from "../i18n/texts.ts";
import type { NavigationItem } from "./navigation-item.ts";
import type { NavigationViewer } from "./visible.ts";
import { maySee } from "./visible.ts";

export type NavigationTree = readonly NavigationItem[];

/** What this viewer sees of it. An entry that is hidden hides what is below it; a part that would stand empty goes too. */
export function visibleTree(items: NavigationTree, viewer: NavigationViewer): NavigationTree {
  return items.flatMap((item) => {
    if (!maySee(item, viewer)) return [];
    if (item.children === undefined) return [item];
    const children = visibleTree(item.children, viewer);
    return children.length === 0 && item.url === undefined ? [] : [{ ...item, children }];
  });
}

/** Its label in the spoken language, else its title. */
export const titleOf = (item: NavigationItem, t: Translate): string => (item.label ? t(item.label) : item.title);

/** Whether this path is that of the entry, or one below it unless the entry is exact. */
export function isHere({ url, exact = false }: NavigationItem, path: string): boolean {
  return url !== undefined && (path === url || (!exact && path.startsWith(`${url}/`)));
}

/** Whether something below the entry is of this path. */
export function holdsPath({ children = [] }: NavigationItem, path: string): boolean {
  return children.some((child) => isHere(child, path) || holdsPath(child, path));
}
