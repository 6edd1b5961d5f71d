import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { DESK, SIZES } from "../scripted/scene.ts";

/** Takes a picture of a page in every size. A small window is one that is touched. */
export type Camera = {
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
