import type { Browser, BrowserContext, Page } from "playwright-core";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { TextLanguage } from "../../rig/page/game-page.ts";
import { confirmLeave, logIn, playing } from "../../rig/page/game-page.ts";
import { runLongarm } from "../../rig/venue/staff.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue, PATIENT } from "../../rig/venue/test-venue.ts";
import { DESK } from "../scripted/scene.ts";
import type { addHold } from "./camera.ts";
import type { Walk } from "./state.ts";
import { autoKey, closeSheets, key, settled, spin, submit, typeAmount } from "./states/moves.ts";
import type { Taken } from "./take-walk.ts";
import { takeWalk } from "./take-walk.ts";

/** A game lasts long enough for its pictures, ms. */
const CYCLE_MS = 4_000;

export const realNames = (): string[] =>
  REAL_WALKS.flatMap(({ name, states }) => states.map((state) => `${name}-${state.name}`));

/** The same machine in one language after the other, on a venue that is started for it and leaves nothing behind. */
export async function takeVenue(options: {
  readonly browser: Browser;
  /** The folder of the built web. */
  readonly builtWeb: string;
  readonly folder: string;
  readonly languages: readonly TextLanguage[];
  readonly onTaken: (taken: readonly Taken[], language: TextLanguage) => void;
}): Promise<void> {
  const { browser, builtWeb, folder, languages, onTaken } = options;
  const platformEnv = { ...PATIENT, WEB_FOLDER: builtWeb };
  const venue = await openTestVenue({ machines: 2, timeCode: false, minCycleMs: CYCLE_MS, platformEnv });
  try {
    for (const language of languages) {
      for (const walk of REAL_WALKS) {
        const taken = await takeWalk(walk, {
          open: (scene, _, prepare) => openRealGame({ browser, venue, language }, scene, prepare),
          language,
          folder,
        });
        onTaken(taken, language);
      }
    }
  } finally {
    await venue.close();
  }
}

const MACHINE = "nar-01";

/** A browser at a real venue. */
type RealGame = {
  readonly page: Page;
  readonly venue: TestVenue;
  /** Runs staff's command line; throws what it complains of. */
  staff(...args: string[]): Promise<void>;
  /** Takes the seat, and waits for the picture. */
  sitDown(): Promise<void>;
  end(): Promise<void>;
};

/** `watching`: the second player, who looks on while the first one plays on a page of their own. */
type RealScene = { readonly watching?: true };

type Wanted = { readonly browser: Browser; readonly venue: TestVenue; readonly language: TextLanguage };

async function openRealGame(
  { browser, venue, language }: Wanted,
  { watching }: RealScene,
  prepare: typeof addHold,
): Promise<RealGame> {
  const contexts: BrowserContext[] = [];
  const end = async (): Promise<void> => {
    for (const context of contexts.splice(0)) await context.close();
  };
  const [first, second] = DEMO_PLAYERS as [(typeof DEMO_PLAYERS)[0], (typeof DEMO_PLAYERS)[0]];

  async function arrive(player: typeof first): Promise<Page> {
    const { width, height } = DESK;
    const context = await browser.newContext({ viewport: { width, height } });
    contexts.push(context);
    await context.addInitScript((spoken) => {
      if (location.protocol.startsWith("http")) localStorage.setItem("longarm.language", spoken);
    }, language);
    const page = await context.newPage();
    await prepare(page);
    await logIn(page, venue.href, player);
    return page;
  }

  async function sitDown(page: Page): Promise<void> {
    await page.goto(`${venue.href}/game/${MACHINE}/-`);
    await playing(page);
    await page.locator("h1").first().click();
  }

  try {
    const player = await arrive(first);
    if (watching) await sitDown(player);
    const page = watching ? await arrive(second) : player;
    return {
      page,
      venue,
      async staff(...args) {
        const { code, complained } = await runLongarm(venue, args);
        if (code !== 0) throw new Error(complained.join(" "));
      },
      sitDown: () => sitDown(page),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

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

const REAL_WALKS: readonly RealWalk[] = [PLAYING, WATCHING];
