import type { Translate } from "@longarm/ui/i18n/texts.ts";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import type { Role, SignedInPlayer } from "../auth/player.ts";
import { mayEnter } from "../auth/player.ts";
import type { TextKey } from "../i18n/text-key.ts";

/** Access to an entry of the navigation: undefined for everybody, an empty list for guests only, else one of the roles is needed. */
export type NavigationAuth = readonly Role[] | undefined;

/** A pill beside a title; `bg` and `fg` are names of tokens, so that every palette has its own (entity 3.2 of the specification). */
export type NavigationBadge = { readonly title: string; readonly bg?: string; readonly fg?: string };

/** One entry of the navigation (row R-3-22): a heading with children, a part that opens and closes, a page, a link to outside, a line. */
export type NavigationItem = {
  readonly id: string;
  readonly type: "group" | "collapse" | "item" | "link" | "divider";
  /** As the specification or the showcase words it; what the search finds beside the shown label. */
  readonly title: string;
  /** Shown instead of `title`. */
  readonly label?: TextKey;
  readonly icon?: IconName;
  readonly url?: string;
  /** Active only on the very path. */
  readonly exact?: boolean;
  /** Of a link: where it opens, a new tab when left out. */
  readonly target?: "_blank" | "_self";
  readonly badge?: NavigationBadge;
  readonly children?: readonly NavigationItem[];
  readonly auth?: NavigationAuth;
  /** Permission ids of which the viewer needs one. */
  readonly levels?: readonly string[];
  /** Player types that see it; any when left out (decision D-08). */
  readonly types?: readonly string[];
};

/** The viewer of the navigation. A guest has no roles. No permissions at all: the platform knows none. */
export type NavigationViewer = {
  readonly roles: readonly Role[];
  readonly permissions: readonly string[] | undefined;
  readonly type: string | undefined;
};

/**
 * Whether this viewer may see an entry: one of its roles, one of its levels and one of its types, of those that it names. A platform
 * that sends no permissions hides nothing by level; one that sends none of the levels hides the entry (decision D-08).
 */
export function maySee({ auth, levels = [], types }: NavigationItem, viewer: NavigationViewer): boolean {
  const { roles, permissions, type } = viewer;
  if (!mayEnter(auth ?? null, roles)) return false;
  if (types !== undefined && (type === undefined || !types.includes(type))) return false;
  return permissions === undefined || levels.length === 0 || levels.some((level) => permissions.includes(level));
}

/** The viewer that a player is. Undefined: a guest. */
export const viewerOf = (player: SignedInPlayer | undefined): NavigationViewer => ({
  roles: player?.role ?? [],
  permissions: player?.Permissions,
  type: player?.type,
});

export type NavigationTree = readonly NavigationItem[];

/** What this viewer sees of it. An entry that is hidden hides what is below it; a part that would be empty is hidden too. */
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

/** What opens under a resting pointer opens after this long, and closes as long after the pointer left, ms (specification section 9). */
export const HOVER_MS = 150;
