import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../launcher/venue.ts";
import { cashIn, GAME, leave, playGame, playing } from "../rig/page/game-page.ts";
import { arrive, DESK, PHONE } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { DENIZ, ELIF, signIn } from "../rig/player.ts";
import { shellSnippets, shellWith } from "../rig/shell.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* Somebody watches a machine while another plays it, on the real venue: from the lobby to the free seat. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let deniz: Player;
let elif: Player;

beforeAll(async () => {
  // No viewer is refused because the computer of the test is slow.
  const platformEnv = { NO_DEPOSIT_MS: "900000", IDLE_MS: "900000" };
  venue = await openTestVenue({ web: true, machines: 1, platformEnv });
  deniz = await signIn(venue.href, DENIZ);
  elif = await signIn(venue.href, ELIF);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const watched = (page: Page) =>
  page.locator("main[data-phase=playing][data-live=true] [data-started=true]").waitFor({ timeout: 60_000 });
const shown = (page: Page) =>
  page
    .locator("video")
    .first()
    .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);

test("a spectator sees the game that another plays, and takes the seat when it is free", async () => {
  const player = await arrive(browser, DESK, "en");
  await player.page.goto(`${venue.href}/game/${MACHINE}/-?token=${deniz.token}`);
  await playing(player.page);
  await cashIn(player.page, 500, "en");

  const spectator = await arrive(browser, PHONE, "en");
  await spectator.page.goto(`${venue.href}/lobby?token=${elif.token}`);
  await spectator.page.locator(`[data-machine="${MACHINE}"][data-lamp=playing] a`).click(SOON);
  // On a phone the card opens a sheet with the queue and the way to watch, once that has loaded; before it leads to the game at once.
  const watch = spectator.page.getByRole("dialog").getByRole("button", { name: "Watch" });
  await watch.or(spectator.page.locator(GAME)).first().waitFor(SOON);
  if (await watch.isVisible()) await watch.click(SOON);
  await watched(spectator.page);
  await player.page.getByRole("img", { name: "1 watching" }).waitFor(SOON);
  await spectator.page.getByRole("img", { name: "1 watching" }).waitFor(SOON);
  expect(await spectator.page.getByText("₺").count()).toBe(0);

  // Both see the same game; the player's is not affected.
  const game = player.page.locator(GAME);
  await playGame(player.page, () => player.page.keyboard.press("Space"));
  const before = await shown(spectator.page);
  await expect.poll(() => shown(spectator.page), SOON).toBeGreaterThan(before + 10);
  await expect.poll(async () => Number(await game.getAttribute("data-fps")), SOON).toBeGreaterThan(0);
  // The player's page reports the delay that it measures, and the floor has the newest.
  await expect.poll(() => venue.ask("select max(delay_ms) as answer from seat_delay"), SOON).toBeGreaterThanOrEqual(0);

  await leave(player.page, "en");
  await spectator.page.getByRole("heading", { name: "The play session you watched has ended" }).waitFor(SOON);
  await spectator.page.getByRole("button", { name: "Take a seat" }).click(SOON);
  await playing(spectator.page);
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(3);
  // What was counted goes into the reports when its page is gone.
  const counted = "select sum((select sum(reports) from unnest(delays) reports)) as answer from report_viewing";
  await expect.poll(async () => Number(await venue.ask(counted)), SOON).toBeGreaterThan(0);
  expect(await venue.ask("select max(watchers_most) as answer from report_viewing")).toBe(1);
  await leave(spectator.page, "en");
  expect([...player.complaints, ...spectator.complaints]).toEqual([]);
  await player.context.close();
  await spectator.context.close();
});

test("the address of a machine without a player says so, and offers the seat", { tags: ["long"] }, async () => {
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(1);
  const { page, context, complaints } = await arrive(browser, DESK, "en");
  await page.goto(`${venue.href}/watch/${MACHINE}/-?token=${elif.token}`);
  await page.getByRole("heading", { name: "Nobody plays this machine now" }).waitFor(SOON);
  await page.getByRole("button", { name: "Back to lobby" }).click();
  await page.waitForURL("**/lobby");
  expect(complaints).toEqual([]);
  await context.close();
});

const watches = () => venue.ask("select count(*)::int as answer from watch");

test("somebody outside watches over WHEP: the page and the curl walk of the document, as they are written", async () => {
  const document = await readFile(join(ROOT, "docs/video-for-others.md"), "utf8");
  const made = await longarm(
    venue,
    "watch-keys",
    "add",
    "wall",
    "--machines",
    MACHINE,
    "--until",
    "1h",
    "--watches",
    "2",
  );
  const [, token = ""] = /: (\S{43})$/m.exec(made) ?? [];
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => void complaints.push(error.message));
  const [, html = ""] = /^```html\n(.*?)^```$/ms.exec(document) ?? [];
  // A page of no origin at all.
  await page.setContent(
    html.replace("https://play.example/whep/nar-01", `${venue.href}/whep/${MACHINE}`).replace("the token", token),
    { waitUntil: "commit" },
  );
  await expect.poll(() => shown(page), SOON).toBeGreaterThan(30);
  expect(await watches()).toBe(1);

  const offer = await page.evaluate(async () => {
    const peer = new RTCPeerConnection();
    peer.addTransceiver("video", { direction: "recvonly" });
    await peer.setLocalDescription();
    return peer.localDescription?.sdp ?? "";
  });
  const folder = await mkdtemp(join(tmpdir(), "longarm-whep-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const lines = (start: string) => offer.split("\r\n").filter((line) => line.startsWith(start));
  const fragment = ["a=ice-ufrag:", "a=ice-pwd:", "m=video", "a=mid:"].flatMap((start) => lines(start).slice(0, 1));
  await writeFile(join(folder, "offer.sdp"), offer);
  await writeFile(
    join(folder, "candidates.sdpfrag"),
    [...fragment, "a=candidate:1 1 udp 1 192.0.2.1 9 typ host", ""].join("\r\n"),
  );
  const snippets = shellSnippets(document);
  const env = { ...(await shellWith("curl")), LONGARM: venue.href, TOKEN: token };
  const curl = async (at: number, more: Record<string, string> = {}) =>
    (await promisify(execFile)("sh", ["-euc", snippets[at] ?? ""], { cwd: folder, env: { ...env, ...more } })).stdout;
  const created = await curl(0);
  expect(created).toMatch(/^HTTP\/1\.1 201 /);
  expect(created).toMatch(/^a=candidate:.* typ host/m);
  const header = (name: string) => new RegExp(`^${name}: (.*?)\r?$`, "m").exec(created)?.[1] ?? "";
  const named = { LOCATION: header("location"), ETAG: header("etag") };
  expect(await curl(1, named)).toMatch(/^HTTP\/1\.1 204 /);
  expect(await watches()).toBe(2);
  expect(await curl(2, named)).toMatch(/^HTTP\/1\.1 200 /);

  await page.goto("about:blank");
  await expect.poll(watches, SOON).toBe(0);
  expect(complaints).toEqual([]);
});
