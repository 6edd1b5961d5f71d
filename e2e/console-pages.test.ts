/** @module-tag long */

import { silentLog } from "@longarm/database/log";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { paths } from "../apps/console/src/shared/paths.ts";
import { firstAdministrator } from "../launcher/seed.ts";
import { acceptInvitation, goTo, openDesk } from "../rig/page/console-desk.ts";
import { launchBrowser } from "../rig/page/visitor.ts";
import type { Venue } from "../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../rig/venue/venue.ts";
import { axeFindings, overflowOf } from "./scripted/browser.ts";

/* Every page of the console for people who see little, who use no mouse, and who hold a tablet or a phone. */

const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;
/** Pages that a sign-in opens, and one of each kind that is about one thing. */
const PAGES = [
  paths.today,
  paths.floor,
  `${paths.floor}/nar-01`,
  paths.players,
  paths.care,
  `${paths.care}/cc_e2e`,
  paths.disputes,
  `${paths.disputes}/dq_e2e`,
  paths.money,
  paths.cashier,
  paths.approvals,
  paths.promotions,
  paths.staff,
  paths.machines,
  paths.agents,
  paths.reports,
  paths.alerts,
  paths.settings,
  paths.audit,
  `${paths.settings}?group=market`,
  paths.displays,
  `${paths.settings}?group=terms`,
  paths.runbooks,
  `${paths.runbooks}/handPay`,
  paths.account,
  paths.device,
] as const;
/** More stops than any page has: a page that holds the focus would need them. */
const STOPS_MAX = 150;

let venue: Venue;
let browser: Browser;
let page: Page;
const complaints: string[] = [];
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
  const token = await firstAdministrator(venue.databaseUrl, silentLog);
  const desk = await openDesk(browser);
  page = desk.page;
  await acceptInvitation(page, `${venue.staffHref}/invitation#${token}`);
  // One person who sees every page, as in a venue of one.
  await venue.ask(`insert into staff_has_role select s.id, r.role from staff s, staff_role r
    where not exists (select from staff_has_role h where h.staff_id = s.id and h.role = r.role) returning role as answer`);
  // A case of that person, with what was seen.
  await venue.ask(`with someone as (select id from player limit 1),
      opened as (insert into care_case (id, player_id, level, owner) select 'cc_e2e', someone.id, 'strong', (select id from staff limit 1) from someone returning id)
    select id as answer from opened`);
  await venue.ask(`insert into care_sign (case_id, measure, level, value, threshold)
    values ('cc_e2e', 'night', 'strong', 800, 720), ('cc_e2e', 'chasing', 'watch', 5, 4) returning measure as answer`);
  await venue.ask(
    `insert into care_step (case_id, kind, text) values ('cc_e2e', 'opened', null), ('cc_e2e', 'note', 'seen at the bar') returning kind as answer`,
  );
  // A question about a game, which that person looks at.
  await venue.ask(
    `insert into play_session (id, machine_id, player_id) select 'ps_e2e', 'nar-01', id from player limit 1 returning id as answer`,
  );
  await venue.ask(`insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at)
    values ('nar-01', 9001, 'ps_e2e', 100, 0, 500, 400, 0, 0, false, now(), now()) returning machine_id as answer`);
  await venue.ask(`insert into dispute (id, player_id, machine_id, game_number, kind, due_at, owner)
    select 'dq_e2e', s.player_id, 'nar-01', 9001, 'winNotCounted', now() + interval '3 days', (select id from staff limit 1) from play_session s where s.id = 'ps_e2e' returning id as answer`);
  await venue.ask(
    `insert into dispute_step (dispute_id, kind, text) values ('dq_e2e', 'opened', 'The glass said 384.') returning kind as answer`,
  );
  // More than a page of the audit log: no key of it appears while it is walked.
  await venue.ask(`insert into dispute_step (dispute_id, kind, staff_id, sender, text)
    select 'dq_e2e', 'note', s.id, s.name, 'looked at ' || n from generate_series(1, 12) n, (select id, name from staff limit 1) s returning kind as answer`);
  await page.reload();
  await page.locator("#page").waitFor();
  complaints.push(...desk.complaints);
});
afterAll(async () => {
  expect(complaints).toEqual([]);
  await browser?.close();
  await venue?.close();
});

async function show(path: string, palette: "night" | "daylight"): Promise<void> {
  await page.evaluate((wanted) => {
    document.documentElement.dataset["palette"] = wanted;
  }, palette);
  await goTo(page, path);
}

describe.each(WINDOWS)("at $width × $height", (size) => {
  beforeAll(async () => {
    await page.setViewportSize(size);
  });

  test.each(PAGES)(
    "%s has nothing that axe finds, by night and by day, and nothing beside the window",
    async (path) => {
      for (const palette of ["night", "daylight"] as const) {
        await show(path, palette);
        expect(await axeFindings(page), palette).toEqual([]);
      }
      expect(await overflowOf(page)).toBe(0);
    },
  );
});

test.each(PAGES)(
  "%s is walked by the keyboard alone: every key is reached, is seen, and lets the focus leave",
  async (path) => {
    await page.setViewportSize(WINDOWS[0]);
    await show(path, "night");
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      getSelection()?.removeAllRanges();
    });
    const seen = new Set<string>();
    const faults: string[] = [];
    let last: string | undefined;
    for (let stop = 0; stop < STOPS_MAX; stop += 1) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        if (element === null || element === document.body) return null;
        const counter = document.documentElement.dataset;
        // Looking takes the focus away for a moment, and of a date it would come back to the first part.
        if (element.dataset["stop"] !== undefined)
          return { id: element.dataset["stop"], name: "", isShown: true, isMarked: true };
        counter["stops"] = String(Number(counter["stops"] ?? 0) + 1);
        element.dataset["stop"] = counter["stops"];
        /** How the element and what it is drawn in look. */
        const look = (): string => {
          const looks: string[] = [];
          for (
            let around: Element | null = element;
            around !== null && looks.length < 4;
            around = around.parentElement
          ) {
            const { outline, boxShadow, borderColor, backgroundColor } = getComputedStyle(around);
            looks.push([outline, boxShadow, borderColor, backgroundColor].join());
          }
          return looks.join(";");
        };
        const { width, height, bottom, top } = element.getBoundingClientRect();
        const focused = look();
        element.blur();
        const isMarked = look() !== focused;
        element.focus({ focusVisible: true } as FocusOptions);
        return {
          id: element.dataset["stop"],
          name: element.outerHTML.slice(0, 160),
          isShown: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
          isMarked,
        };
      });
      // The parts of a date are stops of one field.
      if (at?.id === last) continue;
      if (at === null || seen.has(at.id)) break;
      last = at.id;
      seen.add(at.id);
      if (!at.isShown) faults.push(`beside the window: ${at.name}`);
      if (!at.isMarked) faults.push(`not marked: ${at.name}`);
    }
    expect(faults).toEqual([]);
    expect(seen.size).toBeLessThan(STOPS_MAX);
    const missed = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("main :is(a[href], button, input):not(:disabled, [type=radio])")]
        .filter(
          (element) => element.checkVisibility() && element.tabIndex >= 0 && element.dataset["stop"] === undefined,
        )
        .map(({ outerHTML }) => outerHTML.slice(0, 160)),
    );
    expect(missed).toEqual([]);
  },
);
