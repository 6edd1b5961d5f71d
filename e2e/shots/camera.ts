import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { DESK, SIZES } from "../scripted/scene.ts";

/** Takes a picture of a page in every size. A small window is one that is touched. */
type Camera = {
  /** `shown`: a selector of what has to be there first. */
  take(name: string, shown?: string): Promise<void>;
};

const SHOWN_MS_MAX = 30_000;

/** Pictures go to `<folder>/<width>x<height>-<language>/<name>.png`. */
export async function openCamera(page: Page, folder: string, language: string): Promise<Camera> {
  const devTools = await page.context().newCDPSession(page);
  return {
    async take(name, shown) {
      for (const [width, height] of SIZES) {
        await resize(page, devTools, width, height);
        if (shown !== undefined) await page.locator(shown).first().waitFor({ timeout: SHOWN_MS_MAX });
        const path = join(folder, sizeFolder(width, height, language), `${name}.png`);
        await mkdir(dirname(path), { recursive: true });
        await page.screenshot({ path, animations: "disabled" });
      }
      await resize(page, devTools, DESK.width, DESK.height);
    },
  };
}

export const sizeFolder = (width: number, height: number, language: string): string => `${width}x${height}-${language}`;

async function resize(page: Page, devTools: CDPSession, width: number, height: number): Promise<void> {
  await devTools.send("Emulation.setTouchEmulationEnabled", { enabled: width < DESK.width });
  await page.setViewportSize({ width, height });
  await page.evaluate(
    () => new Promise<void>((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted()))),
  );
}

/*
 * A page whose timers can be held: some states last half a second, and a picture of each size takes longer. The network, the picture and
 * whatever a key does go on.
 */

type Wanted = { readonly seen: string; readonly said: string };
type Hold = { when(wanted: Wanted): void; now(): void; off(): void };
type Holder = { longarmHold: Hold };

/** Call it before the page is opened. */
export async function addHold(page: Page): Promise<void> {
  await page.addInitScript(installHold);
}

/** Holds the timers as soon as the page shows what is wanted. Whatever a message still says from before is put away. */
export async function holdWhen(page: Page, wanted: Wanted): Promise<void> {
  await page.evaluate((reported) => (globalThis as unknown as Holder).longarmHold.when(reported), wanted);
}

/** Waits until it shows that, on whichever document it is by now. */
export async function held(page: Page, wanted: Wanted, timeout: number): Promise<void> {
  await page.waitForFunction(
    ({ seen, said }) =>
      document.querySelector(seen) !== null && (said === "" || document.body.textContent?.includes(said) === true),
    wanted,
    { timeout },
  );
  await page.evaluate(() => (globalThis as unknown as Holder).longarmHold.now());
}

export async function letGo(page: Page): Promise<void> {
  await page.evaluate(() => {
    (globalThis as unknown as Holder).longarmHold.off();
    for (const close of document.querySelectorAll<HTMLElement>("section[aria-live] [data-kind] button")) close.click();
  });
}

/** Runs in the page, before its own scripts. */
function installHold(): void {
  const { setTimeout: later, clearTimeout: never, setInterval: each } = window;
  const waiting = new Map<number, () => void>();
  let holding = false;
  let watch: MutationObserver | undefined;
  window.setTimeout = ((run: TimerHandler, ms?: number, ...args: unknown[]) => {
    const go = (): void => void (typeof run === "function" && run(...args));
    const id: number = later(() => (holding ? void waiting.set(id, go) : go()), ms);
    return id;
  }) as typeof setTimeout;
  window.clearTimeout = (id) => {
    waiting.delete(Number(id));
    never(id);
  };
  window.setInterval = ((run: TimerHandler, ms?: number, ...args: unknown[]) =>
    each(() => void (!holding && typeof run === "function" && run(...args)), ms)) as typeof setInterval;
  const hold: Hold = {
    now() {
      watch?.disconnect();
      holding = true;
    },
    when({ seen, said }) {
      const look = (): void => {
        if (document.querySelector(seen) === null) return;
        if (said === "" || document.body.textContent?.includes(said) === true) hold.now();
      };
      watch?.disconnect();
      watch = new MutationObserver(look);
      watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    },
    off() {
      watch?.disconnect();
      holding = false;
      for (const [id, go] of [...waiting]) if (waiting.delete(id)) go();
    },
  };
  Object.assign(globalThis, { longarmHold: hold });
}
