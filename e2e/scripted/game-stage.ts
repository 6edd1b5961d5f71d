import type { GameScene, PlayedGame } from "./game-scene.ts";
import { GAME_ARGS, openGameScene } from "./game-scene.ts";
import { setUpStage } from "./stage.ts";

/** The game screen on the scripted back end. Once at the top of a file: `const stage = setUpGameStage();`. */
export function setUpGameStage() {
  const stage = setUpStage(GAME_ARGS);
  return {
    ...stage,
    /** Opens one machine at its own address, or another page from where it is entered (`from: "/lobby"`). */
    openGame: (scene: GameScene = {}): Promise<PlayedGame> => openGameScene(stage.place(), scene),
  };
}
