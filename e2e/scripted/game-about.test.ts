/** @module-tag long */
import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { statedOf } from "../../apps/agent/src/drivers/simulated/stated.ts";
import { texts } from "../../rig/page/game-page.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, PHONE, setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 60_000 };
const { returnPercent: percent, ...stated } = statedOf("nar");

const focusIn = (page: Page, selector: string) =>
  page.evaluate((within) => document.activeElement?.closest(within) !== null, selector);

/* player, "Missing for a casino player": paytable, rules and return beside the machine. */

test.each(
  someOf(1, [
    ["tr", DESK, "Nar", "Bu makine hakkında"],
    ["en", PHONE, "Pomegranate", "About this machine"],
    ["ar", { width: 844, height: 390 }, "رمان", "عن هذه الماكينة"],
  ] as const),
)(
  "the paytable opens by its button in %s, keeps the focus, fits the window and returns the focus",
  async (language, size, symbol, title) => {
    const { page, playing, script } = await stage.openGame({ window: { ...size, language } });
    script("about", () => ({ ok: { ...stated, return: { percent, by: "machine" } } }));
    await playing();
    const play = texts(language, "play");
    const inRail = page.getByRole("toolbar").getByRole("button", { name: title });
    // The rail of a small screen has no room for it: there it is in the side bar.
    if (!(await inRail.isVisible())) {
      await page.getByRole("button", { name: play["sideBar"] ?? "", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: title }).click();
    } else await inRail.click();
    const sheet = page.getByRole("dialog", { name: title });
    await sheet.getByRole("rowheader", { name: symbol }).waitFor();
    expect(await sheet.getByRole("row").count()).toBe(7);
    expect(await sheet.getByRole("listitem").count()).toBe(20);
    await expect.poll(() => focusIn(page, "[role=dialog]"), SOON).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    const box = await sheet.boundingBox();
    expect(box !== null && box.y >= 0 && box.y + box.height <= size.height).toBe(true);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), SOON).toBe("BUTTON");
  },
);
