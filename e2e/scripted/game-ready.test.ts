import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUpGameStage } from "./game-stage.ts";

/* What the page opens for a machine before its screen is there: a pointer over a floor takes no seat. */

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

type Counted = { readonly states: () => string[] };

/** Runs in the page: remembers every connection that it makes. */
function countPeers(): void {
  const made: RTCPeerConnection[] = [];
  Object.assign(globalThis, { peersMade: { states: () => made.map(({ signalingState }) => signalingState) } });
  globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
    construct(target, args) {
      const one = Reflect.construct(target, args) as RTCPeerConnection;
      made.push(one);
      return one;
    },
  });
}
const peers = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { peersMade: Counted }).peersMade.states());

async function onTheFloor() {
  const game = await stage.openGame({ from: "/lobby", prepare: (_, page) => page.addInitScript(countPeers) });
  const cards = game.page.locator("[data-machine] a");
  await cards.first().waitFor(SOON);
  return { ...game, cards, card: game.page.locator('[data-machine="m_3"] a') };
}

test("a pointer over the floor makes one connection, opens no game socket and takes no seat; the chosen machine gets it", async () => {
  const { page, cards, card, backEnd, methods, playing } = await onTheFloor();
  for (let n = 0; n < Math.min(3, await cards.count()); n += 1) await cards.nth(n).hover();
  await card.hover();
  await expect.poll(() => peers(page), SOON).toEqual(["have-local-offer"]);
  expect([backEnd.opened.game.length, methods("init").length]).toEqual([0, 0]);
  await card.click();
  await playing();
  expect(await peers(page)).toEqual(["stable"]);
  expect([backEnd.opened.game.length, methods("init").length]).toEqual([1, 1]);
});

test("a connection that is not used is closed, and nothing comes of it", async () => {
  const { page, card, backEnd } = await onTheFloor();
  await card.hover();
  await expect.poll(() => peers(page), SOON).toEqual(["have-local-offer"]);
  await page.mouse.move(0, 0);
  await expect.poll(() => peers(page), SOON).toEqual(["closed"]);
  expect(backEnd.opened.game).toEqual([]);
});
