import type { CheckNow, GameRules } from "@longarm/contract/player-protection";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { texts } from "../../rig/page/game-page.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, PHONE, setUpGameStage } from "./game-stage.ts";

/* Rules of the market and reality check on the game screen: player.md 3.2 and 3.3, pictures 32 and 33. */

const stage = setUpGameStage();
const SOON = { timeout: 60_000 };

const RULES: GameRules = {
  ...{ minCycleMs: 2_500, maxStake: 1_200, autoplay: false, releaseToPress: true, winBelowStakePlain: true },
  check: { everyMin: 60, longestMin: 60, mayBeOff: true },
};
const OPEN: CheckNow = {
  state: "open",
  check: {
    ...{ id: "rc_1", shownAt: "2026-11-21T11:00:06.000Z", playedMs: 3_606_000 },
    ...{ games: 428, wagered: 513_600, won: 494_050 },
  },
};

const panel = (page: Page) => page.locator("[data-panel]");
const spin = (page: Page) => page.locator("[data-spin]");
const check = (page: Page) => page.getByRole("alertdialog");

test.each(everyWindow("desk"))(
  "the session is in view over the whole game, and a market's rules say what they hold back, at $width × $height in $language",
  async (window) => {
    const { page, playing, notify, meters, presses } = await stage.openGame({
      window,
      init: (answer) => {
        answer.rules = { ...RULES };
        answer.playSession = {
          id: "ps_1",
          startedAt: new Date(Date.now() - 2_538_000).toISOString(),
          netMinor: -17_950,
        };
      },
    });
    await playing();
    const words = texts(window.language, "play");
    await expect.poll(() => panel(page).innerText(), SOON).toMatch(/00:42:\d\d/);
    expect(await panel(page).innerText()).toMatch(/179/);
    // A band above the stake, and autoplay, stay where they were.
    await page.locator("[data-choices] [data-ruled]").waitFor(SOON);
    const title = await page.locator("[data-choices] [data-ruled]").getAttribute("title");
    // Within Arabic an amount is isolated.
    expect(title?.replace(/[\u2066\u2069]/g, "")).toBe(words["ruleStake"]?.replace("{amount}", "₺12"));
    const auto = page.locator("button[aria-pressed][aria-disabled=true]", { hasText: words["auto"] ?? "-" });
    expect(await auto.getAttribute("title")).toBe(words["ruleAutoplay"]);
    notify("check", { state: "due" });
    await panel(page)
      .getByText(words["checkDue"] ?? "-")
      .waitFor({ state: "attached", ...SOON });
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    // Due: nothing is begun any more.
    await page.keyboard.press("Space");
    notify("check", { state: "none" });
    await expect.poll(() => panel(page).innerText()).not.toContain(words["checkDue"]);
    expect(presses).toEqual([]);
    await auto.click({ force: true });
    await page.locator("[data-rules] li").first().waitFor(SOON);
    const bar = page.locator("[data-rules]").locator("..");
    expect(await bar.innerText()).not.toContain(words["checkWagered"]);
    notify("played", { games: 316, wagered: 379_200, won: 361_250 });
    await bar.getByText(words["checkWagered"] ?? "-", { exact: true }).waitFor(SOON);
    expect(await bar.innerText()).toMatch(/3[.,]792[.,]00[\s\S]*3[.,]612[.,]50/);
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    meters({ lockup: "door" });
    await expect.poll(() => panel(page).isVisible()).toBe(true);
  },
);

test.each(everyWindow("phone"))(
  "RTS 13B: the reality check is whole, and gives the game back, at $width × $height in $language",
  async (window) => {
    const { page, playing, notify, methods } = await stage.openGame({
      window,
      init: (answer) => {
        answer.rules = { ...RULES };
      },
    });
    await playing();
    notify("check", OPEN);
    await check(page).waitFor(SOON);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), SOON).toBe("H2");
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const words = texts(window.language, "play");
    const [leave, keep] = ["checkLeave", "checkKeep"].map((key) =>
      check(page).getByRole("button", { name: words[key] ?? "-", exact: true }),
    );
    const [one, other] = await Promise.all([leave?.boundingBox(), keep?.boundingBox()]);
    expect([one?.width, one?.height].map((side) => Math.round(side ?? 0))).toEqual(
      [other?.width, other?.height].map((side) => Math.round(side ?? 0)),
    );
    await check(page).getByRole("button", { name: /·/ }).click();
    await check(page).getByRole("radio").first().waitFor(SOON);
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await expect.poll(() => keep?.getAttribute("aria-disabled"), SOON).toBeNull();
    await keep?.click();
    await check(page).waitFor({ state: "detached", ...SOON });
    expect(methods("keepPlaying")).toEqual([{ id: "rc_1" }]);
    expect(methods("press")).toEqual([]);
  },
);

test("a reload in the check finds it again; it covers an open sheet, and gives it back", {
  tags: ["long"],
}, async () => {
  const { page, playing, answer, notify } = await stage.openGame({
    window: PHONE,
    init: (first) => {
      first.rules = { ...RULES };
    },
  });
  await playing();
  await page.getByRole("button", { name: "Transfer" }).click();
  await page.getByRole("dialog", { name: "Transfer" }).waitFor(SOON);
  answer.check = OPEN;
  notify("check", OPEN);
  await check(page).waitFor(SOON);
  await page.getByRole("dialog", { name: "Transfer" }).waitFor({ state: "detached", ...SOON });
  await page.reload();
  await check(page).waitFor(SOON);
});

test("RTS 14D: the ring of SPIN runs out the least time, and a held key starts nothing", {
  tags: ["long"],
}, async () => {
  const { page, playing, presses, finish } = await stage.openGame({
    init: (answer) => {
      answer.rules = { ...RULES, minCycleMs: 4_000 };
    },
  });
  await playing();
  await page.keyboard.down("Space");
  await expect.poll(() => presses.length, SOON).toBe(1);
  finish(0);
  await page.locator("[data-spin][data-state=cycle]").waitFor(SOON);
  await page.keyboard.down("Space");
  await page.locator("[data-spin][data-state=ready]").waitFor(SOON);
  expect(presses).toHaveLength(1);
  await page.keyboard.up("Space");
  await spin(page).click();
  await expect.poll(() => presses.length, SOON).toBe(2);
});
