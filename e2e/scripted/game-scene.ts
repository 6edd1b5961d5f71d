import type { Page } from "playwright-core";
import type { GameControls } from "./game-script.ts";
import { scriptGame } from "./game-script.ts";
import type { ScriptedInit } from "./game-world.ts";
import type { Place, Played, Scene } from "./scene.ts";
import { openScene } from "./scene.ts";

/** What `openBrowser` needs for a game: the pictures come over 127.0.0.1 alone. */
export const GAME_ARGS = ["--allow-loopback-in-peer-connection"];

/** What the page wishes for where the settings are silent. */
const FRAMES_PER_SECOND = 30;

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
      const framesPerSecond = Number(backEnd.world.settings["framesPerSecond"] ?? FRAMES_PER_SECOND);
      const machine = { id: machineId, name };
      ready.game = await scriptGame(page, backEnd, { machine, init, picture, size, framesPerSecond });
      await scene.before?.(page, backEnd);
      await scene.prepare?.(ready.game, page);
    },
  });
  const { game } = ready;
  if (game === undefined) throw new Error("The game was not scripted");
  const playing = async (): Promise<void> => {
    const { page } = played;
    try {
      await page.locator("main[data-phase=playing][data-live=true] [data-started=true]").waitFor({ timeout: 60_000 });
    } catch (cause) {
      throw new Error(`No frame of the game is shown: ${await stateOf(played, game)}`, { cause });
    }
  };
  return { ...played, ...game, playing };
}

/** Runs in the page: the state of the machine's video element. */
function shownVideo(): object {
  const video = document.querySelector("video");
  const tracks = (video?.srcObject as MediaStream | null)?.getTracks() ?? [];
  return {
    ...{ readyState: video?.readyState, width: video?.videoWidth, paused: video?.paused, time: video?.currentTime },
    tracks: tracks.map(({ kind, muted, readyState }) => ({ kind, muted, readyState })),
  };
}

/** Where a game is stuck, for the message of a failed test. */
async function stateOf({ page, backEnd, complaints }: Played, { requested, camera }: GameControls): Promise<string> {
  const main = () => [...document.querySelectorAll("main")].map((one) => ({ ...one.dataset }));
  return JSON.stringify({
    address: page.url().replace(backEnd.url, ""),
    main: await page.evaluate(main).catch(String),
    calls: backEnd.called().slice(-8),
    sockets: backEnd.opened.game.map(({ socket }) => socket.readyState),
    methods: requested.map(({ method }) => method).slice(-12),
    camera: await camera.connections().catch(String),
    sent: await camera.sent().catch(String),
    video: await page.evaluate(shownVideo).catch(String),
    complaints: complaints.slice(-3),
  });
}

/** A browser that plays nothing before a gesture: sound as all of them, pictures as an iPhone that saves power. */
export async function holdBack(page: Page, kinds: readonly string[]): Promise<void> {
  await page.addInitScript((held) => {
    let free = false;
    for (const kind of ["pointerup", "keydown"])
      addEventListener(
        kind,
        () => {
          free = true;
        },
        true,
      );
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
      if (free || !held.includes(this.localName)) return play.call(this);
      this.pause();
      return Promise.reject(new DOMException("a gesture first", "NotAllowedError"));
    };
  }, kinds);
}
