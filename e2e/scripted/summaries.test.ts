import type { RecentPlay, SessionSummary } from "@longarm/contract/player-record";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import { ScriptedLimits } from "./scripted-limits.ts";

/* What was played, over the lobby: once in each sign-in, and after each play session. Pictures 38 and 39 of the design. */

const stage = setUpStage();

const LAST: SessionSummary = {
  ...{ id: "ps_9", machine: "Nar 07", start: "2026-11-21T18:00:00.000Z", end: "2026-11-21T18:42:18.000Z" },
  ...{ endedBy: "left", seconds: 2_538, games: 316, wagered: 379_200, won: 361_250, cameHome: 482_050 },
};
const RECENT: RecentPlay["recent"] = { games: 4_210, wagered: 5_120_000, won: 4_906_000 };

/** A player who signed in just now. `recent` is what the platform answers at that moment. */
const openLobby = (recent: () => RecentPlay, scene: Scene = {}, path = "/lobby") =>
  stage.open(path, {
    ...scene,
    world: (world) => {
      world.signIn["signed_in_at"] = "2026-11-21T19:00:00.000Z";
      scene.world?.(world);
    },
    before: async (page, backEnd) => {
      new ScriptedLimits(Date.now()).serve(backEnd);
      backEnd.script("GET /v1/player/recent", () => ok(recent()));
      await scene.before?.(page, backEnd);
    },
  });
const played = (last: Partial<SessionSummary> = {}): RecentPlay => ({ last: { ...LAST, ...last }, recent: RECENT });

const sheet = (page: Page) => page.getByRole("dialog");
const figures = (page: Page) => sheet(page).locator("dl > div");

test("a sign-in shows when the last one was and what was played, once; one key closes it", async () => {
  const { page, complaints } = await openLobby(() => played());
  await sheet(page).getByRole("heading", { name: "Welcome back, Deniz" }).waitFor();
  const text = await sheet(page).innerText();
  expect(text).toMatch(/You were last here on Friday,? 20 November at 20:14, from 85\.104\.12\.9\./);
  expect(text).toContain("Your last session, at Nar 07");
  await expect
    .poll(() => figures(page).allInnerTexts())
    .toEqual(
      ["TIME\n00:42:18", "WAGERED\n₺3,792.00", "WON\n₺3,612.50", "RESULT\n−₺179.50", "RESULT, 30 DAYS\n−₺2,140.00"].map(
        (text) => expect.stringMatching(new RegExp(text.replace(/[.₺]/g, ".*"), "is")),
      ),
    );
  await sheet(page).getByText("Deposit limit, 30 days").waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("To the lobby");
  await page.keyboard.press("Enter");
  await sheet(page).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("heading", { name: "Lobby" }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(await sheet(page).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("who has not played yet reads the last sign-in alone", async () => {
  const { page } = await openLobby(() => ({ last: null, recent: { games: 0, wagered: 0, won: 0 } }));
  await sheet(page).getByText("You have not played yet.").waitFor();
  expect(await figures(page).count()).toBe(0);
  await page.keyboard.press("Escape");
  await sheet(page).waitFor({ state: "detached" });
});

test("a play session that ends is summed up once its credits are home, also when the platform ended it", async () => {
  let now: RecentPlay = played({ id: "ps_8" });
  const { page, backEnd } = await openLobby(() => now, {
    world: (world) => {
      world.session = { status: true, id: "m_1", name: "Nar 07", machine_status: "trying-cashout" };
    },
    before: (page) =>
      page.addInitScript(() => localStorage.setItem("longarm.summaryShown", "p_1 2026-11-21T19%3A00%3A00.000Z ps_8")),
  });
  // The seat that is not empty yet is spoken of first.
  await page.locator("[role=dialog], [role=alertdialog]").waitFor();
  now = played({ endedBy: "idle" });
  backEnd.push("session", { status: false, id: "none", name: "", machine_status: "unknown" });
  await sheet(page).getByRole("heading", { name: "Your play at Nar 07 has ended" }).waitFor();
  const text = await sheet(page).innerText();
  expect(text).toContain("₺4,820.50 came back to your wallet");
  expect(text).toContain("Nothing was pressed for a while.");
  expect(await figures(page).count()).toBe(5);
  await sheet(page).getByRole("button", { name: "OK" }).click();
  await sheet(page).waitFor({ state: "detached" });
  backEnd.push("balance", { balance: 1_000 });
  await expect.poll(() => backEnd.calls.filter(({ path }) => path === "/v1/player/recent").length).toBeGreaterThan(2);
  expect(await sheet(page).count()).toBe(0);
});

test("no summary is over a page of protection, nor over another sheet", async () => {
  const { page } = await openLobby(() => played(), {}, "/safer-play");
  await page.getByRole("heading", { name: "Safer play" }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(await sheet(page).count()).toBe(0);
  await page.getByRole("link", { name: "Lobby" }).click();
  await sheet(page)
    .getByRole("heading", { name: /Welcome back/ })
    .waitFor();
});

test.each(everyWindow("phone"))("both summaries in $language, $width × $height", async (window) => {
  let now = played({ id: "ps_8" });
  const { page, backEnd } = await openLobby(() => now, { window });
  const summary = page.locator("[data-summary]");
  await summary.waitFor();
  await page.locator("[data-summary] [role=meter]").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
  await page.locator("[data-summary] > button").click();
  await summary.waitFor({ state: "detached" });
  now = played({ endedBy: "limit" });
  backEnd.push("balance", { balance: 1_000 });
  await page.locator("[data-summary=session]").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
});
