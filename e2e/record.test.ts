import type { PlayedGame, RecentPlay, Statement } from "@longarm/contract/player-record";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, leave, logIn, metersOnPage, playGame, sitDown } from "../rig/page/game-page.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { DENIZ, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* A player's record over a real machine: summed up at sign-in and after play, the last games, the statement of the year. */

const SOON = { timeout: 30_000, interval: 100 };
const MACHINE = "nar-01";
const GAMES = 3;
let venue: TestVenue;
let browser: Browser;
let player: Player;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  player = await signIn(venue.href, DENIZ);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const summary = (page: Page) => page.locator("[data-summary]");
const read = async <Answer>(path: string): Promise<Answer> => (await (await player.call(path)).json()) as Answer;
/** "₺1,234.50" */
const money = (minor: number): string =>
  `₺${Math.abs(minor / 100).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

test("GLI-19 4.14: what the page sums up, recalls and states is what the machine counted and the ledger moved", async () => {
  const { page, complaints, context } = await arrive(browser, { ...DESK, keepsSummaries: true }, "en");
  await logIn(page, venue.href, DENIZ);
  await page.getByRole("heading", { name: /^Welcome back/ }).waitFor();
  expect(await summary(page).innerText()).toMatch(/You were last here on .+ from/);
  await page.keyboard.press("Enter");
  await summary(page).waitFor({ state: "detached" });

  await sitDown(page, MACHINE);
  await cashIn(page, 500, "en");
  const { gamesPlayed } = await metersOnPage(page);
  for (let game = 0; game < GAMES; game += 1) await playGame(page, () => page.keyboard.press("Space"));
  await expect.poll(async () => (await metersOnPage(page)).gamesPlayed - gamesPlayed, SOON).toBe(GAMES);
  // The platform books the last game a moment after the page shows it.
  await expect.poll(async () => (await read<RecentPlay>("player/recent")).recent.games, SOON).toBe(GAMES);
  const { recent: playing } = await read<RecentPlay>("player/recent");
  await page.getByRole("button", { name: "Side bar" }).click();
  const bar = page.getByRole("complementary");
  await expect.poll(() => bar.innerText(), SOON).toContain(money(playing.wagered));
  expect(await bar.innerText()).toContain(money(playing.won));
  await leave(page, "en");

  await page.getByRole("heading", { name: /^You left/ }).waitFor();
  const { last } = await read<RecentPlay>("player/recent");
  expect(last).toMatchObject({ games: GAMES, endedBy: "left", wagered: playing.wagered, won: playing.won });
  const text = await summary(page).innerText();
  for (const minor of [playing.wagered, playing.won, playing.won - playing.wagered])
    expect(text).toContain(money(minor));
  await summary(page).getByRole("link", { name: "See the games" }).click();

  const sheet = page.getByRole("dialog");
  await expect
    .poll(() => sheet.getByRole("region", { name: "Last ten games" }).getByRole("listitem").count(), SOON)
    .toBe(GAMES);
  const { games } = await read<{ games: PlayedGame[] }>("player/games");
  await sheet.getByRole("region", { name: "Last ten games" }).getByRole("link").first().click();
  const [newest] = games;
  await sheet.getByText(String(newest?.number), { exact: true }).waitFor();
  const facts = await sheet.locator("dl[data-money]").innerText();
  for (const minor of [newest?.before, newest?.stake, newest?.win, newest?.after])
    expect(facts).toContain(money(minor ?? -1));
  expect(
    games.map(({ before, stake, win, after, addsUp }) => [after === (before ?? 0) - (stake ?? 0) + (win ?? 0), addsUp]),
  ).toEqual(games.map(() => [true, true]));
  await page.keyboard.press("Escape");

  await page.goto(`${venue.href}/safer-play?tab=statement`);
  const statement = await read<Statement>("player/statement");
  const balance = await player.balance();
  expect(statement.total).toMatchObject({
    games: GAMES,
    wagered: playing.wagered,
    won: playing.won,
    closing: balance.balance,
  });
  await page.getByText("Net result").waitFor();
  const shown = await page.getByRole("tabpanel").innerText();
  for (const minor of [playing.wagered, playing.won, statement.total.closing]) expect(shown).toContain(money(minor));
  expect(complaints).toEqual([]);
  await context.close();
});
