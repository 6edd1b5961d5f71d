/** @module-tag long */

import { silentLog } from "@longarm/database/log";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstAdministrator } from "../../launcher/seed.ts";
import { acceptInvitation, goTo, openDesk, press } from "../../rig/page/console-desk.ts";
import { cashIn, leave, logIn, playGame, sitDown } from "../../rig/page/game-page.ts";
import { FRAME_MS, playheadAt, shownFrame } from "../../rig/page/replay.ts";
import { arrive, DESK } from "../../rig/page/visitor.ts";
import { DENIZ } from "../../rig/player.ts";
import { frameShownAt, keptClip, paintedFrames } from "../../rig/venue/clip.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue, PATIENT } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/*
 * A question about a game of a machine that the agent reads over SAS and whose picture comes from a network camera: each frame of the recording lies at
 * the time that the machine painted into it (record 0242).
 */

const SOON = { timeout: 60_000, interval: 200 };
/** Between the event of a game's begin and its key frame: what is under way from the camera, in the encoder and between the agent's two processes. */
const FRAMES_UNDER_WAY = 6;
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({
    ...{ web: true, machines: 1, cabinets: 1, staffPort: 0 },
    platformEnv: { ...PATIENT, STAFF_IDLE_MS: "3600000" },
  });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const json = async <Answer>(query: string): Promise<Answer> =>
  JSON.parse(String(await venue.ask(`select coalesce((${query})::text, 'null') as answer`))) as Answer;

test("over SAS a question leads to the frames of its game, each where the machine painted it, and to a verdict", async () => {
  const [cabinet] = venue.cabinets;
  const { page, context, complaints } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, String(cabinet?.machineId));
  await cashIn(page, 500, "en");
  for (let game = 0; game < 3; game += 1) await playGame(page, () => page.keyboard.press("Space"));
  await leave(page, "en");
  // On a full computer a press may be repeated although the machine took it.
  const games = async () => await json<number>("select to_json(count(*)) from game where ended_at is not null");
  await expect.poll(games, SOON).toBeGreaterThanOrEqual(3);

  await page.goto(`${venue.href}/slot-sessions?game=last`);
  await page.getByRole("dialog").getByRole("listitem").nth(1).getByRole("link").first().click();
  await page.getByRole("link", { name: "Something was wrong with this game" }).click();
  await page.getByLabel("What happened?").selectOption({ label: "My win was not counted" });
  await page.getByLabel("In your words, if you like").fill("The glass said 384.");
  await page.getByRole("button", { name: "Send the question" }).click();
  await page.getByText("Your question is with us").waitFor();
  type Played = { id: string; from: number; to: number; number: number };
  const played = await json<Played>(`select json_build_object('id', d.id, 'number', g.game_number,
    'from', extract(epoch from g.started_at) * 1000, 'to', extract(epoch from g.ended_at) * 1000)
    from dispute d join game g on g.machine_id = d.machine_id and g.game_number = d.game_number`);
  expect(played.number).toBe((await games()) - 1);

  const desk = await openDesk(browser);
  const token = await firstAdministrator(venue.databaseUrl, silentLog);
  await acceptInvitation(desk.page, `${venue.staffHref}/invitation#${token}`);
  await venue.ask(`insert into staff_has_role select s.id, 'supervisor' from staff s returning role as answer`);
  await desk.page.reload();
  await desk.page.locator("#page").waitFor();
  await goTo(desk.page, `/questions/${played.id}`);
  await desk.page.getByRole("slider", { name: "Place in the recording" }).waitFor(SOON);
  await desk.page.getByText("the camera’s own clock", { exact: false }).waitFor();
  const begin = async () => await frameShownAt(venue, played.from);
  await expect.poll(async () => (await playheadAt(desk.page)) - (await begin()), SOON).toBeCloseTo(0);
  const ages: number[] = [];
  for (let step = 0; step < 12; step += 1) {
    const { at, age } = await shownFrame(desk.page);
    if (age !== undefined) ages.push(age);
    await desk.page.keyboard.press(".");
    await expect.poll(() => playheadAt(desk.page), SOON).toBeGreaterThan(at);
  }
  expect(ages.length).toBeGreaterThan(6);
  expect(Math.max(...ages)).toBeLessThan(FRAME_MS);

  const clip = await keptClip(venue);
  // A clip begins some seconds before its game; before the first game of the play session the camera may still be opening.
  const first = await json<number>("select extract(epoch from min(started_at)) * 1000 from game");
  expect(clip.manifest.gaps.filter(({ toMs }) => toMs > first)).toEqual([]);
  expect(new Set(clip.manifest.segments.map(({ frameClock }) => frameClock?.by))).toEqual(new Set(["camera"]));
  const frames = await paintedFrames(venue, clip);
  const offs = frames.flatMap(({ off }) => off ?? []);
  expect(offs.length).toBeGreaterThan(frames.length / 2);
  expect(Math.max(...offs)).toBeLessThan(FRAME_MS);
  // The clip is of the game, and the game begins at a key frame of its own.
  expect(frames[0]?.at).toBeLessThanOrEqual(played.from);
  expect(frames.at(-1)?.at).toBeGreaterThanOrEqual(played.to - 1_000);
  // The first frame that comes after the event was taken before it.
  const begun = frames.findIndex(({ at }) => at >= played.from);
  const near = frames.slice(Math.max(0, begun - FRAMES_UNDER_WAY), begun + FRAMES_UNDER_WAY);
  expect(near.some(({ keyFrame }) => keyFrame)).toBe(true);

  await press(desk.page, "Take the question");
  await desk.page.getByRole("dialog").getByRole("button", { name: "Take the question" }).click();
  await press(desk.page, "Decide");
  const sheet = desk.page.getByRole("dialog");
  await sheet.getByLabel("Verdict").selectOption("paidRight");
  await sheet.getByLabel("Sentence").fill("This game was paid right");
  await sheet.getByLabel("Letter").fill("The machine counted no win, and the ledger says the same.");
  await sheet.getByRole("button", { name: "Decide" }).click();
  await press(desk.page, "Use your passkey");
  await desk.page.getByText("The question is decided").waitFor();
  await page.getByRole("heading", { level: 2, name: "This game was paid right" }).waitFor(SOON);
  expect(await venue.ledger.verify()).toEqual([]);
  expect([...complaints, ...desk.complaints]).toEqual([]);
  await context.close();
});
