import type { IconName } from "../../../shared/ui/icon-paths.ts";

/** What the search of the sample finds: pages that are there. The key picks their texts. */
export const RESULTS = [
  { key: "Lobby", path: "/lobby", icon: "machine" },
  { key: "Sessions", path: "/slot-sessions", icon: "clock" },
  { key: "Transactions", path: "/transactions", icon: "transactions" },
  { key: "Account", path: "/profile", icon: "player" },
  { key: "Guide", path: "/documentation", icon: "info" },
  { key: "Icons", path: "/ui/icons", icon: "star" },
  { key: "Type", path: "/ui/typography", icon: "columns" },
  { key: "Soon", path: "/pages/coming-soon", icon: "bonus" },
] as const satisfies readonly { key: string; path: string; icon: IconName }[];
