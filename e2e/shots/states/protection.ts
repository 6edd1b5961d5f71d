import type { CheckNow, GameRules } from "@longarm/contract/player-protection";
import type { GameScene, PlayedGame } from "../../scripted/game-scene.ts";
import type { Walk } from "../state.ts";
import { begun, key, spin, USUAL } from "./moves.ts";

type GameWalk = Walk<PlayedGame, GameScene>;

/* What protects the player: pictures 32 and 33 of the design. */

/** A strict market. */
const RULES: GameRules = {
  ...{ minCycleMs: 2_500, maxStake: 1_200, autoplay: false, releaseToPress: true, winBelowStakePlain: true },
  check: { everyMin: 60, longestMin: 60, mayBeOff: true },
};
const CHECK: CheckNow = {
  state: "open",
  check: {
    ...{ id: "rc_1", shownAt: "2026-11-21T11:00:06.000Z", playedMs: 3_606_000 },
    ...{ games: 428, wagered: 513_600, won: 494_050 },
  },
};
/** The session of the pictures has run for so long, ms. */
const PLAYED_MS = 2_538_000;

const scene = (rules: Partial<GameRules> = {}): GameScene => ({
  ...USUAL,
  init(answer) {
    answer.rules = { ...RULES, ...rules };
    const startedAt = new Date(Date.now() - PLAYED_MS).toISOString();
    answer.playSession = { id: "ps_1", startedAt, netMinor: -17_950 };
  },
});

const HELD: GameWalk = {
  name: "protection",
  scene: scene(),
  start: begun,
  states: [
    { name: "rules", seen: "[data-choices] [data-ruled]" },
    {
      name: "due",
      async begin({ meters, notify }) {
        meters({ inGame: true });
        notify("check", { state: "due" });
      },
      seen: "[data-panel] [data-due]",
    },
    {
      name: "turn",
      ready: ({ notify }) => notify("check", { state: "none" }),
      begin: ({ notify }) => notify("turn", { limitMin: 60, leftMs: 1_500_000 }),
      seen: "[data-panel] [data-turn]",
    },
    {
      name: "rules-open",
      begin: ({ page }, t) => key(page, t("play.sideBar")).click(),
      seen: "[data-rules]",
      everywhere: "aside, [role=dialog]",
    },
    {
      name: "check",
      async ready({ page, meters }) {
        await page.keyboard.press("Escape");
        meters({ inGame: false });
      },
      begin: ({ notify }) => notify("check", CHECK),
      seen: "[role=alertdialog] h2",
      everywhere: "[role=alertdialog]",
    },
    {
      name: "check-choose",
      begin: ({ page }) => page.getByRole("alertdialog").getByRole("button", { name: /·/ }).click(),
      seen: "[role=alertdialog] [role=radiogroup]",
      everywhere: "[role=alertdialog]",
    },
  ],
};

/** Long enough to take the picture. */
const CYCLE: GameWalk = {
  name: "protection",
  scene: scene({ minCycleMs: 60_000 }),
  start: begun,
  states: [
    {
      name: "cycle",
      async begin({ page, finish }) {
        await spin(page);
        await page.locator("main[data-turning=true]").waitFor();
        finish(38_400);
      },
      seen: "[data-spin][data-state=cycle]",
    },
  ],
};

const ABOVE: GameWalk = {
  name: "protection",
  scene: scene({ maxStake: 1_000 }),
  start: begun,
  states: [
    {
      name: "stake-above",
      begin: ({ page }) => spin(page),
      seen: "[data-spin][data-state=above]",
      said: "play.stakeAbove",
    },
  ],
};

/** A press that the agent holds back, with its sentence. */
const held = (name: string, reason: string, said: string): GameWalk => ({
  name: "press",
  scene: { ...scene({ minCycleMs: 0 }) },
  start: begun,
  states: [
    {
      name,
      begin({ page, script }) {
        script("press", ({ seq }: { seq: number }) => ({ ok: { seq, outcome: "refused", at: 0, reason } }));
        return spin(page);
      },
      seen: "[data-kind]",
      said,
    },
  ],
});

export const PROTECTION_WALKS: readonly GameWalk[] = [
  HELD,
  CYCLE,
  ABOVE,
  held("no-autoplay", "no autoplay", "play.noAutoplay"),
  held("unseen", "picture too old", "play.unseen"),
  held("unrecorded", "play not recorded", "play.unrecorded"),
  held("check-holds", "reality check", "play.checkHolds"),
  held("limit-holds", "limit reached", "play.limitHolds"),
  held("turn-holds", "turn over", "play.turnHolds"),
  held("stake-holds", "stake was above", "play.stakeHolds"),
  held("break-holds", "break", "play.breakHolds"),
];
