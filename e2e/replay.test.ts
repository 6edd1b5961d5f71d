/** @module-tag long */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { INDEX_FILE, MANIFEST_NAME, VIEWER_NAME } from "@longarm/contract/evidence/format";
import { packEvidence, packedFile } from "@longarm/contract/evidence/pack";
import { verifyExport } from "@longarm/contract/evidence/verify";
import { silentLog } from "@longarm/database/log";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstAdministrator } from "../launcher/seed.ts";
import { acceptInvitation, goTo, openDesk } from "../rig/page/console-desk.ts";
import { cashIn, leave, logIn, playGame, sitDown } from "../rig/page/game-page.ts";
import { FRAME_MS, playheadAt, shownFrame } from "../rig/page/replay.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import { DENIZ } from "../rig/player.ts";
import { frameShownAt, keptClip, paintedFrames } from "../rig/venue/clip.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue, PATIENT } from "../rig/venue/test-venue.ts";
import { axeFindings, closeVisitors, overflowOf, sharedBrowser } from "./scripted/browser.ts";

/* A question about a played game, and its recording in the console: the frame that is shown is the one that the axis says. */

const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let page: Page;
let folder: string;
const complaints: string[] = [];

beforeAll(async () => {
  venue = await openTestVenue({
    ...{ web: true, machines: 1, staffPort: 0, everyPicture: true },
    platformEnv: { ...PATIENT, STAFF_IDLE_MS: "3600000" },
  });
  browser = await sharedBrowser();
  folder = await mkdtemp(join(tmpdir(), "longarm-evidence-"));
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
  await rm(folder, { recursive: true, force: true });
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
test("a question leads to the frames of its game, one by one, where the axis says", async () => {
  const player = await arrive(browser, DESK, "en");
  await logIn(player.page, venue.href, DENIZ);
  await sitDown(player.page, MACHINE);
  await cashIn(player.page, 500, "en");
  for (let game = 0; game < 3; game += 1) await playGame(player.page, () => player.page.keyboard.press("Space"));
  await leave(player.page, "en");
  await player.context.close();
  // On a full computer a press may be repeated although the machine took it.
  const games = async () => Number(await venue.ask("select count(*) as answer from game where ended_at is not null"));
  await expect.poll(games, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
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
  await expect.poll(async () => (await playheadAt(page)) - (await frameShownAt(venue, begin)), SOON).toBeCloseTo(0);
  const offs = (await paintedFrames(venue, await keptClip(venue))).flatMap(({ off }) => off ?? []);
  expect(offs.length).toBeGreaterThan(30);
  expect(Math.max(...offs)).toBeLessThan(FRAME_MS);
  const ages: number[] = [];
  for (let step = 0; step < 6; step += 1) {
    const before = (await shownFrame(page)).at;
    await page.keyboard.press(".");
    await expect.poll(() => playheadAt(page), SOON).toBeGreaterThan(before);
    const { age } = await shownFrame(page);
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
  const lastOfGame = await frameShownAt(venue, end);
  await expect.poll(async () => Math.abs((await playheadAt(page)) - lastOfGame), SOON).toBeLessThan(10 * FRAME_MS);
  await page.keyboard.press("m");
  const marking = page.getByRole("dialog", { name: "Mark this moment" });
  await marking.getByRole("textbox").fill("The reels have stopped.");
  const marked = (await shownFrame(page)).at;
  await marking.getByRole("button", { name: "Mark this moment" }).click();
  await page.keyboard.press("j");
  await page
    .getByRole("row", { name: /The reels have stopped\./ })
    .getByRole("button")
    .click();
  await expect.poll(async () => Math.abs((await playheadAt(page)) - marked), SOON).toBeLessThan(FRAME_MS);
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

/** What the page inside an export says of a file. */
async function verdictOf(zip: Uint8Array, fingerprint = ""): Promise<{ verdict: string; wrong: string[] }> {
  const file = join(folder, "question.zip");
  await writeFile(file, zip);
  await page.getByLabel("Fingerprint").fill(fingerprint);
  await page.getByLabel("Choose the exported file").setInputFiles(file);
  await expect.poll(() => page.locator("[data-whole]").count(), SOON).toBe(1);
  const verdict = (await page.getByRole("status").textContent()) ?? "";
  const wrong = await page.locator('[data-is="wrong"] li').allTextContents();
  // The next file is another one.
  await page.reload();
  return { verdict, wrong };
}

test("it leaves the venue as a file whose own page verifies and plays it, without network", async () => {
  const saved = join(folder, "downloaded.zip");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export with recording (zip)" }).click(),
  ]);
  await download.saveAs(saved);
  const zip = new Uint8Array(await readFile(saved));
  const noted = "select facts ->> 'fingerprint' as answer from audit.entries where type = 'data.exported'";
  const fingerprint = String(await venue.ask(noted));
  const { findings, content } = await verifyExport(zip, fingerprint);
  expect(findings.filter(({ is }) => is !== "proved")).toEqual([]);
  const files = content?.files ?? new Map<string, Uint8Array>();
  const viewer = join(folder, VIEWER_NAME);
  await writeFile(viewer, files.get(VIEWER_NAME) ?? "");
  const context = await browser.newContext({ locale: "en", offline: true });
  page = await context.newPage();
  page.on("pageerror", ({ message }) => complaints.push(message));
  await page.goto(pathToFileURL(viewer).href);

  const at = (name: string): number =>
    Buffer.from(zip).indexOf(Buffer.from((files.get(name) ?? new Uint8Array()).slice(0, 64)));
  const [one = "", other = ""] = [...files.keys()].filter((name) => name.endsWith(".mp4"));
  const changed = zip.slice();
  changed[at(one) + 5_000] = (changed[at(one) + 5_000] ?? 0) ^ 1;
  const repacked = async (change: Map<string, Uint8Array>): Promise<Uint8Array> => {
    const packed = [];
    for (const [name, bytes] of files)
      if (name !== MANIFEST_NAME) packed.push(await packedFile(name, change.get(name) ?? bytes));
    const about = { question: content?.manifest.question ?? "", madeAt: content?.manifest.madeAt ?? "" };
    return Buffer.concat(await Array.fromAsync((await packEvidence(about, packed))?.parts() ?? []));
  };
  const bytesOf = (name: string): Uint8Array => files.get(name) ?? new Uint8Array();
  const swapped = await repacked(
    new Map([
      [one, bytesOf(other)],
      [other, bytesOf(one)],
    ]),
  );
  const lines = Buffer.from(bytesOf(INDEX_FILE)).toString("utf8").split("\n");
  const silenced = await repacked(
    new Map([[INDEX_FILE, Buffer.from(lines.filter((line) => !line.includes('"press"')).join("\n"))]]),
  );
  const NOT = "This file is NOT what was exported.";
  for (const [attacked, sentence] of [
    [changed, `${one} is not the file that the manifest names.`],
    [zip.slice(0, -100), "The file is not what was exported, from byte"],
    [swapped, `${one.replace("segments/", "")} is not segment`],
    [silenced, "are not those that were sealed."],
  ] as const) {
    const { verdict, wrong } = await verdictOf(attacked);
    expect(verdict).toBe(NOT);
    expect(
      wrong.some((said) => said.includes(sentence)),
      `${sentence}: ${wrong.join(" ")}`,
    ).toBe(true);
    expect(await page.locator("video").count()).toBe(0);
  }
  expect(await verdictOf(zip, "0".repeat(64))).toMatchObject({
    verdict: NOT,
    wrong: [expect.stringContaining("another export")],
  });
  expect(await verdictOf(zip)).toEqual({
    verdict: "Nothing in this file is wrong. What cannot be said is named below.",
    wrong: [],
  });

  await page.getByLabel("Fingerprint").fill(fingerprint);
  await page.getByLabel("Choose the exported file").setInputFiles(saved);
  await expect
    .poll(() => page.getByRole("status").textContent(), SOON)
    .toBe("Verified: everything in this file is proved.");
  await page.locator("video").waitFor();
  await page.getByText("Mark of staff: The reels have stopped.").waitFor();
  const ages: number[] = [];
  for (let step = 0; step < 60; step += 1) {
    await page.getByRole("button", { name: "A frame on" }).click();
    const { age } = await shownFrame(page);
    if (age !== undefined) ages.push(age);
  }
  await page.keyboard.press(",");
  expect(ages.length).toBeGreaterThan(30);
  expect(Math.max(...ages)).toBeLessThan(FRAME_MS);
  await page.getByRole("button", { name: "Play or pause" }).click();
  const { at: from } = await shownFrame(page);
  await expect.poll(() => playheadAt(page), SOON).toBeGreaterThan(from);
  expect(await axeFindings(page)).toEqual([]);
  await context.close();

  const phone = await browser.newContext({ locale: "ar", offline: true, viewport: { width: 390, height: 844 } });
  page = await phone.newPage();
  page.on("pageerror", ({ message }) => complaints.push(message));
  for (const attacked of [swapped, silenced, zip]) {
    await page.goto(pathToFileURL(viewer).href);
    await writeFile(saved, attacked);
    await page.locator('input[type="file"]').setInputFiles(saved);
    await page.locator("[data-whole]").waitFor();
    // Only names of files have other letters.
    const said = (await page.locator("[data-check]").allTextContents()).join(" ");
    expect(said.replaceAll(/[\w/.]+\.(?:mp4|jsonl?)/g, "")).not.toMatch(/[a-z]/i);
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  }
  expect(complaints).toEqual([]);
  await phone.close();
});
