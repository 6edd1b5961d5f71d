import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { JanusRoom } from "../rig/media-server/janus.ts";
import { openJanus, openJanusRoom, ownAddress } from "../rig/media-server/janus.ts";
import type { WhipServer } from "../rig/media-server/whip-server.ts";
import { openWhipServer } from "../rig/media-server/whip-server.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* An agent publishes its machine to a media server that others wrote: Debian's Janus behind Debian's Simple WHIP Server. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
const TOKEN = "the-publishers-token";
const say = (): void => undefined;
const undo: (() => unknown)[] = [];
let browser: Browser;
let venue: TestVenue;
let room: JanusRoom;
let whip: WhipServer;

beforeAll(async () => {
  const address = ownAddress();
  if (address === undefined)
    throw new Error("Janus sends from no address but one of a network: connect this computer.");
  const janus = await openJanus({ address, plugin: "videoroom", say });
  undo.push(janus.close);
  room = await openJanusRoom(janus.url);
  undo.push(room.close);
  whip = await openWhipServer(janus.url, say);
  undo.push(whip.close);
  const endpoint = await whip.addEndpoint(MACHINE, room.id, TOKEN);
  const crowd = { CROWD_WHIP: endpoint.replace(MACHINE, "{machine}"), CROWD_TOKEN: TOKEN, CROWD_FROM: "0" };
  venue = await openTestVenue({ machines: 1, agentEnv: { ...crowd, CANDIDATES_OPEN: `${address}/32` } });
  undo.push(venue.close);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  for (const step of undo.reverse()) await step();
});

test("Janus takes the video over WHIP, and shows it to two watchers, one of whom comes later", {
  tags: ["long"],
}, async () => {
  await expect.poll(() => whip.publishing(), SOON).toEqual([MACHINE]);
  const [publisher = 0] = await publishers(1);
  const first = await watch(publisher);
  await expect.poll(() => framesOf(first), SOON).toBeGreaterThan(30);
  // The encoder makes no key frame by itself: the server requests one for each who comes.
  const second = await watch(publisher);
  await expect.poll(() => framesOf(second), SOON).toBeGreaterThan(30);
  expect(await first.evaluate(() => document.querySelector("video")?.videoWidth)).toBeGreaterThan(300);
});

test("the end of the agent ends the session at the server", { tags: ["long"] }, async () => {
  await publishers(1);
  await venue.agent.stop();
  await expect.poll(() => whip.publishing(), SOON).toEqual([]);
  await publishers(0);
});

async function publishers(count: number): Promise<readonly number[]> {
  await expect.poll(async () => (await room.publishers()).length, SOON).toBe(count);
  return await room.publishers();
}

/** A page that watches at the media server. */
async function watch(publisher: number): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const { offer, start } = await room.watch(publisher);
  await start(await page.evaluate(answerOffer, offer));
  return page;
}

/** Runs in the page. Self-contained: it is sent as text. */
async function answerOffer(sdp: string): Promise<string> {
  const peer = new RTCPeerConnection();
  Object.assign(globalThis, { longarmPeer: peer });
  const video = Object.assign(document.createElement("video"), { muted: true, autoplay: true });
  const stream = new MediaStream();
  peer.ontrack = ({ track }) => stream.addTrack(track);
  video.srcObject = stream;
  document.body.append(video);
  await peer.setRemoteDescription({ type: "offer", sdp });
  await peer.setLocalDescription(await peer.createAnswer());
  while (peer.iceGatheringState !== "complete") await new Promise((looked) => setTimeout(looked, 10));
  return peer.localDescription?.sdp ?? "";
}

const framesOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector("video")?.getVideoPlaybackQuality().totalVideoFrames ?? 0);
