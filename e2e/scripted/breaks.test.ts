import { expect, test } from "vitest";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, PHONE, setUpStage } from "./game-stage.ts";

/* A player on a break: lobby and game lead to one page, which says until when and what stays open. */

const stage = setUpStage();
const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const timeOut = () => ({ kind: "timeOut", from: inHours(-1), until: inHours(167) });
const exclusion = (more: object = {}) => ({
  kind: "exclusion",
  from: inHours(-5_000),
  until: inHours(-24),
  isOver: true,
  ...more,
});

type Where = { readonly path?: string; readonly window?: typeof DESK | typeof PHONE };

async function openClosed(closed: object, { path = "/lobby", window = DESK }: Where = {}) {
  const played = await stage.open(path, {
    window,
    world: (world) => {
      world.signIn["play_closed"] = closed;
      world.settings["helpList"] = [
        { name: "Yeşilay", phone: "115" },
        { name: "Gamblers Anonymous", url: "https://example.org/ga" },
      ];
    },
  });
  const { page } = played;
  await page.locator("main h1").waitFor();
  return { ...played, title: page.locator("main h1") };
}

test.each(["/lobby", "/game/nar-01/Nar%2001", "/lobby/1/Nar"])(
  "%s leads a player on a break to the page of the break",
  async (path) => {
    const { page, title } = await openClosed(timeOut(), { path });
    await expect.poll(() => new URL(page.url()).pathname).toBe("/closed");
    await expect.poll(() => title.textContent()).toMatch(/^Your break lasts until \d+\s\w+\s\d{4}$/);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  },
);

test("the wallet, transactions and games stay open, and nothing leads to a machine", async () => {
  const { page } = await openClosed(timeOut());
  await expect.poll(() => page.locator("main dd").textContent()).toContain("12,450");
  await page.getByRole("link", { name: "Transactions" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/transactions");
  await page.goBack();
  await page.getByRole("link", { name: "My games" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/slot-sessions");
});

test("the page of a break shows where players find help", async () => {
  const { page } = await openClosed(timeOut());
  const help = page.getByRole("region", { name: "Here you find help" });
  await help.getByText("Yeşilay").waitFor();
  expect(await help.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual([
    "tel:115",
    "https://example.org/ga",
  ]);
});

test("after an exclusion the player asks for play, and reads when it opens", async () => {
  const { page, backEnd, title } = await openClosed(exclusion());
  await expect.poll(() => title.textContent()).toBe("Your break is over");
  backEnd.script("POST /v1/player/breaks/reopen", () => {
    const closed = exclusion({ opensAt: inHours(24) });
    backEnd.world.signIn["play_closed"] = closed;
    return ok({ closed, timeOutHours: [24], exclusionMonths: [6], panicHours: 24 });
  });
  await page.getByRole("button", { name: "Ask to play again" }).click();
  await expect.poll(() => title.textContent()).toMatch(/^Your break lasts until/);
  await page.getByText("Play opens again").waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Ask to play again" }).count()).toBe(0);
});

test("a break that is over leads on to the lobby", async () => {
  const { page, backEnd } = await openClosed({ ...timeOut(), until: new Date(Date.now() + 1_000).toISOString() });
  // The computer's clock is ahead of the platform's: the first answer after the end still says that play is closed.
  const checked = () => backEnd.called().filter((call) => call === "GET /v1/validate").length;
  const before = checked();
  await expect.poll(checked, { timeout: 30_000 }).toBeGreaterThan(before);
  delete backEnd.world.signIn["play_closed"];
  await expect.poll(() => new URL(page.url()).pathname, { timeout: 30_000 }).toBe("/lobby");
});

test.each([
  ["timeOut", timeOut(), DESK],
  ["timeOut", timeOut(), PHONE],
  ["forced", { kind: "forced", from: inHours(-0.01), until: inHours(0.4) }, PHONE],
  ["exclusion that is over", exclusion(), DESK],
] as const)(
  "the page of a break (%s) is clean for assistive technology, and nothing is cut off",
  async (_what, closed, window) => {
    const { page } = await openClosed(closed, { window });
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  },
);
