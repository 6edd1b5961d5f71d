/** @module-tag long */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, leave, logIn, sitDown } from "../../rig/page/game-page.ts";
import { arrive, DESK } from "../../rig/page/visitor.ts";
import { longarm, runLongarm } from "../../rig/venue/staff.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* A player whose play shows signs of harm: the running platform opens the case by itself, and a letter reaches the player. */

const SOON = { timeout: 90_000, interval: 250 };
const NAME = "care.player";
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

test("SRCP 3.4.3: the end of a play session opens a case with its evidence, and a letter says why", async () => {
  const added = await longarm(venue, "players", "add", NAME, "--generate", "--json");
  const { id, password } = JSON.parse(added) as { id: string; password: string };
  await longarm(venue, "wallets", "deposit", NAME, "5000.00", "--reason", "a test");
  // Nine play sessions of today, and one that is played.
  await venue.ask(`with made as (insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason)
      select 'ps_care_' || n, (select id from machine limit 1), '${id}', clock_timestamp(), clock_timestamp(), 'left' from generate_series(1, 9) n returning 1)
    select count(*)::int as answer from made`);
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, { username: NAME, password });
  await sitDown(page, "nar-01");
  await cashIn(page, 3_000, "en");
  await leave(page, "en");
  const seen = `select coalesce((select s.measure || ' ' || s.value || ' of ' || s.threshold from care_sign s
    join care_case c on c.id = s.case_id where c.player_id = '${id}' and c.closed_at is null), '') as answer`;
  await expect.poll(() => venue.ask(seen), SOON).toBe("sessions 10 of 10");
  expect(await longarm(venue, "care", "list")).toMatch(new RegExp(`${NAME}.*watch.*not taken.*sessions`));
  // A case belongs to a person: none acts in it as root.
  const caseId = String(await venue.ask(`select id as answer from care_case where player_id = '${id}'`));
  expect(await runLongarm(venue, ["care", "take", caseId])).toMatchObject({ code: 3 });

  await venue.ask(`with step as (insert into care_step (case_id, kind, text) values ('${caseId}', 'letter', 'Hello. You play more than before.') returning id)
    insert into care_letter (id, step_id, case_id, player_id, sender) select 'le_e2e', id, '${caseId}', '${id}', 'Selin Kaya' from step returning id as answer`);
  await page.reload();
  const sheet = page.getByRole("dialog", { name: "A letter for you" });
  await sheet.getByText("Selin Kaya").waitFor();
  await sheet.getByRole("button", { name: "Why did I get this?" }).click();
  await page.getByText("Why did I get this?").click();
  await page.getByText(/10×.*looked at from.*10×/).waitFor();
  await expect.poll(() => venue.ask("select read_at is not null as answer from care_letter"), SOON).toBe(true);
  await page.goto(`${venue.href}/lobby`);
  await page.locator("[data-machine]").first().waitFor();
  expect(await sheet.count()).toBe(0);
  expect(await venue.ledger.verify()).toEqual([]);
  await context.close();
});
