import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { PlayerLink } from "../player/player-link.ts";

/** What a machine's screen needs before it draws. `machine`: as the list knows it. */
export type GameLoaded = { readonly link: PlayerLink; readonly machine: LobbyMachine | undefined };
