import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GAME, playing } from "../rig/page/game-page.ts";
import type { Visitor } from "../rig/page/visitor.ts";
import { arrive, DESK, PHONE } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { DENIZ, signIn, sitAt } from "../rig/player.ts";
import type { VenueNode } from "../rig/venue/nodes.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* Three players wait for one machine, in browsers; in the whole run across two nodes. */

const SOON = { timeout: 90_000, interval: 100 };
const MACHINE = "nar-01";
const PLATFORM_ENV = { QUEUE_PLACES: "3", QUEUE_READY_MS: "20000", IDLE_MS: "3600000", NO_DEPOSIT_MS: "3600000" };
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 2, ...(WHOLE_RUN && { nodes: 2 }), platformEnv: PLATFORM_ENV });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

/** New connections come to this node, where there are two. */
function connectTo(which: 0 | 1): void {
  const node: VenueNode | undefined = venue.nodes[which];
  if (node !== undefined) venue.balancer?.serve([node.href]);
}

type Waiter = Visitor & { readonly player: Player };

/** A player in the lobby, connected to this node. */
async function inLobby(credentials: Parameters<typeof signIn>[1], which: 0 | 1, device = DESK): Promise<Waiter> {
  connectTo(which);
  const player = await signIn(venue.href, credentials);
  const visitor = await arrive(browser, device, "en");
  await visitor.page.goto(`${venue.href}/lobby?token=${player.token}`);
  await visitor.page.locator(`[data-machine="${MACHINE}"]`).waitFor();
  return { ...visitor, player };
}

/** Joins by the card's key, or by a tap on the card where it has none, and waits until the page shows this place. */
async function joinQueue(page: Page, place: number, machine = MACHINE): Promise<void> {
  const card = page.locator(`[data-machine="${machine}"]`);
  const key = card.getByRole("button", { name: /^Wait/ });
  await card.locator("span:has(> button)").first().waitFor({ state: "attached" });
  await ((await key.isVisible()) ? key : card.locator("h3 a")).click();
  await page.getByRole("dialog").getByRole("button", { name: "Join the queue" }).click();
  await card.getByText(`Place ${place}`, { exact: true }).waitFor({ state: "attached" });
}

const turnOn = (page: Page) => page.getByRole("alertdialog", { name: /is yours/ });
async function answer(page: Page, key: string): Promise<void> {
  await turnOn(page).locator("button:not([aria-disabled])").first().waitFor();
  await turnOn(page).getByRole("button", { name: key }).click();
}
const placesEnded = () =>
  venue.ask("select json_agg(end_reason order by number) as answer from queue_place where ended_at is not null");

test("three players wait for one machine: the first lets the next one go, who vanishes; the last one sits down", async () => {
  connectTo(0);
  const sitter = await sitAt(await signIn(venue.href, DENIZ), MACHINE);
  const [one, two, three] = await venue.addPlayers("waiter", 3, 100_000);
  const first = await inLobby(one, 1);
  await joinQueue(first.page, 1);
  const second = await inLobby(two, 0, PHONE);
  await joinQueue(second.page, 2);
  const third = await inLobby(three, 1);
  await joinQueue(third.page, 3);
  await first.page
    .getByRole("region", { name: "Your places" })
    .getByText(/You are next/)
    .waitFor();
  await third.page
    .getByRole("region", { name: "Your places" })
    .getByText(/2 people before you/)
    .waitFor();

  await sitter.page.peer.request("leave", {});
  await turnOn(first.page).waitFor();
  expect(await turnOn(second.page).count()).toBe(0);
  await answer(first.page, "Let the next one go first");
  await turnOn(first.page).waitFor({ state: "detached" });

  await turnOn(second.page).waitFor();
  await second.context.close();
  // No answer comes from the second: the time of the call passes, and the first is called again.
  await turnOn(first.page).waitFor();
  expect(await turnOn(first.page).getByRole("button", { name: "Let the next one go first" }).count()).toBe(0);
  await answer(first.page, "Leave the queue");

  await turnOn(third.page).waitFor();
  await answer(third.page, "Sit down");
  await playing(third.page);
  expect(await venue.ask(`select player_id as answer from seat where machine_id = '${MACHINE}'`)).toBe(three?.id);
  await expect.poll(placesEnded, SOON).toEqual(["left", "seated"]);

  // Who vanished has kept the place, one miss later, and finds it again.
  const back = await inLobby(two, 1);
  await back.page
    .getByRole("region", { name: "Your places" })
    .getByText(/You are next/)
    .waitFor();
  expect(await venue.ask("select misses as answer from queue_place where ended_at is null")).toBe(1);
  expect([...first.complaints, ...third.complaints, ...back.complaints]).toEqual([]);
  await Promise.all([first, third, back].map(({ context }) => context.close()));
});

test("a fault holds the place and says so, and a platform that is killed between call and answer loses neither", {
  tags: ["long"],
}, async () => {
  const [other = ""] = (await venue.machineIds()).filter((id) => id !== MACHINE);
  const simulate = (what: string) => longarm(venue, "simulate", other, what);
  const [one, sits] = await venue.addPlayers("patient", 2, 100_000);
  connectTo(0);
  const sitter = await sitAt(await signIn(venue.href, sits), other);
  const waiter = await inLobby(one, 1);
  const { page } = waiter;
  await joinQueue(page, 1, other);
  const strip = page.getByRole("region", { name: "Your places" });
  await simulate("tilt");
  await strip.getByText("The machine has a fault").waitFor();
  await simulate("repair");
  await strip.getByText(/You are next/).waitFor();

  await sitter.leave();
  await turnOn(page).waitFor();
  await venue.platform.kill();
  await venue.platform.restart();
  venue.balancer?.serve(venue.nodes.map(({ href }) => href));
  // The call of before, or, where its time passed meanwhile, the next one. Before the agent is back the seat is refused, and the call shown again.
  await expect
    .poll(async () => {
      const key = turnOn(page).getByRole("button", { name: "Sit down" });
      if (await key.isVisible()) await key.click({ timeout: 2_000 }).catch(() => undefined);
      return await page.locator(`${GAME}[data-phase=playing]`).count();
    }, SOON)
    .toBe(1);
  expect(await venue.ask(`select player_id as answer from seat where machine_id = '${other}'`)).toBe(one?.id);
  await waiter.context.close();
});
