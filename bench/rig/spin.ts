import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { within } from "./rig.ts";

const PRESS_LIMIT_MS = 3_000;

/** Keeps the reels turning for so long, one press of the Space key at a time. */
export async function spin(
  page: Page,
  turning: () => Promise<boolean>,
  durationMs: number,
): Promise<{ presses: number }> {
  const endsAt = performance.now() + durationMs;
  let presses = 0;
  while (performance.now() < endsAt) {
    const rests = await within(endsAt - performance.now(), async () => !(await turning()));
    if (!rests) break;
    // Away from the beat of the pictures, which starts the reels anew with each game.
    await pause(Math.random() * 50);
    presses += 1;
    await page.keyboard.press("Space");
    await within(PRESS_LIMIT_MS, turning);
  }
  return { presses };
}
