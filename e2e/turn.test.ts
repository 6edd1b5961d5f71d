/** @module-tag long */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { relayServer, tryRelay } from "../apps/agent/src/media/transport/werift/relay.ts";
import { systemClock } from "../apps/agent/src/system-clock.ts";
import { ROOT } from "../launcher/venue.ts";
import { cashIn, leave, logIn, playGame, sitDown } from "../rig/page/game-page.ts";
import { arrive, DESK, frameGaps, mediaFacts, relayOnly } from "../rig/page/visitor.ts";
import { DENIZ, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import type { TurnServer } from "../rig/venue/turn-server.ts";
import { openTurnServer } from "../rig/venue/turn-server.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* A real coturn between browser and agent: for a network that lets nothing else through, on the one side or on both. */

const SOON = { timeout: 30_000, interval: 100 };
const MACHINE = "nar-01";
const clock = systemClock();
let turn: TurnServer;
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  turn = await openTurnServer();
  const platformEnv = { TURN_URLS: turn.urls.join(","), TURN_SECRET: turn.secret };
  venue = await openTestVenue({ web: true, machines: 1, platformEnv });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
  await turn?.close();
});

/** Sits down through TURN alone, plays a game, and gets up again; `look` is called in between. */
async function plays(protocol: "udp" | "tcp", look: (page: Page) => Promise<void>): Promise<void> {
  const { page, context } = await arrive(browser, DESK, "tr");
  await relayOnly(page, protocol);
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "tr");
  await playGame(page);
  await frameGaps(page, 30);
  await look(page);
  await leave(page, "tr");
  await context.close();
}

async function mintedFor(viewer: Awaited<ReturnType<typeof signIn>>): Promise<IceServer> {
  const page = await viewer.open(MACHINE);
  const answer = await page.init();
  if (answer.is !== "done") throw new Error("the player was refused");
  page.drop();
  return answer.data.iceServers[0] ?? { urls: [] };
}

test("each init mints TURN credentials of its own, which coturn takes; expired or altered ones it refuses", async () => {
  const player = await signIn(venue.href, DENIZ);
  const one = await mintedFor(player);
  expect(one).toMatchObject({ urls: [...turn.urls] });
  let two = one;
  // Their time is in whole seconds.
  await expect
    .poll(async () => {
      two = await mintedFor(player);
      return two.username;
    }, SOON)
    .not.toBe(one.username);
  expect(two.credential).not.toBe(one.credential);
  expect(two.username?.split(":")[1]).toBe(one.username?.split(":")[1]);
  const expiresInS = Number(one.username?.split(":")[0]) - clock.now() / 1_000;
  expect(expiresInS).toBeGreaterThan(0);
  expect(expiresInS).toBeLessThanOrEqual(600);

  const works = async (server: IceServer) => (await tryRelay(server, clock)).map((found) => found.works);
  expect(await works(one)).toEqual([true, true]);
  const old = `${Math.floor(clock.now() / 1_000) - 60}:v_1`;
  const expired = { username: old, credential: createHmac("sha1", turn.secret).update(old).digest("base64") };
  const altered = { username: one.username ?? "", credential: two.credential ?? "" };
  const refused = await Promise.all([expired, altered].map((wrong) => works({ urls: turn.urls[0], ...wrong })));
  expect(refused).toEqual([[false], [false]]);
});

test("coturn runs by the configuration that we give, and does not relay into its own network", async () => {
  const strict = await openTurnServer(join(ROOT, "deploy/coturn/turnserver.conf"));
  try {
    const server = relayServer(strict.urls, strict.secret, clock.now());
    for (const found of await tryRelay(server, clock)) {
      expect(found).toMatchObject({
        works: false,
        sentence: expect.stringMatching(/gave a place .* did not come back/),
      });
    }
  } finally {
    await strict.close();
  }
});

test.each(["udp", "tcp"] as const)("a browser that only TURN lets out plays through it over %s", async (protocol) => {
  await plays(protocol, async (page) => {
    await expect.poll(() => mediaFacts(page), SOON).toMatchObject({ way: "relay", relayProtocol: protocol });
  });
});

test("an agent that relays too meets it there, and its places are given back", async () => {
  await venue.agent.kill();
  await venue.agent.restart({ ICE_RELAY: "only", CANDIDATES_OPEN: "127.0.0.0/8" });
  await plays("udp", async (page) => {
    await expect.poll(() => mediaFacts(page), SOON).toMatchObject({ way: "relay", theirWay: "relay" });
  });
  await expect.poll(() => turn.placesOpen(), SOON).toEqual([]);
});
