import { setTimeout as timeLimit } from "node:timers/promises";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { RunOptions } from "axe-core";
import axe from "axe-core";
import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { findChromiumForTests } from "../../tooling/finders/find-tool.ts";

/** `more`: arguments beside the usual ones. */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  const { executablePath, env, args } = await findChromiumForTests();
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [...args, ...more],
  });
}

let shared: Promise<Browser> | undefined;
/** One browser for all files of a worker; it ends with the process of the worker. Every caller closes the contexts that it opens. */
export async function sharedBrowser(more: readonly string[] = []): Promise<Browser> {
  const known = await shared?.catch(() => undefined);
  if (known?.isConnected()) return known;
  shared = openBrowser(more);
  return await shared;
}

/** Sends every visitor of the browser away, except those who stay. */
export async function closeVisitors(
  browser: Browser | undefined,
  stays: (context: BrowserContext) => boolean = () => false,
): Promise<void> {
  for (const context of browser?.contexts() ?? []) if (!stays(context)) await context.close();
}

export type Window = { readonly width: number; readonly height: number; readonly language: "tr" | "en" | "ar" };

/** A browser of somebody's own: nothing is shared with another one. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ timezoneId: "UTC", deviceScaleFactor: WHOLE_RUN ? 1 : 0.5 });
  // A busy computer is not a fault.
  context.setDefaultTimeout(60_000);
  return context;
}

/** A visitor of an unused page, `still` one who wants nothing to move. What is returned fills with whatever the page writes to the console or throws. */
export async function arrive(page: Page, { width, height, language }: Window, still: boolean): Promise<string[]> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({
    ...{ media: null, colorScheme: null, forcedColors: null, contrast: null },
    reducedMotion: still ? "reduce" : null,
  });
  await page.addInitScript((spoken) => {
    if (localStorage.getItem("longarm.language") === null) localStorage.setItem("longarm.language", spoken);
    // The player of the scripted world has read the summary of this sign-in.
    const read = "p_1 2026-11-20T20%3A14%3A00.000Z -";
    if (localStorage.getItem("longarm.summaryShown") === null) localStorage.setItem("longarm.summaryShown", read);
  }, language);
  const complaints: string[] = [];
  page.on("console", (message) => void complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  return complaints;
}

/** For a frame to take axe's script, ms. */
const FRAME_MS_MAX = 1_000;
const AXE_OPTIONS: RunOptions = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  // Nothing is put together about what is in order: a third of the time went into that.
  resultTypes: ["violations"],
  selectors: false,
};

/** What axe-core finds (WCAG 2.0 to 2.2 A and AA, and best practice), one line each. */
export async function axeFindings(page: Page): Promise<string[]> {
  const main = page.mainFrame();
  await loadAxe(main);
  // A frame that goes away meanwhile, or runs no script, is left out.
  for (const frame of page.frames())
    if (frame !== main)
      await Promise.race([loadAxe(frame), timeLimit(FRAME_MS_MAX, undefined, { ref: false })]).catch(() => {});
  return await main.evaluate(async (options) => {
    // What fades in or out has another contrast meanwhile.
    const short = document.getAnimations().filter(({ playState, effect, currentTime }) => {
      const end = Number(effect?.getComputedTiming().endTime);
      return playState === "running" && end - Number(currentTime) < 1_000;
    });
    await Promise.allSettled(short.map(({ finished }) => finished));
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
  }, AXE_OPTIONS);
}

/** Once for each document: half a megabyte of script that is read anew at every look costs more than the look. */
async function loadAxe(frame: Frame): Promise<void> {
  if (!(await frame.evaluate(() => "axe" in window))) await frame.evaluate(axe.source);
}

/** How many px the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
