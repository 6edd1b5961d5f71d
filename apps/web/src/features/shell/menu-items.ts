import type { NavigationItem } from "../../shared/navigation/navigation-item.ts";
import { paths } from "../../shared/paths/paths.ts";

/** One line of the casino's menu. */
export type MenuItem = NavigationItem & Required<Pick<NavigationItem, "label" | "icon" | "url">>;

/** All items of the casino are for whoever is signed in, at level 145. */
const part = { type: "item", auth: ["admin", "staff", "user"], levels: ["145"] } as const;

/** The casino's five, with the titles that the specification gives them (2.3): the search finds those beside the shown labels (decision D-04). */
export const MENU_ITEMS: readonly MenuItem[] = [
  { ...part, id: "lobby", title: "Lobby", label: "shell.home", icon: "machine", url: paths.lobby },
  { ...part, id: "profile", title: "profile", label: "shell.profile", icon: "player", url: paths.profile },
  { ...part, id: "sessions", title: "Slot Sessions", label: "shell.sessions", icon: "clock", url: paths.slotSessions },
  {
    ...{ ...part, id: "transactions", title: "Transactions", label: "shell.transactions" },
    ...{ icon: "transactions", url: paths.transactions },
  },
  { ...part, id: "logout", title: "Logout", label: "shell.logout", icon: "logout", url: paths.logout },
];
