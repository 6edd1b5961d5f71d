import type { Page } from "playwright-core";
import type { GameControls } from "./game-script.ts";
import { scriptGame } from "./game-script.ts";
import type { ScriptedInit } from "./game-world.ts";
import type { Place, Played, Scene } from "./scene.ts";
import { openScene } from "./scene.ts";

/** What `openBrowser` needs for a game: the pictures come over 127.0.0.1 alone. */
export const GAME_ARGS = ["--allow-loopback-in-peer-connection"];

export type PlayedGame = Played &
  GameControls & {
    /** Waits for the seat and moving pictures. */
    playing(): Promise<void>;
  };

export type GameScene = Scene & {
  /** Another page from where the game is entered, such as "/lobby". */
  readonly from?: string;
  /** Default "m_3". */
  readonly machineId?: string;
  /** Changes what `init` answers. */
  readonly init?: (answer: ScriptedInit) => void;
  /** False: no picture comes, offers are answered with none. */
  readonly picture?: false;
  /** Size of the machine's picture, px; default 640 × 360. */
  readonly size?: readonly [width: number, height: number];
  /** Before the page loads, once the game can be scripted. */
  readonly prepare?: (game: GameControls, page: Page) => unknown;
};

/** Opens one machine at its own address, or another page from where it is entered. */
export async function openGameScene(
  place: Place,
  { machineId = "m_3", from, ...scene }: GameScene,
): Promise<PlayedGame> {
  const ready: { game?: GameControls } = {};
  const played = await openScene(place, from ?? `/game/${machineId}/-`, {
    ...scene,
    async before(page, backEnd) {
      const { init, picture = true, size } = scene;
      const name = backEnd.world.machines.find(({ id }) => id === machineId)?.name ?? machineId;
      ready.game = await scriptGame(page, backEnd, { machine: { id: machineId, name }, init, picture, size });
      await scene.before?.(page, backEnd);
      await scene.prepare?.(ready.game, page);
    },
  });
  if (ready.game === undefined) throw new Error("The game was not scripted");
  const playing = () =>
    played.page.locator("main[data-phase=playing][data-live=true] [data-started=true]").waitFor({ timeout: 60_000 });
  return { ...played, ...ready.game, playing };
}
