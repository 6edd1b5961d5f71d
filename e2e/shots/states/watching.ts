import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import { asSpectator, openToWatching } from "../../scripted/game-world.ts";
import type { Walk } from "../state.ts";
import { calm, gesture, locks, USUAL } from "./moves.ts";

type GameWalk = Walk<PlayedGame, GameScene>;

const SCENE = { ...USUAL, from: "/watch/m_3/-", world: openToWatching, init: asSpectator } as const satisfies GameScene;
const OVER = "main";
const refused = (code: number, name: string, said: string): GameWalk => ({
  name: "watching",
  scene: { ...SCENE, prepare: ({ script }) => script("init", () => ({ code })) },
  states: [{ name, seen: OVER, said }],
});

const WATCHING: GameWalk = {
  name: "watching",
  scene: SCENE,
  async start({ page, playing }) {
    await playing();
    await gesture(page);
  },
  states: [
    { name: "watching", begin: ({ tell }) => tell("spectators", { count: 4 }), seen: "[data-watchers]" },
    { name: "machine-locked", begin: (game) => locks(game, "tilt"), seen: "[data-missing=tilt]" },
    {
      name: "picture-lost",
      ready: calm,
      begin: ({ camera }) => camera.hush(true),
      seen: "[data-missing=pictureLost], [data-missing=connectionLost]",
    },
    {
      name: "over",
      begin({ backEnd, close }) {
        backEnd.push("machine", { id: "m_3", status: 4 });
        close(4000, "ended");
      },
      seen: OVER,
      said: "play.seatNotFree",
    },
    {
      name: "seat-free",
      begin: ({ backEnd }) => backEnd.push("machine", { id: "m_3", status: 1 }),
      seen: OVER,
      said: "play.takeSeat",
    },
    {
      name: "next-player",
      begin: ({ backEnd }) => backEnd.push("machine", { id: "m_3", status: 3 }),
      seen: OVER,
      said: "play.seatPlayed",
    },
  ],
};

export const WATCHING_WALKS: readonly GameWalk[] = [
  WATCHING,
  refused(60010, "nobody-plays", "play.nobodyPlays"),
  refused(60017, "full", "code.60017"),
  refused(60018, "too-many", "code.60018"),
];
