/** @module-tag long */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  cashIn,
  codeTexts,
  GAME,
  logIn,
  lowerBet,
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
import type { StrictVenue } from "../../rig/venue/strict-venue.ts";
import { limitLosses, openStrictVenue, verify } from "../../rig/venue/strict-venue.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/*
 * The whole system under rules that protect a player, on two platform processes: a national register that does not answer, reality checks over
 * reloads, changed clocks and autoplay, a limit that is reached in a bonus, a break that begins on another device while a game is open.
 */

const SOON = { timeout: 60_000, interval: 100 };
const WAIT = { timeout: 60_000 };
const MACHINE = "nar-01";
const [words, codes] = [playTexts("en"), codeTexts("en")];
let strict: StrictVenue;
let venue: TestVenue;
let browser: Browser;

const ask = (query: string) => venue.ask(query);
const node = (which: 0 | 1): VenueNode => venue.nodes[which] as VenueNode;
const keyOf = (within: Page | Locator, name: string | undefined) =>
  within.getByRole("button", { name: name ?? "-", exact: true });
const check = (page: Page) => page.getByRole("alertdialog");

beforeAll(async () => {
  strict = await openStrictVenue({ web: true, machines: 1, nodes: 2 });
  venue = strict.venue;
  await verify(venue, DENIZ, "1990-05-31", "199005311234");
  await verify(venue, ELIF, "1990-05-31", "199005315678");
  for (const player of [DENIZ, ELIF]) await limitLosses(venue, player);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await strict?.close();
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

test("RTS 13B: autoplay ends before a reality check, and stays off when the player keeps playing", async () => {
  const elif = await signIn(venue.href, ELIF);
  const device = await sitAt(elif, MACHINE);
  expect(await device.peer.request("checkEvery", { minutes: 15 })).toMatchObject({ is: "done" });
  await device.leave();
  device.page.drop();
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, ELIF);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "en");
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

test("Spellagen 14:12: the strictest market is closed while its register does not answer, and opens with its answer", async () => {
  // The market of the venue, for every player.
  await longarm(venue, "markets", "choose", "lab", "--amounts-in", "TRY", "--reason", "a test");
  strict.register.setSilent(true);
  const early = await arrive(browser, DESK, "en");
  await logIn(early.page, venue.href, DENIZ);
  await early.page.locator(`[data-machine="${MACHINE}"] a`).click();
  await lobbySays(early.page, codes["60088"]);
  await early.context.close();
  strict.register.setSilent(false);
  // The next sign-in asks again.
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, DENIZ);
  await expect.poll(() => ask("select answer from register_answer order by id desc limit 1"), SOON).toBe("clear");
  await sitDown(page, MACHINE);
  await cashIn(page, 100, "en");
  // It falls silent while a game is open, and its last answer grows old.
  strict.register.setSilent(true);
  await ask(`do $$ begin
    set local session_replication_role = replica;
    update register_answer set answered_at = answered_at - interval '13 hours';
  end $$`);
  await expect.poll(() => ask("select state as answer from seat"), { ...SOON, timeout: 150_000 }).toBe("free");
  await page.waitForURL("**/lobby**", WAIT);
  expect(await ask("select end_reason as answer from play_session order by started_at desc limit 1")).toBe("register");
  strict.register.setSilent(false);
  await context.close();
});

test("GLI-19 A.3.8: a break that is chosen and not confirmed is none after a reload", async () => {
  const elif = await signIn(venue.href, ELIF);
  const breaks = async () => await (await elif.call("player/breaks")).json();
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, ELIF);
  const sheet = page.getByRole("dialog");
  for (const nth of [1, 7]) {
    await page.goto(`${venue.href}/safer-play?tab=breaks`);
    await page.locator("#page input[type=radio]").nth(nth).check({ force: true });
    const block = page.locator("#page section", { has: page.locator("input:checked") }).last();
    await block.getByRole("button").last().click();
    await sheet.waitFor(WAIT);
    await page.reload();
    await page
      .locator("#page input[type=radio]")
      .first()
      .waitFor({ ...WAIT, state: "attached" });
    expect(await sheet.count()).toBe(0);
    expect(await breaks()).toMatchObject({ closed: null });
  }
  await context.close();
});

test("RTS 8A: under the venue's market autoplay is off in the page, and at the agent for a page that says so all the same", async () => {
  const elif = await signIn(venue.href, ELIF);
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, ELIF);
  await sitDown(page, MACHINE);
  await cashIn(page, 100, "en");
  await lowerBet(page, 500);
  await expect.poll(() => keyOf(page, words["auto"]).getAttribute("aria-disabled"), SOON).toBe("true");
  const { bet, gamesPlayed } = await metersOnPage(page);
  // Another page of the same player takes the seat over.
  const hostile = await sitAt(elif, MACHINE);
  const epoch = Number(await ask("select epoch as answer from seat"));
  const press = { epoch, seq: 1, button: "spin", at: Date.now(), stake: bet, auto: true };
  expect(await hostile.peer.request("press", press)).toMatchObject({
    data: { outcome: "refused", reason: "no autoplay" },
  });
  expect(hostile.meters().gamesPlayed).toBe(gamesPlayed);
  await hostile.leave();
  hostile.page.drop();
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
  // A reload asks nothing again: the credits are home.
  await page.reload();
  await page.waitForURL("**/lobby**", WAIT);
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

test("GLI-19 A.3.8: a self-exclusion that another device begins on another node ends play, brings the credits home and stays; money goes out and not in", async () => {
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
  const body = JSON.stringify({ kind: "exclusion", months: 12 });
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
    expect(await again.init()).toMatchObject({ is: "refused", refusal: { code: 60062 } });
    again.drop();
  }
  const why = ["--reason", "a test"];
  expect((await runLongarm(venue, ["wallets", "deposit", ELIF.username, "10.00", ...why])).code).toBe(3);
  await longarm(venue, "wallets", "withdraw", ELIF.username, "10.00", ...why);
  await expect.poll(() => other.balance(), SOON).toEqual({ balance: all - 1_000 });
  await context.close();
});

test("a reload answers nothing: neither the terms, nor the offer of limits, nor the summary of a sign-in", async () => {
  const [guest] = await venue.addPlayers("guest", 1, 50_000);
  if (guest === undefined) throw new Error("no player was added");
  await verify(venue, guest, "1990-05-31", "199005319999");
  const text = { title: "Terms of use", changes: ["First version"], body: "Play is for adults." };
  const file = join(await mkdtemp(join(tmpdir(), "longarm-terms-")), "terms.json");
  await writeFile(file, JSON.stringify({ en: text }));
  await longarm(venue, "terms", "add", file, "--reason", "a test");
  await rm(dirname(file), { recursive: true });
  const refusal = async () => {
    const device = await (await signIn(venue.href, guest)).open(MACHINE);
    const answer = await device.init();
    device.drop();
    return answer.is === "refused" ? answer.refusal.code : answer.is;
  };
  const { page, context } = await arrive(browser, { ...DESK, keepsSummaries: true }, "en");
  const sheet = page.getByRole("dialog");
  await logIn(page, venue.href, guest);
  // The terms.
  const accept = keyOf(sheet, texts("en", "terms")["accept"]?.replace("{number}", "1"));
  await accept.waitFor(WAIT);
  await page.reload();
  await page.locator("[data-machine]").first().waitFor(WAIT);
  expect(await refusal()).toBe(60090);
  await page.goto(`${venue.href}/terms`);
  const acceptHere = keyOf(page, texts("en", "terms")["accept"]?.replace("{number}", "1"));
  await acceptHere.click(WAIT);
  await expect.poll(refusal, SOON).toBe(60092);
  // The offer of limits.
  await page.goto(`${venue.href}/lobby`);
  const offer = sheet.getByText(texts("en", "saferPlay")["offer"] ?? "-");
  await offer.waitFor(WAIT);
  await page.reload();
  await offer.waitFor(WAIT);
  expect(await refusal()).toBe(60092);
  await keyOf(sheet, texts("en", "saferPlay")["offerLater"]).click(WAIT);
  await sheet.waitFor({ state: "detached", ...WAIT });
  await page.reload();
  await page.locator("[data-machine]").first().waitFor(WAIT);
  // The market wants limits, whatever was answered.
  await expect.poll(refusal, SOON).toBe(60066);
  await context.close();
});
