import { confirmLeave } from "../../../rig/page/game-page.ts";
import type { Walk } from "../state.ts";
import { autoKey, closeSheets, key, settled, spin, submit, typeAmount } from "../states/moves.ts";
import type { RealGame, RealScene } from "./real-game.ts";
import { MACHINE } from "./real-game.ts";

type RealWalk = Walk<RealGame, RealScene>;
type RealState = RealWalk["states"][number];

const QUEUED = "[data-spin][data-state=queued]";
const PRESSES_MAX = 20;
const SOON = { timeout: 120_000 };
const RESTS = "main[data-turning=false]:has([data-spin][data-state=ready])";

/** The reels rest and nothing is said; a bonus that asks is answered. */
async function rest({ page }: RealGame): Promise<void> {
  const resting = page.locator(`${RESTS}:not(:has([data-doing]))`);
  const late = performance.now() + SOON.timeout;
  while (performance.now() < late && (await resting.count()) === 0) {
    if ((await page.locator("[data-doing=bonus]").count()) > 0) await spin(page);
    await resting.waitFor({ timeout: 2_000 }).catch(() => {});
  }
  await resting.waitFor();
}

/** A press so soon after another is none: presses until one waits for the next game. */
async function queue({ page }: RealGame): Promise<void> {
  const queued = page.locator(QUEUED);
  for (let press = 0; press < PRESSES_MAX && (await queued.count()) === 0; press += 1) {
    await spin(page);
    await queued.waitFor({ timeout: 600 }).catch(() => {});
  }
}

/** What staff makes happen with the next game. */
const withGame = (what: string, seen: string, name = what): RealState => ({
  name,
  async ready(game) {
    await rest(game);
    await game.staff("simulate", MACHINE, what);
  },
  begin: ({ page }) => spin(page),
  seen,
});
const atOnce = (what: string, seen: string): RealState => ({
  name: what,
  ready: rest,
  begin: ({ staff }) => staff("simulate", MACHINE, what),
  seen,
});
/** Between two states of `atOnce`. */
const repaired = (name: string): RealState => ({
  name: `repaired-after-${name}`,
  begin: ({ staff }) => staff("simulate", MACHINE, "repair"),
  seen: "main:not(:has([data-missing]))",
});

const PLAYING: RealWalk = {
  name: "real",
  scene: {},
  start: ({ sitDown }) => sitDown(),
  states: [
    { name: "no-credit", seen: "[data-spin][data-state=noCredit]" },
    { name: "money", begin: ({ page }, t) => typeAmount(page, t, "750"), seen: "[role=dialog] [data-shown=true]" },
    { name: "money-done", begin: ({ page }) => submit(page), seen: "[data-kind=good]" },
    { name: "at-rest", seen: RESTS },
    { name: "turning", begin: ({ page }) => spin(page), seen: "[data-spin][data-state=turning]" },
    { name: "queued", ready: rest, begin: queue, seen: QUEUED },
    withGame("jackpot", "[data-doing=jackpot]"),
    {
      name: "won",
      begin: ({ page }) => settled(page, "[data-won]"),
      seen: "[data-won]",
    },
    withGame("bonus", "[data-doing=bonus]"),
    withGame("freespins", "[data-doing=freeSpins]"),
    withGame("handpay", "[data-missing=handPay]"),
    {
      name: "hand-pay-confirmed",
      begin: ({ staff }) => staff("handpay", "confirm", MACHINE),
      seen: "main:not(:has([data-missing]))",
    },
    ...["tilt", "door"].flatMap((what) => [atOnce(what, `[data-missing=${what}]`), repaired(what)]),
    atOnce("offline", "[data-missing=machineAway]"),
    repaired("offline"),
    {
      name: "autoplay",
      async ready(game) {
        await rest(game);
        await autoKey(game.page).click();
      },
      begin: ({ page }) => submit(page),
      seen: "[data-spin][data-state=auto]",
    },
    {
      name: "side-bar",
      async ready(game, t) {
        await autoKey(game.page).click();
        await rest(game);
        await key(game.page, t("play.sideBar")).click();
      },
      seen: "[data-side=open]",
      everywhere: "aside, [role=dialog]",
    },
    {
      name: "connection",
      async ready({ page }, t) {
        await page
          .locator("aside")
          .getByRole("button", { name: t("app.close"), exact: true })
          .click();
        await page.locator("button[aria-haspopup=dialog][data-quality]").click();
      },
      seen: "[role=dialog] dl",
    },
    {
      name: "platform-away",
      ready: ({ page }) => closeSheets(page),
      begin: ({ venue }) => venue.platform.kill(),
      seen: "[data-online=false] [data-missing=connectionLost]",
    },
    {
      name: "platform-back",
      begin: ({ venue }) => venue.platform.restart(),
      seen: "main[data-online=true]:not(:has([data-missing]))",
    },
    {
      name: "reconnect",
      async ready({ page, venue }) {
        await page.goto(`${venue.href}/lobby`);
      },
      seen: "[role=dialog] [data-variant=waiting]",
    },
    {
      name: "left",
      async ready({ sitDown }) {
        await sitDown();
      },
      async begin({ page }, t) {
        await key(page, t("play.toLobby")).click();
        await confirmLeave(page);
      },
      seen: "[data-kind]",
      said: "play.withdrawDone",
    },
    {
      name: "emergency-stop",
      ready: ({ sitDown }) => sitDown(),
      begin: ({ staff }) => staff("machines", "emergency-stop", MACHINE, "--yes", "--reason", "drill"),
      seen: "[data-kind]",
      said: "code.18801",
    },
    {
      name: "resumed-after-emergency-stop",
      begin: ({ staff }) => staff("machines", "resume", MACHINE),
      seen: `[data-machine=${MACHINE}][data-lamp=available]`,
    },
  ],
};

const WATCHING: RealWalk = {
  name: "real-watching",
  scene: { watching: true },
  states: [
    {
      name: "lobby",
      ready: ({ page, venue }) => page.goto(`${venue.href}/lobby`),
      seen: `[data-machine=${MACHINE}][data-lamp=playing]`,
    },
    {
      name: "game",
      begin: ({ page }) => page.locator(`[data-machine=${MACHINE}] a`).click(),
      seen: "main[data-live=true] [data-started=true]",
    },
  ],
};

export const REAL_WALKS: readonly RealWalk[] = [PLAYING, WATCHING];
