import { QueryClient } from "@tanstack/react-query";
import type { Favourites } from "../../features/lobby/model/favourites.ts";
import { createFavourites } from "../../features/lobby/model/favourites.ts";
import type { RecentMachines } from "../../features/lobby/model/recent.ts";
import { createRecent } from "../../features/lobby/model/recent.ts";
import type { Shortcuts } from "../../features/shell/search/shortcuts.ts";
import { createGuestShortcuts, createShortcuts } from "../../features/shell/search/shortcuts.ts";
import type { WalletVisibility } from "../../features/wallet/wallet-visibility.ts";
import { createWalletVisibility } from "../../features/wallet/wallet-visibility.ts";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import type { App } from "../app.ts";
import { oncePer } from "../once-per.ts";
import type { PlayerPart } from "./player-part.ts";

/** The query cache lives as long as the player is signed in: nobody sees another player's lists. */
export const queryCacheOf = oncePer<PlayerPart, QueryClient>(
  () =>
    new QueryClient({
      defaultOptions: { queries: { staleTime: 2_000, retry: 1, refetchOnWindowFocus: true, networkMode: "always" } },
    }),
);
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
  oncePer<SignedInPlayer, Shortcuts>(({ id, shortcuts: told }) =>
    createShortcuts(app.storage, id, told, async (shortcuts) => {
      const { saveUserData } = await import("../account/save-user-data.ts");
      return saveUserData(app, { shortcuts });
    }),
  ),
);
export const guestShortcutsOf = oncePer<App, Shortcuts>(createGuestShortcuts);
