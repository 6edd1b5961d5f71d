import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { State, Walk } from "../state.ts";
import { begun, locks, OPEN, settled, USUAL } from "./moves.ts";

type GameState = State<PlayedGame>;

const locked = (lockup: "door" | "tilt" | "disabled" | "outOfService"): GameState => ({
  name: `locked-${lockup}`,
  begin: (game) => locks(game, lockup),
  seen: `[data-missing=${lockup}]`,
});
const countdown = (code: "CODE_18800" | "CODE_18802" | "CODE_18801", count: number, name: string): GameState => ({
  name: `countdown-${name}`,
  begin: ({ tell }) => tell("countdown", { code, count }),
  seen: `[role=timer][data-code=${code}]${count <= 10 ? "[data-last]" : ""}`,
});

/** What the machine does or has, and what the platform tells of it, one after another. */
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
    begin({ meters, tell }) {
      meters(OPEN);
      tell("event", { kind: "jackpot", name: "Major", amount: 8_641_215 });
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
      game.tell("countdown", { code: "CODE_18801", count: 0 });
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
    begin({ tell }) {
      const at = new Date().toISOString();
      tell("call", { state: "answered", calledAt: at, answeredAt: at });
    },
    seen: "[data-missing=handPay] [data-call=answered]",
  },
  ...(["door", "tilt", "disabled", "outOfService"] as const).map(locked),
  {
    name: "machine-away",
    begin({ meters, tell }) {
      meters(OPEN);
      tell("agent", { connected: false });
    },
    seen: "[data-missing=machineAway]",
  },
  {
    name: "watched",
    begin({ tell }) {
      tell("agent", { connected: true });
      tell("spectators", { count: 12 });
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
