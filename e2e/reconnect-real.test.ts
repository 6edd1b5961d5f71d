import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { logIn, metersOnPage, playing, texts } from "../rig/page/game-page.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import type { Device, Player } from "../rig/player.ts";
import { allOf, DENIZ, signIn, sitAt } from "../rig/player.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue, PATIENT } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/*
 * Every variant of the reconnect dialog as the real platform brings it about, and what its keys do: one player, a device without a picture that
 * holds the seat, and a browser in the lobby.
 */

const SOON = { timeout: 60_000, interval: 100 };
const WAIT = { timeout: 60_000 };
const MACHINE = "nar-01";
const BET = 200_000;
/** What the games brought so far, minor units. */
const NET = "select coalesce(sum(win - stake), 0) as answer from game";
const words = texts("en", "reconnect");
let venue: TestVenue;
let browser: Browser;
let player: Player;
let page: Page;
let device: Device | undefined;
let all: number;
let turn = 0;

beforeAll(async () => {
  // A bonus long enough to be met.
  venue = await openTestVenue({ web: true, machines: 1, minCycleMs: 2_500, platformEnv: PATIENT });
  player = await signIn(venue.href, DENIZ);
  browser = await sharedBrowser();
  ({ page } = await arrive(browser, DESK, "en"));
  await logIn(page, venue.href, DENIZ);
  all = allOf(await player.balance());
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

/** A seat with credits on another device. */
beforeEach(async () => {
  turn += 1;
  device = await sitAt(player, MACHINE);
  await device.cashIn(`before-turn-${turn}`, BET);
});

const simulate = (what: string) => longarm(venue, "simulate", MACHINE, what);
const dialog = () => page.getByRole("dialog");
const key = (name: string) => dialog().getByRole("button", { name: words[name] ?? name, exact: true });
/** Marks around names keep them from turning the text direction. */
const plain = (text: string) => text.replaceAll(/[\u2066-\u2069]/g, "").replaceAll("\u00a0", " ");

/** The dialog is there in this variant, with these keys and no others. */
async function meets(variant: string, keys: readonly string[]): Promise<void> {
  const title = (words[variant] ?? "").replace("{machine}", "Nar 01");
  await expect
    .poll(async () => plain((await dialog().getByRole("heading").allTextContents()).join()), SOON)
    .toBe(title);
  // What is on the machine comes beside the session, and decides whether there is something to cash out.
  const offered = async () =>
    (await dialog().locator("button:visible, a:visible").allTextContents()).map((text) => text.trim());
  await expect.poll(offered, SOON).toEqual(keys.map((name) => words[name]));
}

async function toLobby(): Promise<void> {
  await page.goto(`${venue.href}/lobby`);
  await page.locator("[data-machine]").first().waitFor(WAIT);
}

/** The page is at the machine, and the machine has these credits. */
async function playsWith(credit: number): Promise<void> {
  await playing(page);
  expect(new URL(page.url()).pathname).toMatch(/^\/game\/nar-01\/Nar(%20| )01$/);
  await expect.poll(async () => (await metersOnPage(page)).credit, SOON).toBe(credit);
}

/** The holder of the seat gets up, and all money is where it belongs. */
async function endsWell(): Promise<void> {
  await page.goto("about:blank");
  const last = await sitAt(player, MACHINE);
  await last.leave();
  await addsUp();
}

async function addsUp(): Promise<void> {
  const net = Number(await venue.ask(NET));
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all + net });
  expect(await venue.ledger.verify()).toEqual([]);
}

test("R-4.3-05, R-4.3-11, R-6-11: playing on another device: Kick closes that device, and the game continues here with its credits", async () => {
  await toLobby();
  await meets("playing", ["kick", "close"]);
  await key("kick").click();
  expect(await device?.page.closed).toEqual({ code: 4000, reason: "kicked" });
  await playsWith(BET);
  await endsWell();
});

test("R-4.3-01, R-4.3-03, R-4.3-09: waiting: Continue resumes where the player stopped", async () => {
  device?.page.drop();
  await toLobby();
  await meets("waiting", ["continue", "cashOut", "close"]);
  await key("continue").click();
  await playsWith(BET);
  await endsWell();
});

// player 1
test("R-4.3-10, R-6-12: waiting: Cash out brings the credits home, says how much, and leaves the player in the lobby with the seat free", async () => {
  device?.page.drop();
  await toLobby();
  await meets("waiting", ["continue", "cashOut", "close"]);
  await key("cashOut").click();
  await expect
    .poll(async () => plain((await page.locator("body").textContent()) ?? ""), SOON)
    .toContain("₺2,000 was moved to your wallet.");
  await dialog().waitFor({ state: "detached", ...WAIT });
  expect(new URL(page.url()).pathname).toBe("/lobby");
  const net = Number(await venue.ask(NET));
  // Without a seat the wallet names no machine.
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all + net });
  expect(await venue.ask("select count(*)::int as answer from seat where state <> 'free'")).toBe(0);
});

test("R-4.3-02: in a bonus: nothing but Continue, and the bonus continues in the game", {
  tags: ["long"],
}, async () => {
  await simulate("bonus");
  await device?.spin();
  await device?.shows({ bonus: true });
  // An open door stops the bonus where it is, so that it is still there on the slowest computer.
  await simulate("door");
  device?.page.drop();
  await toLobby();
  await meets("in-bonus", ["continue"]);
  await key("continue").click();
  await playing(page);
  await simulate("repair");
  await expect.poll(() => venue.ask("select bool_or(bonus) as answer from game"), SOON).toBe(true);
  await endsWell();
});

test("R-4.3-04, R-4.3-06: a fault: the credits can be requested; while they cannot come the dialog says that they are on their way, and after the repair they arrive", async () => {
  await simulate("tilt");
  await device?.shows({ lockup: "tilt" });
  device?.page.drop();
  await toLobby();
  await meets("error", ["cashOut", "close"]);
  // A machine in tilt moves no money.
  await key("cashOut").click();
  await meets("trying-cashout", ["close"]);
  await dialog().getByRole("progressbar").waitFor(WAIT);
  await simulate("repair");
  await dialog().waitFor({ state: "detached", ...WAIT });
  await addsUp();
});

test("a fault that is repaired: the dialog offers the game again", { tags: ["long"] }, async () => {
  await simulate("door");
  await device?.shows({ lockup: "door" });
  device?.page.drop();
  await toLobby();
  await meets("error", ["cashOut", "close"]);
  await simulate("repair");
  await meets("waiting", ["continue", "cashOut", "close"]);
  await endsWell();
});

test("R-4.3-07: offline: the machine's line is dead, then its agent; each time the game is offered again once it is back", {
  tags: ["long"],
}, async () => {
  device?.page.drop();
  await toLobby();
  await meets("waiting", ["continue", "cashOut", "close"]);
  await simulate("offline");
  await meets("offline", ["tryAgain", "close"]);
  await simulate("repair");
  await meets("waiting", ["continue", "cashOut", "close"]);
  await venue.agent.kill();
  await meets("offline", ["tryAgain", "close"]);
  await venue.agent.restart();
  await meets("waiting", ["continue", "cashOut", "close"]);
  await endsWell();
});

test("R-4.3-08: unknown: a state that only a newer version of the platform has a name for; looked at again once it has passed", {
  tags: ["long"],
}, async () => {
  device?.page.drop();
  await expect
    .poll(() => venue.ask("select state as answer from seat where machine_id = 'nar-01'"), SOON)
    .toBe("waiting");
  await venue.ask("update seat set state = 'serviceVisit' where machine_id = 'nar-01' returning state as answer");
  await toLobby();
  await meets("unknown", ["tryAgain", "close"]);
  await venue.ask("update seat set state = 'waiting' where machine_id = 'nar-01' returning state as answer");
  await key("tryAgain").click();
  await meets("waiting", ["continue", "cashOut", "close"]);
  await endsWell();
});

test("a hand pay that waits for staff is shown as a fault, and the amount comes to the wallet when staff confirms it", {
  tags: ["long"],
}, async () => {
  await simulate("handpay");
  await device?.spin();
  await device?.shows({ lockup: "handPay" });
  device?.page.drop();
  await toLobby();
  await meets("error", ["cashOut", "close"]);
  await expect
    .poll(() => venue.ask("select count(*)::int as answer from hand_pay where confirmed_at is null"), SOON)
    .toBe(1);
  await longarm(venue, "handpay", "confirm", MACHINE);
  await meets("waiting", ["continue", "cashOut", "close"]);
  await endsWell();
});
