import { readFile } from "node:fs/promises";
import type { PlayedGame, Statement, StatementFigures } from "@longarm/contract/player-record";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

/* The last ten games, one of them, and the statement of a year. Picture 40 of the design. */

const stage = setUpStage();

const games: PlayedGame[] = Array.from({ length: 10 }, (_, at) => ({
  ...{ id: `${41_210 - at}.m_1`, number: 41_210 - at, machine: at < 7 ? "Nar 07" : "Kuzey 02", session: "ps_9" },
  start: new Date(Date.UTC(2026, 10, 21, 19, 56, 40 - at * 4)).toISOString(),
  end: new Date(Date.UTC(2026, 10, 21, 19, 56, 43 - at * 4)).toISOString(),
  ...{ stake: 1_200, win: at === 0 ? 38_400 : 0, handPaid: 0, before: 444_850 + at * 1_200, after: 482_050 },
  ...{ freeSpins: 0, bonus: false, addsUp: true },
}));
/** Of a machine over SAS, which does not say more. */
const UNSAID: PlayedGame = { ...(games[0] as PlayedGame), before: null, handPaid: null, freeSpins: null, bonus: null };

function serveGames(backEnd: ScriptedBackEnd, one: PlayedGame = games[0] as PlayedGame): void {
  backEnd.script("GET /v1/player/games", () => ok({ games }));
  backEnd.script(`GET /v1/player/games/${one.id}`, () => ok(one));
  backEnd.script("GET /v1/player/sessions", () => ok({ rows: [], total: 0, next: null }));
  backEnd.script("GET /v1/player/transactions", () => ok({ rows: [], total: 0, next: null }));
}
const openGames = (path: string, scene: Scene = {}, one?: PlayedGame) =>
  stage.open(path, { ...scene, before: (_page, backEnd) => serveGames(backEnd, one) });

test("the last ten games, one of them with the credits before and after, and back by the browser", async () => {
  const { page, path, complaints } = await openGames("/slot-sessions");
  await page.getByRole("link", { name: "Last ten games" }).click();
  const sheet = page.getByRole("dialog", { name: "Last ten games" });
  await expect.poll(() => sheet.getByRole("listitem").count()).toBe(10);
  await sheet.getByRole("link").first().press("Enter");
  const game = page.getByRole("dialog", { name: "A game" });
  await game.getByText("41210", { exact: true }).waitFor();
  expect(await game.locator("dl[data-money] > div").allInnerTexts()).toEqual([
    expect.stringMatching(/^Credit before\s+₺4,448\.50$/),
    expect.stringMatching(/^Stake\s+₺12\.00$/),
    expect.stringMatching(/^Win\s+₺384\.00$/),
    expect.stringMatching(/^Credit after\s+₺4,820\.50$/),
    expect.stringMatching(/^Free spin count\s+0$/i),
    expect.stringMatching(/^Bonus round\s+no$/),
  ]);
  expect(path()).toBe("/slot-sessions?game=41210.m_1");
  await page.goBack();
  await sheet.getByRole("listitem").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(path()).toBe("/slot-sessions");
  expect(complaints).toEqual([]);
});

test("what the machine does not say is a dash with its reason, and figures that do not agree are marked", async () => {
  const { page } = await openGames("/slot-sessions?game=41210.m_1", {}, { ...UNSAID, addsUp: false });
  const game = page.getByRole("dialog", { name: "A game" });
  await game.getByText("41210", { exact: true }).waitFor();
  expect(await game.locator("[data-unsaid]").count()).toBe(4);
  expect(await game.locator("[data-unsaid]").first().innerText()).toMatch(/–\s*The machine does not say this/);
  await game.getByText("The machine’s own figures do not agree.").waitFor();
});

test("a game that is not the player's is not found, an address that names none opens nothing", async () => {
  const { page } = await stage.open("/slot-sessions?game=7.m_9", {
    before: (_page, backEnd) => {
      serveGames(backEnd);
      backEnd.script("GET /v1/player/games/7.m_9", () => refused(404, 40000));
    },
  });
  await page.getByText("This game could not be found.").waitFor();
  const other = await openGames("/slot-sessions?game=%3Cscript%3E");
  await other.page.getByRole("link", { name: "Last ten games" }).waitFor();
  expect(await other.page.getByRole("dialog").count()).toBe(0);
});

const figures = (result: number, deposits: number, withdrawals = 0): StatementFigures => ({
  ...{
    deposits,
    withdrawals,
    bonuses: 5_000,
    discounts: 0,
    fees: 0,
    toMachines: 1_250_000,
    fromMachines: 1_180_000,
    handPays: 12_500,
  },
  ...{
    corrections: -2_500,
    games: 2_651,
    wagered: 3_181_200,
    won: 3_181_200 + result,
    opening: 100_000,
    closing: 95_000,
  },
});
const RESULTS = [-84_000, 32_500, -126_000, -9_600, 110_800, -64_000, -203_000, -41_500, 78_000, -129_000, -183_000];
const statementOf = (year: number): Statement => ({
  ...{ timeZone: "Europe/Istanbul", asOf: "2026-11-21T20:00:00.000Z", year, years: [2026, 2025, 2024] },
  total: { ...figures(-610_300, 1_700_000, 550_000), wagered: 28_589_100, won: 27_978_800, games: 23_824 },
  months: RESULTS.map((result, at) => ({
    ...figures(result, at % 3 === 0 ? 250_000 : 0, at === 8 ? 150_000 : 0),
    month: at + 1,
  })),
});
const openStatement = (scene: Scene = {}) =>
  stage.open("/safer-play?tab=statement", {
    ...scene,
    before: async (page, backEnd) => {
      backEnd.script("GET /v1/player/statement", ({ query }) => ok(statementOf(Number(query.get("year") ?? 2026))));
      await scene.before?.(page, backEnd);
    },
  });

test("a year by month, another year, and what moved beside the sums", async () => {
  const { page, backEnd, complaints } = await openStatement();
  const months = page.locator("details[data-month]");
  await expect.poll(() => months.count()).toBe(11);
  const sums = page.getByRole("tabpanel").locator("dl").first();
  expect(await sums.locator("dd").allInnerTexts()).toEqual([
    "₺17,000.00",
    "₺5,500.00",
    "₺11,500.00",
    "₺285,891.00",
    "₺279,788.00",
    "−₺6,103.00",
  ]);
  const newest = months.first().locator("summary");
  expect(await newest.innerText()).toMatch(/Nov 2026/);
  await newest.press("Enter");
  await months.first().getByText("Wallet before").waitFor();
  expect(await months.first().locator("dl > div").filter({ hasText: "Corrections" }).innerText()).toMatch(/−₺25\.00/);
  await page.getByText("Months by the clock of Europe/Istanbul").waitFor();
  await page.getByRole("radio", { name: "2025" }).check({ force: true });
  await page.getByText("Nov 2025").waitFor();
  expect(
    backEnd.calls.filter(({ path }) => path === "/v1/player/statement").map(({ query }) => query.get("year")),
  ).toEqual([null, "2025"]);
  expect(complaints).toEqual([]);
});

test("the file of a year has a line for each month and one for all, and no cell that is a formula", async () => {
  const { page } = await openStatement();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe("longarm-statement-2026.csv");
  const lines = (await readFile(await file.path(), "utf8"))
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split("\r\n");
  expect(lines).toHaveLength(13);
  expect(lines[0]).toMatch(/^Month \(Europe\/Istanbul\),Wallet before \(TRY\),Money in \(TRY\)/);
  expect(lines[1]).toBe(
    "2026-01,1000.00,2500.00,0.00,50.00,0.00,0.00,12500.00,11800.00,125.00,-25.00,31812.00,30972.00,-840.00,2651,950.00",
  );
  expect(lines[12]).toMatch(/^2026 in all,/);
  for (const cell of lines.flatMap((line) => line.split(","))) expect(cell).not.toMatch(/^[=+@]|^-(?!\d+\.\d\d$)/);
});

test("a platform without statements says so, one that fails can be requested again", async () => {
  const without = await openStatement({
    before: (_page, backEnd) => backEnd.script("GET /v1/player/statement", () => refused(404, 40000)),
  });
  await without.page.getByText("There is no statement here").waitFor();
  let isBroken = true;
  const { page } = await openStatement({
    before: (_page, backEnd) =>
      backEnd.script("GET /v1/player/statement", () => (isBroken ? refused(500, 50000) : ok(statementOf(2026)))),
  });
  await page.getByText("The statement could not be loaded").waitFor();
  isBroken = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Nov 2026").waitFor();
});

test.each(everyWindow("phone"))("statement and games in $language, $width × $height", async (window) => {
  const { page } = await openStatement({ window });
  await page.locator('details[data-month="11"] > summary').click();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
  const recalled = await openGames("/slot-sessions?game=last", { window });
  await expect.poll(() => recalled.page.getByRole("dialog").getByRole("listitem").count()).toBe(10);
  expect(await axeFindings(recalled.page)).toEqual([]);
  expect(await overflowOf(recalled.page)).toBe(0);
});
