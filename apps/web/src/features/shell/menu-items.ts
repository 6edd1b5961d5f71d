import type { TextKey } from "../../shared/i18n/text-key.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { IconName } from "../../shared/ui/icon-paths.ts";

/** One line of the menu. `levels`: permission ids of which the player needs one (decision D-08). */
export type MenuItem = {
  readonly id: string;
  readonly label: TextKey;
  readonly icon: IconName;
  readonly to: string;
  readonly levels: readonly string[];
};

/** All items of the casino stand at level 145. */
const LEVEL = "145";
export const MENU_ITEMS: readonly MenuItem[] = [
  { id: "lobby", label: "shell.lobby", icon: "machine", to: paths.lobby, levels: [LEVEL] },
  { id: "logout", label: "shell.logout", icon: "logout", to: paths.logout, levels: [LEVEL] },
];

/** What this player may see. A platform that sends no permissions at all hides nothing. */
export function visibleItems(
  items: readonly MenuItem[],
  permissions: readonly string[] | undefined,
): readonly MenuItem[] {
  if (permissions === undefined) return items;
  return items.filter(({ levels }) => levels.length === 0 || levels.some((level) => permissions.includes(level)));
}
