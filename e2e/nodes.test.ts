/** @module-tag long */
import { appendFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  cashIn,
  GAME,
  leave,
  logIn,
  metersOnPage,
  playBehind,
  playGame,
  playing,
  sitDown,
} from "../rig/page/game-page.ts";
import type { Visitor } from "../rig/page/visitor.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { allOf, DENIZ, ELIF, signIn } from "../rig/player.ts";
import type { VenueNode } from "../rig/venue/nodes.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* A platform of two processes, with NATS between them and a balancer before them: one of them ends, and the player plays on. */

const SOON = { timeout: 120_000, interval: 20 };
/** No player is disconnected while a busy computer starts processes. */
const PATIENT = { IDLE_MS: "3600000", WAITING_MS: "3600000" };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let visitor: Visitor | undefined;
let page: Page;
let player: Player;
let all: number;
let sat: unknown;

const holderNode = () => venue.ask(`select holder_node as answer from seat where machine_id = '${MACHINE}'`);
const agentNode = () => venue.ask(`select node_id as answer from agent_link where machine_id = '${MACHINE}'`);
const openSession = () => venue.ask("select id as answer from play_session where ended_at is null");
const node = (which: 0 | 1): VenueNode => venue.nodes[which] as VenueNode;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1, nodes: 2, platformEnv: PATIENT });
  browser = await sharedBrowser();
  player = await signIn(venue.href);
  all = allOf(await player.balance());
});
/** One player plays through all tests. */
beforeEach(async () => {
  if (visitor !== undefined) return;
  visitor = await arrive(browser, DESK, "tr");
  ({ page } = visitor);
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "tr");
  sat = await openSession();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const serveBoth = () => venue.balancer?.serve(venue.nodes.map(({ href }) => href));

/** The agent's link on one node, the player's sockets on one, and both nodes up. */
async function place(agent: VenueNode, seat: VenueNode): Promise<void> {
  if ((await agentNode()) !== agent.id) {
    venue.balancer?.serve([agent.href]);
    await venue.agent.kill();
    await venue.agent.restart();
    await expect.poll(agentNode, SOON).toBe(agent.id);
  }
  venue.balancer?.serve([seat.href]);
  await page.reload();
  await playing(page);
  await expect.poll(holderNode, SOON).toBe(seat.id);
  serveBoth();
}

const takenGames = () => venue.ask(`select taken_game::int as answer from machine where id = '${MACHINE}'`);

/** A game from the page's own key to the platform's books, at the same seat. */
async function playsOn(): Promise<void> {
  await playGame(page);
  await expect.poll(takenGames, SOON).toBe((await metersOnPage(page)).gamesPlayed);
  expect(await openSession()).toBe(sat);
  const own = await signIn(venue.href);
  await expect.poll(async () => (await own.balance()).onMachine === (await metersOnPage(page)).credit, SOON).toBe(true);
}

/** Kills a node; answers how long it took until the seat is held by the other one, its agent is there, and the page is at its machine, ms. */
async function killed(gone: VenueNode, other: VenueNode): Promise<number> {
  const since = performance.now();
  await gone.keeper.kill();
  await expect.poll(async () => [await holderNode(), await agentNode()], SOON).toEqual([other.id, other.id]);
  await page.locator(`${GAME}[data-online=true][data-phase=playing]`).waitFor();
  return performance.now() - since;
}

/** For `npm run proof -- nodes`. */
async function printLine(what: string, ms: number): Promise<void> {
  const file = process.env["LONGARM_FIGURES"];
  if (file !== undefined) await appendFile(file, `${what}: ${Math.round(ms)} ms\n`);
}

test("a player on one node plays at a machine whose agent is on the other; either node is killed, and the game continues", async () => {
  await place(node(1), node(0));
  await playsOn();
  await printLine("the player's node is killed", await killed(node(0), node(1)));
  await playsOn();
  await node(0).keeper.restart();

  // Both are on the second one now.
  await printLine("the node of player and agent is killed", await killed(node(1), node(0)));
  await playsOn();
  await node(1).keeper.restart();

  await place(node(1), node(0));
  await printLine("the agent's node is killed", await killed(node(1), node(0)));
  await playsOn();
  await node(1).keeper.restart();
});

test("every node is stopped and started again, one after the other, during a game: no player loses a seat", {}, async () => {
  await place(node(1), node(0));
  for (const { id, keeper } of venue.nodes) {
    const { gamesPlayed } = await metersOnPage(page);
    await page.locator("main[data-turning=false] [data-spin][data-state=ready]").click();
    process.kill(keeper.pid(), "SIGTERM");
    expect(await keeper.exited(), id).toEqual({ code: 0, signal: null });
    await expect.poll(async () => [await holderNode(), await agentNode()], SOON).not.toContain(id);
    await playBehind(page, gamesPlayed);
    await keeper.restart();
    await page.locator(`${GAME}[data-online=true][data-phase=playing]`).waitFor();
    await playsOn();
  }
});

test("the bus goes away and comes back: no seat is lost, the nodes log it, and play continues", {}, async () => {
  await place(node(1), node(0));
  const ready = async () => await (await fetch(`${node(0).href}/readyz`)).json();
  expect(await ready()).toEqual({ status: true });
  await venue.nats?.kill();
  await expect.poll(ready, SOON).toEqual({ status: true, degraded: ["bus"] });
  expect(await openSession()).toBe(sat);
  await venue.nats?.start();
  await expect.poll(ready, SOON).toEqual({ status: true });
  await playsOn();
});

test("stills and spectators are the same on every node", async () => {
  const [one, two] = await Promise.all([signIn(node(0).href, ELIF), signIn(node(1).href, ELIF)]);
  const still = async (from: Player, at: VenueNode) => {
    const machines = (await (await from.call("machine/all")).json()) as { image?: string }[];
    const image = machines[0]?.image;
    if (image === undefined) return null;
    const shown = await fetch(new URL(image, at.href));
    return shown.ok ? { bytes: (await shown.arrayBuffer()).byteLength, image } : null;
  };
  await expect
    .poll(async () => {
      const [first, second] = [await still(one, node(0)), await still(two, node(1))];
      return first !== null && first.bytes > 1_000 && first.image === second?.image;
    }, SOON)
    .toBe(true);

  const eyes = await Promise.all([one.open(MACHINE), two.open(MACHINE)]);
  for (const eye of eyes) expect(await eye.init({ role: "spectator" })).toMatchObject({ is: "done" });
  for (const eye of eyes) await expect.poll(() => eye.ofMethod("spectators").at(-1), SOON).toEqual({ count: 2 });
  const third = await two.open(MACHINE);
  expect(await third.init({ role: "spectator" })).toMatchObject({ is: "refused", refusal: { code: 60018 } });
});

test("at the end every credit is where it belongs", async () => {
  const { credit } = await metersOnPage(page);
  const before = await (await signIn(venue.href)).balance();
  expect(before).toMatchObject({ onMachine: credit });
  await leave(page, "tr");
  player = await signIn(venue.href);
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: before.balance + credit });
  const net = Number(await venue.ask(`select net::int as answer from play_session where id = '${sat}'`));
  expect(before.balance + credit).toBe(all + net);
  expect(await venue.ledger.verify()).toEqual([]);
  expect(await venue.ask("select count(*)::int as answer from discrepancy")).toBe(0);
  await visitor?.context.close();
});
