/** @module-tag long */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, DESK } from "../rig/page/visitor.ts";
import { DENIZ } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { axeFindings, closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* The operator's own look, in Chromium: the page of the build, served with the example of deploy/branding. */

const BRANDING_FOLDER = join(import.meta.dirname, "../deploy/branding");
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 2, platformEnv: { BRANDING_FOLDER } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

test("name, logo and colours are the operator's from the first picture on, by day and at night, and our name is not seen", async () => {
  const { page, context } = await arrive(browser, DESK, "en");
  await page.goto(`${venue.href}/login`);
  await expect.poll(() => page.title()).toMatch(/· Poyraz$/);
  const logo = page.getByRole("img", { name: "Poyraz" }).first();
  await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  const brass = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--brass"));
  expect(await brass()).toBe("#6fd3c7");
  await page.getByRole("button", { name: "Pull the arm" }).click();
  await page.getByLabel("User name or e-mail").fill(DENIZ.username);
  await page.getByLabel("Password", { exact: true }).fill(DENIZ.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect.poll(() => page.title()).toBe("Lobby · Poyraz");
  expect(await page.locator("body").innerText()).not.toContain("Longarm");
  expect(await axeFindings(page)).toEqual([]);
  await context.close();
});
