/** @module-tag long */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  cashIn,
  codeTexts,
  GAME,
  logIn,
  metersOnPage,
  playing,
  playTexts,
  sitDown,
  texts,
} from "../../rig/page/game-page.ts";
import { arrive, DESK, PHONE } from "../../rig/page/visitor.ts";
import { allOf, DENIZ, ELIF, signIn, sitAt } from "../../rig/player.ts";
import type { VenueNode } from "../../rig/venue/nodes.ts";
import { longarm, runLongarm } from "../../rig/venue/staff.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/*
 * The whole system under rules that protect a player, on two platform processes: a national register that does not answer, reality checks over
 * reloads, changed clocks and autoplay, a limit that is reached in a bonus, a break that begins on another device while a game is open.
 */

const SOON = { timeout: 60_000, interval: 100 };
const WAIT = { timeout: 60_000 };
const MACHINE = "nar-01";
const [words, codes] = [playTexts("en"), codeTexts("en")];
let venue: TestVenue;
let browser: Browser;
let folder: string;
/** A national register, as Spelpaus describes its own. */
let register: Server;
let isSilent = false;

const ask = (query: string) => venue.ask(query);
const node = (which: 0 | 1): VenueNode => venue.nodes[which] as VenueNode;
const keyOf = (within: Page | Locator, name: string | undefined) =>
  within.getByRole("button", { name: name ?? "-", exact: true });
const check = (page: Page) => page.getByRole("alertdialog");

beforeAll(async () => {
  register = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (isSilent) return response.destroy();
      const { requestId } = JSON.parse(Buffer.concat(parts).toString());
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ isBlocked: false, requestId, responseId: "rs-1" }));
    });
  });
  await new Promise<void>((listening) => register.listen(0, "127.0.0.1", listening));
  folder = await mkdtemp(join(tmpdir(), "longarm-protection-"));
  const settings = join(folder, "Settings.json");
  const helpList = [{ name: "Stödlinjen", phone: "020-81 91 00" }];
  await writeFile(settings, JSON.stringify({ framesPerSecond: 5, helpList }));
  venue = await openTestVenue({
    ...{ web: true, machines: 1, nodes: 2 },
    platformEnv: {
      // Grants are renewed each two seconds, and no player is disconnected while a busy computer is slow.
      ...{ SEAT_LEASE_MS: "6000", IDLE_MS: "3600000", WAITING_MS: "3600000", NO_DEPOSIT_MS: "3600000" },
      ...{ SPELPAUS_ACTOR: "4711", SPELPAUS_KEY: "secret", SETTINGS_FILE: settings },
      SPELPAUS_URL: `http://127.0.0.1:${(register.address() as AddressInfo).port}`,
    },
  });
  await longarm(venue, "markets", "choose", "lab", "--player", DENIZ.username, "--reason", "a test");
  const number = ["--country", "SE", "--personal-number", "199005311234"];
  const document = ["--birth-date", "1990-05-31", "--document", "passport", ...number];
  await longarm(venue, "identity", "decide", DENIZ.username, "verified", ...document, "--reason", "seen");
  const limits = "loss.day=900.00 loss.week=900.00 loss.month=900.00";
  await longarm(venue, "players", "limits", DENIZ.username, "--limit", limits, "--for", "player");
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
  register.closeAllConnections();
  register.close();
  await rm(folder, { recursive: true });
});
/** All money is where it belongs, and no seat is held. */
afterEach(async () => {
  await closeVisitors(browser);
  await expect.poll(() => ask("select state as answer from seat"), SOON).toBe("free");
  expect(await venue.ledger.verify()).toEqual([]);
});

async function lobbySays(page: Page, sentence: string | undefined): Promise<void> {
  await page
    .getByText(sentence ?? "-", { exact: true })
    .first()
    .waitFor({ ...WAIT, state: "attached" });
}

/** So much more time has passed at machines, and since the last check, which cannot be changed otherwise. */
async function playedFor(minutes: number): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - interval '${minutes} minutes'`;
  await ask(`do $$ begin
    set local session_replication_role = replica;
    update reality_check set ${earlier("shown_at")}, ${earlier("answered_at")}
      where player_id in (select player_id from play_session where ended_at is null);
    update play_session set ${earlier("started_at")} where ended_at is null;
  end $$`);
}

/** The lowest stake; a cap of the market lies above it. */
async function lowerBet(page: Page, most: number): Promise<void> {
  await keyOf(page, "₺0.10").click();
  await expect
    .poll(async () => {
      if ((await metersOnPage(page)).bet > most) await keyOf(page, words["lessBet"]).click({ force: true });
      return (await metersOnPage(page)).bet;
    }, SOON)
    .toBeLessThanOrEqual(most);
}

async function keepPlaying(page: Page): Promise<void> {
  const keep = keyOf(check(page), words["checkKeep"]);
  await expect.poll(() => keep.getAttribute("aria-disabled"), SOON).toBeNull();
  await keep.click();
  await check(page).waitFor({ state: "detached", ...WAIT });
}

async function leaveByCheck(page: Page): Promise<void> {
  await playedFor(16);
  await check(page).waitFor(WAIT);
  const leave = keyOf(check(page), words["checkLeave"]);
  await expect.poll(() => leave.getAttribute("aria-disabled"), SOON).toBeNull();
  await leave.click();
  await page.waitForURL("**/lobby**", WAIT);
}

test("Spellagen 14:12: the strictest market is closed while its register does not answer, opens with its answer, and ends play when it falls silent", async () => {
  isSilent = true;
  const early = await arrive(browser, DESK, "en");
  await logIn(early.page, venue.href, DENIZ);
  await early.page.locator(`[data-machine="${MACHINE}"] a`).click();
  await lobbySays(early.page, codes["60088"]);
  await early.context.close();
  isSilent = false;
  // The next sign-in asks again.
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, DENIZ);
  await expect.poll(() => ask("select answer from register_answer order by id desc limit 1"), SOON).toBe("clear");
  await sitDown(page, MACHINE);
  await cashIn(page, 100, "en");
  // It falls silent while the player is at the machine, and its last answer grows old.
  isSilent = true;
  await ask(`do $$ begin
    set local session_replication_role = replica;
    update register_answer set answered_at = answered_at - interval '13 hours';
  end $$`);
  await expect.poll(() => ask("select state as answer from seat"), { ...SOON, timeout: 150_000 }).toBe("free");
  await page.waitForURL("**/lobby**", WAIT);
  expect(await ask("select end_reason as answer from play_session order by started_at desc limit 1")).toBe("register");
  isSilent = false;
  await context.close();
});

test("RTS 13B: a reality check is the same after a reload and on a changed clock, and only its answer gives the game back", async () => {
  const { page, context } = await arrive(browser, DESK, "en");
  // The clock of the player's computer jumps: an hour for summer time, then past midnight.
  await page.addInitScript(() => {
    const now = Date.now.bind(Date);
    let ahead = 0;
    Object.assign(globalThis, { jump: (ms: number) => (ahead += ms) });
    Date.now = () => now() + ahead;
  });
  const jump = (hours: number) => page.evaluate((ms) => Reflect.get(globalThis, "jump")(ms), hours * 3_600_000);
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 100, "en");
  await lowerBet(page, 500);
  const { gamesPlayed } = await metersOnPage(page);
  await jump(1);
  await page.locator("[data-spin][data-state=ready]").waitFor(WAIT);
  await jump(24);
  await expect
    .poll(async () => {
      await page.keyboard.press("Space");
      return (await metersOnPage(page)).gamesPlayed;
    }, SOON)
    .toBeGreaterThan(gamesPlayed);
  expect(await check(page).count()).toBe(0);
  await page.locator(`${GAME}[data-turning=false]`).waitFor(WAIT);
  await playedFor(16);
  await check(page).waitFor(WAIT);
  const id = await ask("select id as answer from reality_check order by shown_at desc limit 1");
  const played = (await metersOnPage(page)).gamesPlayed;
  for (const _again of [1, 2]) {
    await page.reload();
    await check(page).waitFor(WAIT);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Space");
    expect(await check(page).count()).toBe(1);
  }
  expect(await ask("select id as answer from reality_check order by shown_at desc limit 1")).toBe(id);
  expect((await metersOnPage(page)).gamesPlayed).toBe(played);
  await keepPlaying(page);
  await playing(page);
  await leaveByCheck(page);
  await context.close();
});

test("RTS 13B: autoplay ends before a reality check, and stays off when the player keeps playing", async () => {
  const elif = await signIn(venue.href, ELIF);
  const device = await sitAt(elif, MACHINE);
  expect(await device.peer.request("checkEvery", { minutes: 15 })).toMatchObject({ is: "done" });
  await device.leave();
  device.page.drop();
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, ELIF);
  await sitDown(page, MACHINE);
  await cashIn(page, 1_000, "en");
  await keyOf(page, words["auto"]).click(WAIT);
  await page.locator("form button[type=submit]").click(WAIT);
  await page.locator("form").waitFor({ ...WAIT, state: "detached" });
  await playedFor(16);
  await check(page).waitFor(WAIT);
  expect(await page.evaluate(() => Reflect.get(window, "longarmAutoplay"))).toBe(false);
  const { gamesPlayed } = await metersOnPage(page);
  await page.reload();
  await check(page).waitFor(WAIT);
  expect((await metersOnPage(page)).gamesPlayed).toBe(gamesPlayed);
  await keepPlaying(page);
  await playing(page);
  expect(await page.evaluate(() => Reflect.get(window, "longarmAutoplay") === true)).toBe(false);
  await leaveByCheck(page);
  await context.close();
});

test("RTS 12A: a limit that is reached in a bonus lets the bonus end, then brings all credits home", async () => {
  const deniz = await signIn(venue.href, DENIZ);
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 100, "en");
  await lowerBet(page, 500);
  await longarm(venue, "simulate", MACHINE, "bonus");
  const inBonus = page.locator("[data-doing=bonus]");
  await expect
    .poll(async () => {
      if ((await inBonus.count()) === 0) await page.keyboard.press("Space");
      return await inBonus.count();
    }, SOON)
    .toBe(1);
  await longarm(venue, "players", "limits", DENIZ.username, "--limit", "wager.day=0.01");
  const leaveSheet = keyOf(page.getByRole("dialog"), texts("en", "saferPlay")["reachedLeave"]);
  await expect
    .poll(async () => {
      if ((await inBonus.count()) > 0)
        await page
          .locator("[data-spin]")
          .click({ timeout: 1_000 })
          .catch(() => undefined);
      return await leaveSheet.count();
    }, SOON)
    .toBe(1);
  await leaveSheet.click();
  await page.waitForURL("**/lobby", WAIT);
  const last = "from play_session order by started_at desc limit 1";
  expect(await ask(`select end_reason as answer ${last}`)).toBe("limit");
  expect(
    await ask(
      `select bonus as answer from game where play_session_id = (select id ${last}) order by game_number desc limit 1`,
    ),
  ).toBe(true);
  expect(await deniz.balance()).not.toHaveProperty("onMachine");
  // Also a reload opens nothing, and the lobby says why.
  await page.reload();
  await page.locator(`[data-machine="${MACHINE}"] a`).click(WAIT);
  await page
    .getByText(/^You have reached your limit of all stakes/)
    .first()
    .waitFor({ ...WAIT, state: "attached" });
  await context.close();
});

test("GLI-19 A.3.8: a break that another device begins on another node ends play, brings the credits home and stays; money goes out and not in", async () => {
  const agentNode = () => ask(`select node_id as answer from agent_link where machine_id = '${MACHINE}'`);
  const holderNode = () => ask(`select holder_node as answer from seat where machine_id = '${MACHINE}'`);
  // The agent and the other device on the second node, the game on the first.
  if ((await agentNode()) !== node(1).id) {
    venue.balancer?.serve([node(1).href]);
    await venue.agent.kill();
    await venue.agent.restart();
    await expect.poll(agentNode, SOON).toBe(node(1).id);
  }
  venue.balancer?.serve([node(0).href]);
  const { page, context } = await arrive(browser, PHONE, "en");
  await logIn(page, venue.href, ELIF);
  await sitDown(page, MACHINE);
  await cashIn(page, 200, "en");
  await expect.poll(holderNode, SOON).toBe(node(0).id);
  venue.balancer?.serve(venue.nodes.map(({ href }) => href));
  const other = await signIn(node(1).href, ELIF);
  const all = allOf(await other.balance());
  const body = JSON.stringify({ kind: "panic" });
  const headers = { "content-type": "application/json" };
  expect((await other.call("player/breaks", { method: "POST", body, headers })).status).toBe(200);
  await page.waitForURL("**/closed", WAIT);
  await expect.poll(() => other.balance(), SOON).toEqual({ balance: all });
  await page.reload();
  await page.waitForURL("**/closed", WAIT);
  await page.goto(`${venue.href}/game/${MACHINE}/-`);
  await page.waitForURL("**/closed", WAIT);
  for (const id of venue.nodes.map(({ href }) => href)) {
    const again = await (await signIn(id, ELIF)).open(MACHINE);
    expect(await again.init()).toMatchObject({ is: "refused", refusal: { code: 60080 } });
    again.drop();
  }
  const why = ["--reason", "a test"];
  expect((await runLongarm(venue, ["wallets", "deposit", ELIF.username, "10.00", ...why])).code).toBe(3);
  await longarm(venue, "wallets", "withdraw", ELIF.username, "10.00", ...why);
  await expect.poll(() => other.balance(), SOON).toEqual({ balance: all - 1_000 });
  await context.close();
});
