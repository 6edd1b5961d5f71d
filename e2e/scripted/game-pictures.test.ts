import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { overflowOf } from "./browser.ts";
import type { PlayedGame } from "./game-stage.ts";
import { setUpGameStage } from "./game-stage.ts";
import { EVERY_WINDOW } from "./stage.ts";

/*
 * Every state of a play session, in each size and language: nothing overflows, and each is said where it can be seen.
 * `PICTURES=/tmp/pictures npx vitest run --project screens e2e/scripted/game-pictures.test.ts` also takes a picture of each.
 */
const stage = setUpGameStage();
const SOON = { timeout: 30_000 };
const folder = process.env["PICTURES"];
/** Seventeen states one after the other, ms. */
const WHOLE_ROUND = 240_000;

type State = {
  readonly name: string;
  readonly begin: (game: PlayedGame) => unknown;
  /** What must be seen in the window then. */
  readonly seen: string;
};

const OPEN = { inGame: false, bonus: false, freeSpins: 0, win: 0, lockup: undefined, handPay: undefined } as const;
const locked = (lockup: "door" | "tilt" | "disabled" | "outOfService"): State => ({
  name: `locked-${lockup}`,
  begin: ({ tell, answer }) => tell("meters", { ...answer.meters, ...OPEN, lockup }),
  seen: `[data-missing=${lockup}]`,
});
const STATES: readonly State[] = [
  { name: "playing", begin: ({ meters }) => meters(OPEN), seen: "[data-started=true] video" },
  {
    name: "won",
    begin({ meters, finish }) {
      meters({ inGame: true });
      finish(38_400);
    },
    seen: "[data-won]",
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
  ...(["CODE_18800", "CODE_18802", "CODE_18801"] as const).map((code) => ({
    name: `countdown-${code.slice(5)}`,
    begin: ({ tell }: PlayedGame) => tell("countdown", { code, count: 42 }),
    seen: `[role=timer][data-code=${code}]`,
  })),
  {
    name: "hand-pay",
    begin({ tell, answer }) {
      tell("countdown", { code: "CODE_18801", count: 0 });
      const handPay = { id: "hp-1", amount: 1_250_050, kind: "win" };
      tell("meters", { ...answer.meters, ...OPEN, lockup: "handPay", handPay });
    },
    seen: "[data-missing=handPay]",
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
  {
    name: "picture-lost",
    begin: ({ camera }) => camera.hush(true),
    seen: "[data-missing=pictureLost], [data-missing=connectionLost]",
  },
  {
    name: "connection-lost",
    begin({ script, close }) {
      script("init", () => undefined);
      close(1012, "restart");
    },
    seen: "[data-online=false] [data-missing=connectionLost]",
  },
];

test.each(EVERY_WINDOW)(
  "every state of the game at $width × $height in $language is seen and overflows nowhere",
  async (window) => {
    const game = await stage.openGame({ window });
    const { page, playing, complaints } = game;
    await playing();
    for (const { name, begin, seen } of STATES) {
      await begin(game);
      const sign = page.locator(seen).first();
      await sign.waitFor(SOON);
      expect(await overflowOf(page), name).toBe(0);
      const box = await sign.boundingBox();
      expect(box, name).not.toBeNull();
      if (box === null) continue;
      const inside =
        box.x >= 0 && box.y >= 0 && box.x + box.width <= window.width && box.y + box.height <= window.height;
      expect(inside || name === "playing", name).toBe(true);
      await takePicture(game, `${window.width}x${window.height}-${window.language}-${name}`);
    }
    expect(complaints).toEqual([]);
  },
  WHOLE_ROUND,
);

async function takePicture({ page }: PlayedGame, name: string): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
}
