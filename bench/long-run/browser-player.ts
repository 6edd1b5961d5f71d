import { setTimeout as pause } from "node:timers/promises";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import type { Chance } from "../../rig/chance.ts";
import { createChance, seededRandom } from "../../rig/chance.ts";
import type { DamagedPath } from "../../rig/faults/media-path.ts";
import { damagePath } from "../../rig/faults/media-path.ts";
import type { Counts } from "../../rig/figures.ts";
import { createCounts } from "../../rig/figures.ts";
import type { TextLanguage } from "../../rig/page/game-page.ts";
import { logIn, playTexts, readSummaries, texts } from "../../rig/page/game-page.ts";
import type { Device } from "../../rig/page/visitor.ts";
import { arrive } from "../../rig/page/visitor.ts";
import type { VenuePlayer } from "../../rig/venue/venue.ts";
import { PAGE_SCRIPTS } from "./screen.ts";

export type Seat = { readonly name: string; readonly device: Device; readonly language: TextLanguage };

type MutableDamage = { lossShare: number; delayMs: number };

/** Somebody with a browser, a hand and no plan. */
export type BrowserPlayer = {
  readonly name: string;
  readonly device: Device;
  readonly credentials: VenuePlayer;
  /** Where the venue is open. */
  readonly href: string;
  readonly context: BrowserContext;
  readonly chance: Chance;
  readonly app: Readonly<Record<string, string>>;
  readonly play: Readonly<Record<string, string>>;
  readonly reconnect: Readonly<Record<string, string>>;
  /** What the media on its way to and from this player's pages suffers from now on. */
  readonly damage: MutableDamage;
  /** Errors of the console, and whatever the page threw. */
  readonly errors: string[];
  /** What the page noted in the console beside, with how often. */
  readonly notes: Counts;
  page(): Page;
  path(): DamagedPath;
  /** The machine whose game the page shows. */
  machine(): string | undefined;
  /** Goes to the logo card, and over the form into the lobby. */
  logIn(): Promise<void>;
  /** Opens one more page of the same browser, which is the one played on from now on. Answers the page before. */
  newTab(): Promise<Page>;
  /** Puts a finger or the pointer on it. `force`: also where it is covered or says that it is of no use now. */
  touch(what: Locator, force?: boolean): Promise<void>;
  rest(least: number, most: number): Promise<void>;
  close(): Promise<void>;
};

const HAND_MS = 5_000;

export async function openBrowserPlayer(
  browser: Browser,
  { name, device, language }: Seat,
  given: { readonly href: string; readonly credentials: VenuePlayer; readonly seed: string },
): Promise<BrowserPlayer> {
  const { context, page: first } = await arrive(browser, { ...device, moves: true }, language);
  const errors: string[] = [];
  const notes = createCounts();
  context.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
    else notes.add(`${message.type()}: ${firstLine(message.text())}`);
  });
  context.on("weberror", (problem) => errors.push(problem.error().message));
  for (const script of PAGE_SCRIPTS) await context.addInitScript(script);
  const random = seededRandom(`${given.seed} ${name}`);
  const damage: MutableDamage = { lossShare: 0, delayMs: 0 };
  let page = first;
  let path = await damagePath(page, damage, seededRandom(`${given.seed} ${name} path`));
  const paths = [path];
  page.setDefaultTimeout(HAND_MS);
  return {
    name,
    device,
    context,
    errors,
    notes,
    damage,
    credentials: given.credentials,
    href: given.href,
    chance: createChance(random),
    app: texts(language, "app"),
    play: playTexts(language),
    reconnect: texts(language, "reconnect"),
    page: () => page,
    path: () => path,
    machine: () => /\/game\/([^/]+)/.exec(page.url())?.[1],
    logIn: () => logIn(page, given.href, given.credentials),
    async newTab() {
      const before = page;
      const next = await context.newPage();
      next.setDefaultTimeout(HAND_MS);
      await readSummaries(next);
      path = await damagePath(next, damage, random);
      paths.push(path);
      page = next;
      await next.goto(before.url(), { waitUntil: "commit" });
      return before;
    },
    async touch(what, force = false) {
      const one = what.first();
      if (device.touch) await one.tap({ force, timeout: HAND_MS });
      else await one.click({ force, timeout: HAND_MS });
    },
    rest: (least, most) => pause(createChance(random).between(least, most)),
    async close() {
      await context.close();
      for (const one of paths) one.close();
    },
  };
}

const firstLine = (text: string): string => text.split("\n")[0]?.slice(0, 200) ?? "";
