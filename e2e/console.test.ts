/** @module-tag long */

import { silentLog } from "@longarm/database/log";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstAdministrator } from "../launcher/seed.ts";
import { launchBrowser } from "../rig/page/visitor.ts";
import type { Venue } from "../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../rig/venue/venue.ts";
import { axeFindings } from "./scripted/browser.ts";

/** Long enough for a busy computer to press a few keys, and waited for once. */
const IDLE_MS = 30_000;

let venue: Venue;
let browser: Browser;
beforeAll(async () => {
  const say = () => {};
  [venue, browser] = await Promise.all([
    openVenue({
      floor: { machines: 2, timeCode: false },
      staffPort: 0,
      fastDatabase: true,
      platformEnv: { ...NO_RATE_LIMITS, STAFF_IDLE_MS: String(IDLE_MS) },
    }),
    launchBrowser(say),
  ]);
});
afterAll(async () => {
  await browser.close();
  await venue.close();
});

/** A browser with a virtual authenticator that knows its person, and what the page complained of. */
async function desk(size = { width: 1440, height: 900 }) {
  const context = await browser.newContext({ viewport: size, locale: "en-GB", reducedMotion: "reduce" });
  context.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  context.on("weberror", (problem) => complaints.push(problem.error().message));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      reportError(new Error(`The content policy forbids ${violatedDirective} ${blockedURI}`)),
    );
  });
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
  return { page, complaints, close: () => context.close() };
}

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test("a first administrator is invited, makes a passkey, signs out and in, is locked when idle, and confirms an act", async () => {
  const token = await firstAdministrator(venue.databaseUrl, silentLog);
  const { page, complaints, close } = await desk();
  await page.goto(`${venue.staffHref}/invitation#${token}`);
  await heading(page, "Welcome, First administrator");
  expect(await axeFindings(page)).toEqual([]);
  await press(page, "Make a passkey");
  await heading(page, "Your recovery codes");
  await page.getByRole("checkbox", { name: "I have kept the codes" }).check();
  await press(page, "Open the console");
  await heading(page, "Today");
  expect(new URL(page.url()).hash).toBe("");

  await page.getByRole("button", { name: /account, lock, sign out/ }).click();
  await press(page, "Sign out");
  await heading(page, "Sign in to your shift");
  expect(await axeFindings(page)).toEqual([]);
  await press(page, "Use your passkey");
  await heading(page, "Today");

  for (const name of ["Floor", "Approvals", "Staff", "Audit log"]) {
    await page.getByRole("link", { name }).first().click();
    await heading(page, name);
    // Until every panel has its rows.
    await expect.poll(() => page.locator("main [role=status]").count()).toBe(0);
    expect(await axeFindings(page), name).toEqual([]);
  }

  await page.getByRole("link", { name: "Staff" }).click();
  await press(page, "Add a person");
  await page.getByLabel("Name", { exact: true }).fill("Can Demir");
  await page.getByLabel("Username").fill("can");
  await page.getByRole("checkbox", { name: "Cashier" }).check();
  await page.getByLabel("Reason").fill("a new colleague");
  await press(page, "Make the one-time link");
  await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
  await press(page, "Use your passkey");
  await page.getByText(`${venue.staffHref}/invitation#`).waitFor();
  await press(page, "Done");

  // The pointer rests: the page goes by itself, and comes back at the same address.
  await heading(page, "The screen is locked");
  expect(await page.getByText("Can Demir").count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await press(page, "Unlock with your passkey");
  await heading(page, "Staff");
  expect(await venue.ask("select count(*)::int as answer from staff where username = 'can'")).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});
