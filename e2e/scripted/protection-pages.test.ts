import type { PlayedGame, Statement, StatementFigures } from "@longarm/contract/player-record";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import type { Window } from "./browser.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, PHONE, setUpGameStage } from "./game-stage.ts";
import { LANGUAGES } from "./scene.ts";
import { ScriptedLimits } from "./scripted-limits.ts";
import type { World } from "./world.ts";

/* Every page and dialog that protects a player, at the two sizes of the design and in each language (pictures 30 to 44). */

const stage = setUpGameStage();
const SOON = { timeout: 60_000 };
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

const BREAKS = {
  closed: null,
  timeOutHours: [24, 72, 168, 336, 672, 1_008],
  exclusionMonths: [6, 12, 24, 60],
  panicHours: 24,
};
const HELP = [
  {
    name: "YEDAM",
    phone: "115",
    about: { tr: "Ücretsiz, gece gündüz", en: "Free, day and night", ar: "مجانًا، ليلًا ونهارًا" },
  },
  { name: "Gambling Therapy", url: "https://www.gamblingtherapy.org" },
];
const LETTER = {
  ...{ id: "le_1", sentAt: "2026-11-26T16:20:00.000Z", readAt: null, from: "Selin Kaya" },
  text: "Deniz.\n\n…",
  advice: { key: "loss.week", value: 50_000 },
  why: [
    { measure: "time", level: "watch", value: 1_300, limit: 1_200, at: "2026-11-26T10:00:00.000Z" },
    { measure: "netLoss", level: "strong", value: 120, limit: 100, at: "2026-11-26T09:00:00.000Z" },
  ],
};
const GAME: PlayedGame = {
  ...{ id: "41210.m_1", number: 41_210, machine: "Nar 07", session: "ps_9" },
  ...{ start: "2026-11-21T19:56:40.000Z", end: "2026-11-21T19:56:43.000Z", stake: 1_200, win: 38_400 },
  ...{ handPaid: 0, before: 444_850, after: 482_050, freeSpins: 0, bonus: false, addsUp: true },
};
const LAST = {
  ...{ id: "ps_9", machine: "Nar 07", start: "2026-11-21T18:00:00.000Z", end: "2026-11-21T18:42:18.000Z" },
  ...{ endedBy: "limit", seconds: 2_538, games: 316, wagered: 379_200, won: 361_250, cameHome: 482_050 },
};
const figures: StatementFigures = {
  ...{
    deposits: 250_000,
    withdrawals: 150_000,
    bonuses: 5_000,
    discounts: 0,
    fees: 0,
    toMachines: 1_250_000,
    handPays: 12_500,
  },
  ...{ fromMachines: 1_180_000, corrections: -2_500, games: 2_651, wagered: 3_181_200, won: 3_055_200 },
  ...{ opening: 100_000, closing: 95_000 },
};
const STATEMENT: Statement = {
  ...{ timeZone: "Europe/Istanbul", asOf: "2026-11-21T20:00:00.000Z", year: 2026, years: [2026, 2025, 2024] },
  ...{ total: figures, months: Array.from({ length: 11 }, (_, at) => ({ ...figures, month: at + 1 })) },
};
const IDENTITY = {
  ...{ state: "pending", decidedAt: "2026-11-21T12:52:00.000Z", validUntil: null, document: "passport" },
  ...{ birthDate: "1988-02-14", tooYoung: false, ageMin: 18 },
  ...{ before: ["play", "deposit", "withdrawal"], closed: ["play", "deposit", "withdrawal"] },
};
const TERMS = {
  ...{ number: 4, validFrom: "2026-12-01T00:00:00.000Z", acceptedAt: null, language: "en", title: "Terms of use" },
  changes: ["Rules of the queue: you have 30 seconds.", "Recordings are kept 90 days."],
  body: `# 1. Machines\nEvery machine is real.\n\n# 2. Money\n\n${"What is in your wallet is yours. ".repeat(40)}`,
};

function serve(backEnd: ScriptedBackEnd): void {
  const limits = new ScriptedLimits(Date.now());
  limits.wait("loss.day", 400_000, 21.7);
  limits.serve(backEnd);
  const answers = {
    "/v1/player/breaks": BREAKS,
    "/v1/player/statement": STATEMENT,
    "/v1/player/games": { games: Array.from({ length: 10 }, (_, at) => ({ ...GAME, id: `${41_210 - at}.m_1` })) },
    "/v1/player/games/41210.m_1": GAME,
    "/v1/player/sessions": { rows: [], total: 0, next: null },
    "/v1/player/transactions": { rows: [], total: 0, next: null },
    "/v1/player/identity": IDENTITY,
    "/v1/player/terms": {
      ...{ due: 4, before: ["play"] },
      versions: [{ number: 4, validFrom: TERMS.validFrom, acceptedAt: null, title: TERMS.title }],
    },
    "/v1/player/terms/4": TERMS,
    "/v1/player/letters": { letters: [LETTER] },
    "/v1/player/recent": {
      last: LAST,
      recent: { games: 4_210, wagered: 5_120_000, won: 4_906_000 },
      today: { seconds: 4_340, wagered: 379_200, won: 317_650 },
    },
  };
  for (const [path, answer] of Object.entries(answers)) backEnd.script(`GET ${path}`, () => ok(answer));
  backEnd.script("POST /v1/player/letters/read", () => ok({ letters: [LETTER] }));
}

type Shown = {
  readonly name: string;
  readonly path: string;
  readonly signIn?: Readonly<Record<string, unknown>>;
  /** Brings it up, and waits for it. */
  readonly seen: (page: Page) => Promise<unknown>;
  /** Its two answers are of one size. */
  readonly alike?: true;
};

const closed = (name: string, play_closed: object): Shown => ({
  ...{ name, path: "/lobby", signIn: { play_closed } },
  seen: (page) => page.locator("main h1").waitFor(SOON),
});
const inDialog = (page: Page) => page.locator("[role=dialog], [role=alertdialog]").first().waitFor(SOON);
const chosen = (nth: number) => async (page: Page) => {
  const radio = page.locator("#page input[type=radio]").nth(nth);
  await radio.waitFor({ ...SOON, state: "attached" });
  await radio.check({ force: true });
  const block = page.locator("#page section", { has: page.locator("input:checked") }).last();
  await block.getByRole("button").last().click();
  await inDialog(page);
};
const tab = (name: string): Shown => ({
  ...{ name, path: `/safer-play?tab=${name}` },
  seen: (page) => page.locator("main [role=tabpanel] :is(h2, dl, summary, [role=meter])").first().waitFor(SOON),
});

const exclusion = { kind: "exclusion", from: inHours(-5_000) };
const PAGES: readonly Shown[] = [
  closed("closed by a time-out", { kind: "timeOut", from: inHours(-1), until: inHours(167) }),
  closed("closed after long play", { kind: "forced", from: inHours(-0.01), until: inHours(0.4) }),
  closed("closed by an exclusion", { ...exclusion, until: inHours(5_000) }),
  closed("an exclusion that is over", { ...exclusion, until: inHours(-24), isOver: true }),
  closed("an exclusion that opens", { ...exclusion, until: inHours(-24), isOver: true, opensAt: inHours(20) }),
  ...["limits", "breaks", "statement", "letters", "help"].map(tab),
  {
    ...{ name: "a limit to change", path: "/safer-play" },
    async seen(page) {
      await page.locator("main [role=tabpanel] button[aria-label]").nth(1).click(SOON);
      await inDialog(page);
    },
  },
  { name: "a time-out to confirm", path: "/safer-play?tab=breaks", seen: chosen(2) },
  { name: "an exclusion to confirm", path: "/safer-play?tab=breaks", seen: chosen(6) },
  { name: "the last ten games", path: "/slot-sessions?game=last", seen: inDialog },
  { name: "one game", path: "/slot-sessions?game=41210.m_1", seen: inDialog },
  { name: "identity", path: "/identity", seen: (page) => page.locator("main ol > li").nth(1).waitFor(SOON) },
  { name: "terms", path: "/terms", seen: (page) => page.locator("main article").waitFor(SOON) },
  { name: "new terms", path: "/lobby", signIn: { terms_due: 4 }, seen: inDialog, alike: true },
  { name: "a letter", path: "/lobby", signIn: { letter_waits: true }, seen: inDialog },
  { name: "limits offered", path: "/lobby", signIn: { limits_offered: true }, seen: inDialog, alike: true },
  { name: "the summary", path: "/lobby", signIn: { signed_in_at: "2026-11-21T19:00:00.000Z" }, seen: inDialog },
];

const WINDOWS: readonly Window[] = WHOLE_RUN
  ? [DESK, PHONE].flatMap((size) => LANGUAGES.map((language) => ({ ...size, language })))
  : [{ ...PHONE, language: "ar" }];

/** Texts that do not fit where they are, and have no other way to be read. */
const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [
      ...(document.querySelector("[role=dialog], [role=alertdialog]") ??
        document.querySelector("main"))!.querySelectorAll<HTMLElement>("*"),
    ]
      .filter((one) => {
        const { overflowX, textOverflow, display } = getComputedStyle(one);
        const clips = overflowX === "hidden" || overflowX === "clip" || textOverflow === "ellipsis";
        return clips && display !== "inline" && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1;
      })
      .map((one) => one.innerText.slice(0, 80)),
  );

async function isClean(page: Page, language: string): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await cutTexts(page)).toEqual([]);
  expect(await page.evaluate(() => document.dir)).toBe(language === "ar" ? "rtl" : "ltr");
  // The digits of the design are Western in each language, so that an amount reads like the machine's own.
  expect(await page.locator("body").innerText()).not.toMatch(/[٠-٩۰-۹]/);
}

test.each(WINDOWS.flatMap((window) => PAGES.map((shown) => ({ ...window, ...shown }))))(
  "$name at $width x $height in $language: no axe finding, nothing cut off, one direction, one kind of digits",
  async ({ path, signIn, seen, alike, name: _, ...window }) => {
    const { page, complaints } = await stage.open(path, {
      window,
      world: (world: World) => {
        Object.assign(world.signIn, signIn);
        world.settings["helpList"] = HELP;
      },
      before: (_page, backEnd) => serve(backEnd),
    });
    await seen(page);
    await isClean(page, window.language);
    if (alike) {
      const boxes = await page
        .getByRole("dialog")
        .getByRole("button")
        .evaluateAll((keys) =>
          keys.map((key) => [key.getBoundingClientRect().width, key.getBoundingClientRect().height].map(Math.round)),
        );
      expect(boxes).toHaveLength(2);
      expect(boxes[0]).toEqual(boxes[1]);
    }
    expect(complaints).toEqual([]);
  },
);

test.each(WINDOWS)(
  "the reality check at $width x $height in $language: no axe finding, nothing cut off, one direction, one kind of digits",
  async (window) => {
    const { page, playing, notify } = await stage.openGame({
      window,
      init: (answer) => {
        const check = { everyMin: 60, longestMin: 60, mayBeOff: true };
        answer.rules = {
          minCycleMs: 2_500,
          maxStake: 1_200,
          autoplay: false,
          releaseToPress: true,
          winBelowStakePlain: true,
          check,
        };
        answer.playSession = {
          id: "ps_1",
          startedAt: new Date(Date.now() - 2_538_000).toISOString(),
          netMinor: -17_950,
        };
      },
      before: (_page, backEnd) => backEnd.script("GET /v1/player/breaks", () => ok(BREAKS)),
    });
    await playing();
    notify("check", {
      state: "open",
      check: {
        ...{ id: "rc_1", shownAt: "2026-11-21T11:00:06.000Z", playedMs: 3_606_000 },
        ...{ games: 428, wagered: 513_600, won: 494_050 },
      },
    });
    await inDialog(page);
    await isClean(page, window.language);
  },
);
