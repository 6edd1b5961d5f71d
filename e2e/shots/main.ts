import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { ROOT } from "../../launcher/venue.ts";
import { openBrowser } from "../scripted/browser.ts";
import { builtWeb } from "../scripted/built-web.ts";
import type { GameScene, PlayedGame } from "../scripted/game-scene.ts";
import { GAME_ARGS, openGameScene } from "../scripted/game-scene.ts";
import { DESK, LANGUAGES } from "../scripted/scene.ts";
import { writeContactSheets } from "./contact-sheet.ts";
import { realNames, takeVenue } from "./real-venue.ts";
import { SCRIPTED } from "./table.ts";
import { takeTour } from "./take-tour.ts";
import type { Open, Taken } from "./take-walk.ts";
import { takeWalk } from "./take-walk.ts";

/*
 * `npm run shots` takes a picture of every state of the game, of watching and of the reconnect dialog, in each language and size;
 * `-- --out <folder>` says where they go, `--only money,machine-locked` which (names begin so), `--language tr` in which language.
 * `npm run shots -- template` takes every page of the template in each layout, language and size instead; `--layout layout1` in which layout,
 * `--check` looks for findings too, in both directions, and fails when there are any.
 * A state that fails is named at the end and costs no other its picture.
 */

const MESSAGE_MAX = 400;
const say = (line: string): void => console.log(line);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: join(ROOT, "node_modules/.cache/longarm-shots") },
    only: { type: "string", default: "" },
    language: { type: "string" },
    layout: { type: "string" },
    check: { type: "boolean", default: false },
  },
});
const folder = resolve(values.out);
const only = values.only.split(",");
const languages = LANGUAGES.filter((language) => values.language === undefined || values.language === language);
const wanted = (name: string): boolean => only.some((start) => name.startsWith(start));

const openOn =
  (browser: Browser, web: string): Open<PlayedGame, GameScene> =>
  async (scene, language, prepare) => {
    const closing: (() => Promise<void>)[] = [];
    const end = async (): Promise<void> => {
      for (const one of closing.splice(0).reverse()) await one().catch(() => {});
    };
    try {
      const place = {
        browser,
        builtWeb: web,
        opened: (backEnd: { close(): Promise<void> }) => void closing.push(() => backEnd.close()),
      };
      const game = await openGameScene(place, {
        ...scene,
        window: { ...DESK, language },
        async prepare(controls, page) {
          closing.push(
            () => page.context().close(),
            () => controls.camera.page.context().close(),
          );
          await prepare(page);
          await scene.prepare?.(controls, page);
        },
      });
      return { ...game, end };
    } catch (error) {
      await end();
      throw error;
    }
  };

const all: Taken[] = [];

/** Prints each failure as soon as it happens. */
function printProblems(taken: readonly Taken[], language: string): void {
  all.push(...taken);
  for (const { name, problem } of taken) {
    if (problem !== undefined) say(`✗ ${language} ${name}: ${problem.slice(0, MESSAGE_MAX)}`);
  }
}

/** The walks of one language, one after another. */
async function takeScripted(open: Open<PlayedGame, GameScene>, language: (typeof LANGUAGES)[number]): Promise<void> {
  for (const walk of SCRIPTED) {
    // Those before the last wanted one may be needed to get there.
    const last = walk.states.findLastIndex(({ name }) => wanted(`${walk.name}-${name}`));
    const part = { ...walk, states: walk.states.slice(0, last + 1) };
    printProblems(await takeWalk(part, { open, language, folder }), language);
  }
}

/** The pages of the template instead of the states of the game. */
async function tour(): Promise<void> {
  const browser = await openBrowser();
  try {
    const { layout, check } = values;
    const found = await takeTour({
      browser,
      builtWeb: await builtWeb(),
      folder,
      languages,
      wanted,
      layout,
      check,
      say,
    });
    await writeContactSheets(folder, browser);
    say(`${found} findings: ${folder} (index.html, sheets/)`);
    process.exitCode = found === 0 ? 0 : 1;
  } finally {
    await browser.close();
  }
}

async function main(): Promise<void> {
  if (positionals[0] === "template") return tour();
  if (values.only === "") await rm(folder, { recursive: true, force: true });
  const web = await builtWeb();
  const browser = await openBrowser(GAME_ARGS);
  try {
    const open = openOn(browser, web);
    await Promise.all(languages.map(async (language) => await takeScripted(open, language)));
    if (realNames().some(wanted)) {
      await takeVenue({ browser, builtWeb: web, folder, languages, onTaken: printProblems }).catch((problem: unknown) =>
        printProblems([{ name: "real", problem: String(problem) }], "every language"),
      );
    }
    await writeContactSheets(folder, browser);
  } finally {
    await browser.close();
  }
  const failed = all.filter(({ problem }) => problem !== undefined);
  say(`${all.length - failed.length} pictured, ${failed.length} failed: ${folder} (index.html, sheets/)`);
  for (const name of new Set(failed.map((one) => one.name))) say(`  ${name}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

await main();
