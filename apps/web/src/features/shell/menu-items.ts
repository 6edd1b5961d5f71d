import type { TextKey } from "../../shared/i18n/text-key.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { IconName } from "../../shared/ui/icon-paths.ts";

/** One line of the menu. `levels`: permission ids of which the player needs one; `types`: player types, any when left out (decision D-08). */
export type MenuItem = {
  readonly id: string;
  /** The title that the specification gives it (2.3): the search finds it beside the shown label (decision D-04). */
  readonly title: string;
  readonly label: TextKey;
  readonly icon: IconName;
  readonly to: string;
  readonly levels: readonly string[];
  readonly types?: readonly string[];
};

/** Who looks at the menu. No permissions at all: the platform knows none. */
export type MenuViewer = {
  readonly permissions: readonly string[] | undefined;
  readonly type: string | undefined;
};

/** All items of the casino stand at level 145. */
const levels = ["145"] as const;
export const MENU_ITEMS: readonly MenuItem[] = [
  { id: "lobby", title: "Lobby", label: "shell.home", icon: "machine", to: paths.lobby, levels },
  { id: "profile", title: "profile", label: "shell.profile", icon: "player", to: paths.profile, levels },
  { id: "sessions", title: "Slot Sessions", label: "shell.sessions", icon: "clock", to: paths.slotSessions, levels },
  {
    ...{ id: "transactions", title: "Transactions", label: "shell.transactions", icon: "transactions" },
    ...{ to: paths.transactions, levels },
  },
  { id: "logout", title: "Logout", label: "shell.logout", icon: "logout", to: paths.logout, levels },
];

/** What this player may see. A platform that sends no permissions hides nothing; one that sends none of the levels hides the item. */
export function visibleItems(items: readonly MenuItem[], viewer: MenuViewer): readonly MenuItem[] {
  const { permissions, type } = viewer;
  return items.filter(({ levels, types }) => {
    if (types !== undefined && (type === undefined || !types.includes(type))) return false;
    return permissions === undefined || levels.length === 0 || levels.some((level) => permissions.includes(level));
  });
}
