/** @module-tag long */

import { silentLog } from "@longarm/database/log";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstAdministrator } from "../launcher/seed.ts";
import { launchBrowser } from "../rig/page/visitor.ts";
import { signIn, sitAt } from "../rig/player.ts";
import type { Venue } from "../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../rig/venue/venue.ts";
import { axeFindings } from "./scripted/browser.ts";

/* A supervisor's floor in a real browser: live video beside a player, and an unattended wall. */

const SOON = { timeout: 120_000, interval: 250 };
let venue: Venue;
let browser: Browser;
beforeAll(async () => {
  [venue, browser] = await Promise.all([
    openVenue({
      floor: { machines: 2, timeCode: false },
      staffPort: 0,
      fastDatabase: true,
      platformEnv: { ...NO_RATE_LIMITS, STAFF_IDLE_MS: "3600000" },
    }),
    launchBrowser(() => {}),
  ]);
});
afterAll(async () => {
  await browser.close();
  await venue.close();
});

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Somebody with every role of a small venue, at a desk with a virtual authenticator. */
async function desk(): Promise<Page> {
  const token = await firstAdministrator(venue.databaseUrl, silentLog);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${venue.staffHref}/invitation#${token}`);
  await press(page, "Make a passkey");
  await page.getByRole("checkbox", { name: "I have kept the codes" }).check();
  await press(page, "Open the console");
  await heading(page, "Today");
  // The rights of a supervisor, beside those of the administrator.
  await venue.ask("insert into staff_has_role select id, 'supervisor' from staff returning role as answer");
  return page;
}

/** Frames that the page's video has shown so far; 0: there is none. */
const framesShown = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector("video")?.getVideoPlaybackQuality().totalVideoFrames ?? 0);

const setVisible = (page: Page, visible: boolean): Promise<void> =>
  page.evaluate((isVisible) => {
    Object.defineProperty(document, "visibilityState", {
      value: isVisible ? "visible" : "hidden",
      configurable: true,
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, visible);

test("a machine is seen live beside its player, who learns of no spectator; and a wall comes back by itself", async () => {
  const [machine = ""] = await venue.machineIds();
  const [player] = await venue.addPlayers("seated", 1, 100_000);
  if (player === undefined) throw new Error("a player was added");
  const seat = await sitAt(await signIn(venue.href, player), machine);
  const page = await desk();

  await page.goto(`${venue.staffHref}/floor/${machine}`);
  await expect.poll(() => framesShown(page), SOON).toBeGreaterThan(10);
  await page.getByText(/frames a second/).waitFor();
  expect(seat.page.ofMethod("spectators")).not.toContainEqual({ count: 1 });
  expect(await venue.ask("select count(*)::int as answer from watcher")).toBe(0);
  expect(await axeFindings(page)).toEqual([]);

  await setVisible(page, false);
  await page.getByText("Paused while the page is hidden").waitFor();
  expect(await page.locator("video").count()).toBe(0);
  await setVisible(page, true);
  await expect.poll(() => framesShown(page), SOON).toBeGreaterThan(10);

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find or do" }).fill("wall dis");
  await page.keyboard.press("Enter");
  await heading(page, "Wall displays");
  await press(page, "Admit a display");
  await page.getByLabel("Display", { exact: true }).fill("Hall 1");
  await page.getByLabel("Reason").fill("the new screen");
  await page.getByRole("dialog").getByRole("button", { name: "Admit a display" }).click();
  await press(page, "Use your passkey");
  const address = (await page.locator("code", { hasText: "/wall?language=en#" }).textContent()) ?? "";
  await press(page, "Done");

  const kiosk = await browser.newContext({ viewport: { width: 1920, height: 1080 } });
  kiosk.setDefaultTimeout(120_000);
  const wall = await kiosk.newPage();
  await wall.goto(address);
  await wall.locator("main img").first().waitFor();
  expect(await wall.getByText("seated.1").count()).toBe(0);
  expect(await axeFindings(wall)).toEqual([]);
  const fits = () =>
    wall.evaluate(
      () => document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth,
    );
  expect(await fits()).toBe(true);

  // The network goes away and comes back, and then the platform.
  const old = wall.getByText(/^Not live\. This is from/);
  await kiosk.setOffline(true);
  await old.waitFor();
  await kiosk.setOffline(false);
  await old.waitFor({ state: "detached" });
  await venue.platform.kill();
  await old.waitFor();
  await venue.platform.restart();
  await old.waitFor({ state: "detached" });
  expect(await wall.locator("main img").count()).toBeGreaterThan(0);

  await page
    .getByRole("row", { name: /Hall 1/ })
    .getByRole("button", { name: "End" })
    .click();
  await page.getByRole("dialog").getByLabel("Reason").fill("the screen moved");
  await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
  await heading(wall, "This display is not admitted");
  expect(await wall.locator("main img").count()).toBe(0);
  await kiosk.close();
  await page.context().close();
});
