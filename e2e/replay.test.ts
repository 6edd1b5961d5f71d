import { silentLog } from "@longarm/database/log";
import { timeCodeAge } from "@longarm/reels/picture/reading/time-code";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstAdministrator } from "../launcher/seed.ts";
import { acceptInvitation, goTo, openDesk } from "../rig/page/console-desk.ts";
import { cashIn, leave, logIn, playGame, sitDown } from "../rig/page/game-page.ts";
import { timeInPicture } from "../rig/page/machine-frame.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import { DENIZ } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { axeFindings, closeVisitors, overflowOf, sharedBrowser } from "./scripted/browser.ts";

/* A question about a played game, and its recording in the console: the frame that is shown is the one that the axis says. */

const MACHINE = "nar-01";
/** One frame at 30 a second, and what rounding adds, ms. */
const FRAME_MS = 34;
let venue: TestVenue;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  venue = await openTestVenue({
    ...{ web: true, machines: 1, staffPort: 0, everyPicture: true },
    platformEnv: { STAFF_IDLE_MS: "3600000" },
  });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const post = async (path: string, body: object, token?: string): Promise<Record<string, unknown>> => {
  const reply = await fetch(`${venue.href}/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  expect(reply.status, path).toBe(200);
  return (await reply.json()) as Record<string, unknown>;
};

const SOON = { timeout: 30_000, interval: 100 };
/** When the frame under the playhead was taken, as the page says. */
const playheadAt = async (): Promise<number> => Number(await page.locator("video").getAttribute("data-at"));

/** The frame on the screen, and when the axis says that it was taken. */
async function shown(): Promise<{ readonly age: number | undefined; readonly at: number }> {
  const at = await page.locator("video").evaluate(async (element) => {
    const video = element as HTMLVideoElement;
    while (video.seeking || video.readyState < 2) await new Promise((next) => requestAnimationFrame(next));
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    return Number(video.dataset["at"]);
  });
  const code = await timeInPicture(page);
  const age = code === null ? undefined : timeCodeAge(code, at);
  return { at, age: age === undefined ? undefined : Math.min(age, 65_536 - age) };
}

test("a question leads to the frames of its game, one by one, where the axis says", async () => {
  const player = await arrive(browser, DESK, "en");
  await logIn(player.page, venue.href, DENIZ);
  await sitDown(player.page, MACHINE);
  await cashIn(player.page, 500, "en");
  for (let game = 0; game < 3; game += 1) await playGame(player.page, () => player.page.keyboard.press("Space"));
  await leave(player.page, "en");
  await player.context.close();
  await expect.poll(() => venue.ask("select count(*)::text as answer from game"), { timeout: 60_000 }).toBe("3");
  const { token } = await post("login", { username: DENIZ.username, password: DENIZ.password, site_id: 2011 });
  await post(
    "player/disputes",
    { game: `2.${MACHINE}`, kind: "winNotCounted", words: "It showed 480." },
    String(token),
  );
  const question = await venue.ask("select id as answer from dispute");

  const desk = await openDesk(browser);
  page = desk.page;
  const invited = await firstAdministrator(venue.databaseUrl, silentLog);
  await acceptInvitation(page, `${venue.staffHref}/invitation#${invited}`);
  await venue.ask(`insert into staff_has_role select s.id, r.role from staff s, staff_role r
    where not exists (select from staff_has_role h where h.staff_id = s.id and h.role = r.role) returning role as answer`);
  await page.reload();
  await page.locator("#page").waitFor();
  await goTo(page, `/questions/${question}`);
  const axis = page.getByRole("slider", { name: "Place in the recording" });
  await axis.waitFor();
  const begin = Number(
    await venue.ask(`select (extract(epoch from started_at) * 1000)::text as answer from game where game_number = 2`),
  );
  await expect.poll(async () => Math.abs((await playheadAt()) - begin), SOON).toBeLessThan(2 * FRAME_MS);
  const ages: number[] = [];
  for (let step = 0; step < 6; step += 1) {
    const before = (await shown()).at;
    await page.keyboard.press(".");
    await expect.poll(playheadAt, SOON).toBeGreaterThan(before);
    const { age } = await shown();
    if (age !== undefined) ages.push(age);
  }
  expect(ages.length).toBeGreaterThan(3);
  expect(Math.max(...ages)).toBeLessThan(FRAME_MS);
  await page
    .getByRole("row", { name: /game 2 ended/ })
    .getByRole("button")
    .click();
  const end = Number(
    await venue.ask(`select (extract(epoch from ended_at) * 1000)::text as answer from game where game_number = 2`),
  );
  await expect.poll(async () => Math.abs((await playheadAt()) - end), SOON).toBeLessThan(10 * FRAME_MS);
  for (const size of [
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
    { width: 1920, height: 1080 },
  ]) {
    await page.setViewportSize(size);
    expect(await overflowOf(page)).toBe(0);
  }
  expect(await axeFindings(page)).toEqual([]);
  expect(await venue.ask("select count(*)::text as answer from audit.entries where type = 'recording.read'")).toBe("1");
  expect([...complaints, ...desk.complaints]).toEqual([]);
});
