import type { Button } from "@longarm/contract/machine";
import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, everyWindow, PHONE, setUpGameStage } from "./game-stage.ts";

/* Where the controls are: in reach in each window, for each cabinet. What they do is in game-controls.test.ts. */
const stage = setUpGameStage();
const SOON = { timeout: 60_000 };
/** For what is done at each look. */
const PATIENT = { timeout: 60_000, interval: 300 };

const table = (page: Page) => page.locator("main[data-phase]");
const spin = (page: Page) => page.locator("[data-spin]");
const key = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Width from which the side bar is beside the game, px. */
const SIDE_BAR_FITS = 1_249;

/** What a finger or a mouse cannot press: out of the window, under something else, or too small. */
const unreachable = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main button:not([disabled]), main label")].flatMap((element) => {
      if (!element.checkVisibility({ visibilityProperty: true })) return [];
      // Where not all fit they scroll, sideways.
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
      const name = element.getAttribute("aria-label") ?? element.innerText;
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      if (Math.round(width) < 44 || Math.round(height) < 44) return [`${name}: ${width} × ${height}`];
      if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return [`${name}: outside`];
      const hits = [0.15, 0.5, 0.85].map((at) => document.elementFromPoint(left + width * at, (top + bottom) / 2));
      const over = hits.find((hit) => !element.contains(hit) && !hit?.contains(element));
      return over ? [`${name}: under ${over.outerHTML.slice(0, 80)}`] : [];
    }),
  );

test.each(
  someOf(1, [
    [
      "tr",
      [
        [360, 640],
        [844, 390],
        [1024, 768],
        [1260, 800],
      ],
    ],
    [
      "en",
      [
        [390, 844],
        [1440, 900],
        [1920, 1080],
      ],
    ],
    [
      "ar",
      [
        [360, 640],
        [844, 390],
        [1920, 1080],
      ],
    ],
  ] as const),
)("R-2.5-14: in %s every control is in reach in windows of %j, for either hand", async (language, sizes) => {
  const { page, playing } = await stage.openGame({ window: { ...DESK, language } });
  await playing();
  await expect.poll(() => page.locator("main section button").count()).toBeGreaterThanOrEqual(9);
  const fits = () => expect.poll(async () => [await unreachable(page), await overflowOf(page)], SOON).toEqual([[], 0]);
  const sideIn = async (width: number): Promise<number> => {
    const box = await spin(page).boundingBox();
    return box === null ? Number.NaN : Math.sign(Math.round(box.x + box.width / 2 - width / 2));
  };
  const sides: number[] = [];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await fits();
    sides.push(await sideIn(width));
  }
  await page.evaluate((hand) => localStorage.setItem("longarm.hand", hand), language === "ar" ? "right" : "left");
  await page.reload();
  await playing();
  for (const [at, [width, height]] of sizes.entries()) {
    await page.setViewportSize({ width, height });
    await fits();
    await expect.poll(() => sideIn(width)).toBe(0 - (sides[at] ?? Number.NaN));
  }
  const wide = sizes.filter(([width]) => width >= SIDE_BAR_FITS);
  // Wide enough for the side bar to be beside the game.
  await page.locator("[role=toolbar] [aria-expanded]").click();
  for (const [width, height] of wide) {
    await page.setViewportSize({ width, height });
    await fits();
  }
});

const panelKey = (id: string, label: string, kind: Button["kind"]): Button => ({ id, label, kind, minGapMs: 0 });
const CABINETS = [
  {
    name: "without bands, with lines, a collect and a stop",
    bands: false,
    buttons: [
      panelKey("start", "START", "wager"),
      panelKey("lines", "LINES", "select"),
      panelKey("collect", "COLLECT", "collect"),
      panelKey("stop", "STOP REELS", "select"),
    ],
    idle: ["LINES", "COLLECT"],
    absent: ["Less", "More", "Max bet"],
  },
  {
    name: "with one key for each stake",
    bands: true,
    buttons: [
      panelKey("bet1", "BET 1", "wager"),
      panelKey("bet5", "BET 5", "wager"),
      panelKey("gamble", "GAMBLE", "select"),
    ],
    idle: ["GAMBLE"],
    absent: ["Less", "More", "Max bet"],
  },
  {
    name: "with a stepper only",
    bands: false,
    buttons: [
      panelKey("spin", "SPIN", "wager"),
      panelKey("betDown", "−", "select"),
      panelKey("betUp", "+", "select"),
      panelKey("drinks", "DRINKS", "service"),
    ],
    idle: ["Less", "More"],
    absent: ["Max bet"],
  },
];

const WINDOWS = [DESK, { ...PHONE, width: 360, height: 640 }, { ...PHONE, width: 844, height: 390 }] as const;
test.each(someOf(1, CABINETS))(
  "a cabinet $name is drawn and played from what it tells, in each window",
  async ({ bands, buttons, idle, absent }) => {
    const { page, playing, presses, finish } = await stage.openGame({
      init: (answer) => Object.assign(answer, { buttons }, bands ? {} : { bandSelects: [] }),
    });
    await playing();
    const pressed = (id: string | undefined) => expect.poll(() => presses.at(-1)?.button, SOON).toBe(id);
    const turning = (is: "true" | "false") =>
      expect.poll(() => table(page).getAttribute("data-turning"), SOON).toBe(is);
    for (const { width, height } of WINDOWS) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => unreachable(page)).toEqual([]);
      for (const name of absent) expect(await key(page, name).count()).toBe(0);
      for (const name of idle) {
        const { length: before } = presses;
        await key(page, name).click();
        await expect.poll(() => presses.length, SOON).toBe(before + 1);
      }
      // Two presses in half a second count as one: the first one of this window may be the last one's again.
      await expect
        .poll(async () => {
          if (presses.at(-1)?.button !== buttons[0]?.id) await spin(page).click();
          return presses.at(-1)?.button;
        }, PATIENT)
        .toBe(buttons[0]?.id);
      if (buttons.some(({ id }) => id === "stop")) {
        await turning("true");
        await key(page, "STOP REELS").click();
        await pressed("stop");
      }
      finish();
      await turning("false");
      if (buttons.some(({ id }) => id === "bet5")) {
        // A second press of SPIN above may still begin a game, and a press beside a game is none.
        await expect
          .poll(async () => {
            finish();
            if (presses.at(-1)?.button !== "bet5") await key(page, "BET 5").click();
            return presses.at(-1)?.button;
          }, PATIENT)
          .toBe("bet5");
        finish();
        await turning("false");
      }
    }
  },
);

test.each(everyWindow("phone"))(
  "the deck and the autoplay sheet at $width x $height in $language: axe finds nothing, and the sheet is inside the window",
  { tags: ["long"] },
  async (window) => {
    const { page, playing } = await stage.openGame({ window });
    await playing();
    expect(await axeFindings(page)).toEqual([]);
    await page
      .locator("section button[aria-pressed]", { has: page.locator("b") })
      .first()
      .click();
    await page.getByRole("dialog").locator("form").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const box = await page.getByRole("dialog").boundingBox();
    expect(box !== null && box.y >= 0 && box.y + box.height <= window.height).toBe(true);
  },
);

test("the bezel of SPIN keeps clear of the round keys beside it, on phones of each width", {
  tags: ["long"],
}, async () => {
  const { page, playing } = await stage.openGame({ window: PHONE });
  await playing();
  for (const [width, height] of [
    [360, 740],
    [375, 812],
    [412, 915],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
    const gaps = await spin(page).evaluate((brass) => {
      const bezel = Number.parseFloat(getComputedStyle(brass, "::before").insetInlineStart);
      const { left, right } = brass.getBoundingClientRect();
      const beside = [...document.querySelectorAll("section button")].filter(
        (key) => key !== brass && key.getBoundingClientRect().bottom > brass.getBoundingClientRect().top,
      );
      return beside.map((key) => {
        const drawn = (
          key.querySelector(":scope > span:has(svg)") ??
          key.querySelector("svg") ??
          key
        ).getBoundingClientRect();
        return drawn.right < left ? left + bezel - drawn.right : drawn.left - (right - bezel);
      });
    });
    expect(gaps).toHaveLength(2);
    // A round key has a ring of 5 px of its own.
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(6);
  }
});
