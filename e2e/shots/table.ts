import type { GameScene, PlayedGame } from "../scripted/game-scene.ts";
import type { Walk } from "./state.ts";
import { AUTOPLAY_WALKS } from "./states/autoplay.ts";
import { CONNECTION_WALKS, RECONNECT } from "./states/connection.ts";
import { ENDING_WALKS } from "./states/ending.ts";
import { MACHINE, WATCHING_WALKS } from "./states/machine.ts";
import { MONEY_WALKS } from "./states/money.ts";
import { PLAYING_WALKS } from "./states/playing.ts";
import { PROTECTION_WALKS } from "./states/protection.ts";

/** Every state on the scripted back end: a new one is an entry of one of these. */
export const SCRIPTED: readonly Walk<PlayedGame, GameScene>[] = [
  ...PLAYING_WALKS,
  ...PROTECTION_WALKS,
  MACHINE,
  ...AUTOPLAY_WALKS,
  ...MONEY_WALKS,
  ...CONNECTION_WALKS,
  ...ENDING_WALKS,
  ...WATCHING_WALKS,
  RECONNECT,
];
