import type { Lockup } from "@longarm/contract/machine";
import { LOCKUP_REASONS } from "@longarm/contract/machine";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import { asSpectator, openToWatching } from "../../scripted/game-world.ts";
import type { State, Walk } from "../state.ts";
import { begun, calm, gesture, locks, OPEN, settled, USUAL } from "./moves.ts";

type GameState = State<PlayedGame>;

const locked = (lockup: Lockup): GameState => ({
  name: `locked-${lockup}`,
  begin: (game) => locks(game, lockup),
  seen: `[data-missing=${lockup}]`,
});
const countdown = (code: "CODE_18800" | "CODE_18802" | "CODE_18801", count: number, name: string): GameState => ({
  name: `countdown-${name}`,
  begin: ({ notify }) => notify("countdown", { code, count }),
  seen: `[role=timer][data-code=${code}]${count <= 10 ? "[data-last]" : ""}`,
});

/** What the machine does or has, and what the platform reports of it, one after another. */
export const MACHINE_STATES: readonly GameState[] = [
  { name: "playing", begin: ({ meters }) => meters(OPEN), seen: "[data-started=true] video" },
  {
    name: "won",
    async begin({ page, meters, finish }) {
      meters({ inGame: true });
      finish(38_400);
      await settled(page, "[data-won]");
    },
    seen: "[data-won]",
  },
  {
    name: "won-not-more-than-the-stake",
    begin({ meters, finish }) {
      meters({ inGame: true });
      finish(1_200);
    },
    seen: "main[data-win='1200'] [data-spin][data-state=ready]",
  },
  {
    name: "free-spins",
    begin: ({ meters }) => meters({ ...OPEN, inGame: true, freeSpins: 7 }),
    seen: "[data-doing=freeSpins]",
  },
  { name: "bonus", begin: ({ meters }) => meters({ ...OPEN, inGame: true, bonus: true }), seen: "[data-doing=bonus]" },
  {
    name: "jackpot",
    begin({ meters, notify }) {
      meters(OPEN);
      notify("event", { kind: "jackpot", name: "Major", amount: 8_641_215 });
    },
    seen: "[data-doing=jackpot]",
  },
  countdown("CODE_18800", 42, "18800"),
  countdown("CODE_18800", 7, "18800-last"),
  countdown("CODE_18802", 42, "18802"),
  countdown("CODE_18801", 42, "18801"),
  {
    name: "locked-handPay",
    begin(game) {
      game.notify("countdown", { code: "CODE_18801", count: 0 });
      locks(game, "handPay", { handPay: { id: "hp-1", amount: 1_250_050, kind: "win" } });
    },
    seen: "[data-missing=handPay]",
  },
  {
    name: "attendant-called",
    begin: async ({ page }) => await page.locator("[data-missing=handPay] button").click(),
    seen: "[data-missing=handPay] [data-call=open]",
  },
  {
    name: "attendant-coming",
    begin({ notify }) {
      const at = new Date().toISOString();
      notify("call", { state: "answered", calledAt: at, answeredAt: at });
    },
    seen: "[data-missing=handPay] [data-call=answered]",
  },
  ...LOCKUP_REASONS.filter((lockup) => lockup !== "handPay").map(locked),
  {
    name: "machine-away",
    begin({ meters, notify }) {
      meters(OPEN);
      notify("agent", { connected: false });
    },
    seen: "[data-missing=machineAway]",
  },
  {
    name: "watched",
    begin({ notify }) {
      notify("agent", { connected: true });
      notify("spectators", { count: 12 });
    },
    seen: "[data-watchers]",
  },
];

export const MACHINE: Walk<PlayedGame, GameScene> = {
  name: "machine",
  scene: USUAL,
  start: begun,
  states: MACHINE_STATES,
};

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
    { name: "watching", begin: ({ notify }) => notify("spectators", { count: 4 }), seen: "[data-watchers]" },
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
