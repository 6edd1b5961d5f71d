import type { App } from "./app.ts";
import type { PlayerPart } from "./player/player-part.ts";

/** What every route is given. */
export type RouterContext = {
  readonly app: App;
  /** The signed-in player's part; starts it on first use. Rejects for a guest. */
  readonly playerPart: () => Promise<PlayerPart>;
};
