import { mayEnter } from "../auth/access.ts";
import type { Role, SignedInPlayer } from "../auth/player.ts";
import type { NavigationItem } from "./navigation-item.ts";

/** Who looks at the navigation. A guest has no roles. No permissions at all: the platform knows none. */
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
