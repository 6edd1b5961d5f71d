/** @module-tag long */

import { silentLog } from "@longarm/database/log";
import type { TestDirectory } from "@longarm/platform/testing/test-directory";
import { testDirectory } from "@longarm/platform/testing/test-directory";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstAdministrator } from "../launcher/seed.ts";
import { heading, openDesk, press } from "../rig/page/console-desk.ts";
import { launchBrowser } from "../rig/page/visitor.ts";
import type { Venue } from "../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../rig/venue/venue.ts";
import { axeFindings } from "./scripted/browser.ts";

let directory: TestDirectory;
let venue: Venue;
let browser: Browser;
beforeAll(async () => {
  // Of another site than the console, as directories are: what the browser keeps from such a way back is part of the test.
  directory = await testDirectory(() => new URL(venue.staffHref ?? "").origin);
  [venue, browser] = await Promise.all([
    openVenue({
      floor: { machines: 1, timeCode: false },
      staffPort: 0,
      fastDatabase: true,
      platformEnv: { ...NO_RATE_LIMITS, ...directory.env },
    }),
    launchBrowser(() => {}),
  ]);
});
afterAll(async () => {
  await browser.close();
  await venue.close();
  await directory.close();
});

const toDirectory = (page: Page) => page.getByRole("button", { name: /^Sign in with Levent Directory/ }).click();
const menu = (page: Page) => page.getByRole("button", { name: /account, lock, sign out/ }).click();

test("an invited person signs in with the directory, makes a passkey, comes back, unlocks, and is unlinked", async () => {
  const token = await firstAdministrator(venue.databaseUrl, silentLog);
  const { page, context, complaints } = await openDesk(browser);
  await page.goto(`${venue.staffHref}/invitation#${token}`);
  await toDirectory(page);
  await heading(page, "Now make a passkey");
  expect(await axeFindings(page)).toEqual([]);
  expect(new URL(page.url()).search).toBe("");
  await press(page, "Make a passkey");
  await heading(page, "Today");

  await menu(page);
  await press(page, "Sign out");
  await heading(page, "Sign in to your shift");
  await page.getByRole("button", { name: /^Sign in with Levent Directory/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await toDirectory(page);
  await heading(page, "Today");
  const cookies = await context.cookies(venue.staffHref);
  expect(cookies.map(({ name, sameSite }) => ({ name, sameSite }))).toEqual([
    { name: "longarm-staff", sameSite: "Strict" },
  ]);

  await menu(page);
  await press(page, "Lock this screen");
  await heading(page, "The screen is locked");
  await toDirectory(page);
  await press(page, "Unlock with Levent Directory");
  await heading(page, "Today");

  await page.goto(`${venue.staffHref}/account`);
  await page.getByText("ayse@levent.example").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await press(page, "Remove the link with Levent Directory");
  await press(page, "Use your passkey");
  await page.getByText("Your sign-in has ended. Sign in again.").waitFor();

  await toDirectory(page);
  await heading(page, "You are not signed in");
  await page.getByRole("alert").getByText("not linked with a member of staff").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: /^Other ways to sign in/ }).click();
  await press(page, "Use your passkey");
  await heading(page, "Today");
  expect(complaints).toEqual([]);
  await context.close();
});
