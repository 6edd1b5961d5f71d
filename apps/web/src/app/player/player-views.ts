import type { Favourites, RecentMachines } from "../../features/lobby/own-machines.ts";
import { createFavourites, createRecent } from "../../features/lobby/own-machines.ts";
import type { Shortcuts } from "../../features/shell/search/shortcuts.tsx";
import { createGuestShortcuts, createShortcuts } from "../../features/shell/search/shortcuts.tsx";
import type { WalletVisibility } from "../../features/wallet/wallet-visibility.ts";
import { createWalletVisibility } from "../../features/wallet/wallet-visibility.ts";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";

export const visibilityOf = oncePer<App, WalletVisibility>(({ storage }) => createWalletVisibility(storage));
export const favouritesOf = oncePer<App, Favourites>(({ storage }) => createFavourites(storage));
export const recentOf = oncePer<App, (playerId: string) => RecentMachines>((app) => {
  const known = new Map<string, RecentMachines>();
  return (playerId) => {
    const recent = known.get(playerId) ?? createRecent(app.storage, playerId);
    known.set(playerId, recent);
    return recent;
  };
});
export const shortcutsOf = oncePer<App, (player: SignedInPlayer) => Shortcuts>((app) =>
  oncePer<SignedInPlayer, Shortcuts>(({ id, shortcuts: saved }) =>
    createShortcuts(app.storage, id, saved, async (shortcuts) => {
      const { saveUserData } = await import("../account/save-user-data.ts");
      return saveUserData(app, { shortcuts });
    }),
  ),
);
export const guestShortcutsOf = oncePer<App, Shortcuts>(createGuestShortcuts);
