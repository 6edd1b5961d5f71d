import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { holdBack } from "./game-scene.ts";
import { PHONE, setUpGameStage } from "./game-stage.ts";
import { asSpectator, openToWatching } from "./game-world.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };
type Seen = { peers: RTCPeerConnection[] };

/** Keeps every connection of the page, for its counters. */
async function keepPeers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const peers: RTCPeerConnection[] = [];
    Object.assign(globalThis, { peers });
    globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
      construct(target, args, self) {
        const peer = Reflect.construct(target, args, self) as RTCPeerConnection;
        peers.push(peer);
        return peer;
      },
    });
  });
}

/** Packets of sound that came so far, and pictures that were decoded. A section that is switched off keeps its counters or loses them, as the browser likes. */
async function counters(page: Page): Promise<{ pictures: number; sound: number }> {
  return await page.evaluate(async () => {
    const peer = (globalThis as unknown as Seen).peers.findLast(
      ({ connectionState }) => connectionState === "connected",
    );
    const rows = peer === undefined ? [] : [...(await peer.getStats()).values()];
    const inbound = (kind: string) => rows.find((row) => row.type === "inbound-rtp" && row.kind === kind);
    return { pictures: inbound("video")?.framesDecoded ?? 0, sound: inbound("audio")?.packetsReceived ?? 0 };
  });
}

/** Whether no picture was decoded while a second of sound came. */
async function decodesNone(page: Page): Promise<boolean> {
  const { pictures, sound } = await counters(page);
  await expect.poll(async () => (await counters(page)).sound, SOON).toBeGreaterThan(sound + 50);
  return (await counters(page)).pictures === pictures;
}

/** Pictures that the page has shown. */
const shownPictures = (page: Page): Promise<number> =>
  page
    .locator("main video")
    .first()
    .evaluate((video) => (video as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames);

/** As when another tab is looked at: a headless browser shows every page. */
async function show(page: Page, state: "visible" | "hidden"): Promise<void> {
  await page.evaluate((now) => {
    Object.defineProperty(document, "visibilityState", { value: now, configurable: true });
    Object.defineProperty(document, "hidden", { value: now === "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}

test("a hidden page decodes no video while sound, meters and money go on; visible again, it shows the video", {
  tags: ["long"],
}, async () => {
  const game = await stage.openGame({
    init: (answer) => {
      answer.webcam = true;
    },
    prepare: (_, page) => keepPeers(page),
  });
  const { page, camera, complaints } = game;
  await game.playing();
  await page.locator("figure[data-shown=true]").waitFor();
  await show(page, "hidden");
  await expect.poll(async () => (await camera.connections()).at(-1)?.sends[0], SOON).toBe("inactive");
  await expect.poll(() => decodesNone(page), SOON).toBe(true);

  const { sound } = await counters(page);
  const { length: connections } = await camera.connections();
  game.meters({ credit: 123_400 });
  await expect.poll(() => page.locator("main").getAttribute("data-credit"), SOON).toBe("123400");
  game.notify("countdown", { code: "CODE_18802", count: 20 });
  await page.getByRole("timer").waitFor();
  await expect.poll(async () => (await counters(page)).sound, SOON).toBeGreaterThan(sound + 50);
  // Nothing is missed that was not wanted: no step of the recovery was taken, and it is the same connection.
  await expect.poll(() => page.locator("main").getAttribute("data-live")).toBe("true");
  await expect.poll(() => camera.connections()).toHaveLength(connections);

  const shown = await shownPictures(page);
  await show(page, "visible");
  await expect.poll(() => shownPictures(page), SOON).toBeGreaterThan(shown + 3);
  expect(complaints).toEqual([]);
});

test("a glance at another tab switches nothing off", { tags: ["long"] }, async () => {
  const game = await stage.openGame({ prepare: (_, page) => keepPeers(page) });
  await game.playing();
  await show(game.page, "hidden");
  await show(game.page, "visible");
  const { pictures } = await counters(game.page);
  await expect.poll(async () => (await counters(game.page)).pictures, SOON).toBeGreaterThan(pictures + 60);
  const sections = game.methods("offer").map((offer) => (offer as { sdp: string }).sdp.split("\nm=")[1]);
  expect(sections.filter((picture) => picture?.includes("a=inactive"))).toEqual([]);
});

test("the page shows that the browser blocks sound, on the volume button too, and a tap on its button starts it", {
  tags: ["long"],
}, async () => {
  const { page, playing } = await stage.openGame({ prepare: (_, it) => holdBack(it, ["audio"]) });
  await playing();
  const key = page.getByRole("status").getByRole("button", { name: "Tap for sound" });
  await key.waitFor();
  await page.getByRole("button", { name: "Unmute", exact: true }).waitFor();
  await key.click();
  await key.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Mute", exact: true }).waitFor();
  expect(await page.locator("audio").evaluate((audio: HTMLAudioElement) => audio.paused)).toBe(false);
});

test("on a phone the sound button leaves a spectator the whole video, with the meters at its bottom", {
  tags: ["long"],
}, async () => {
  const { page, playing } = await stage.openGame({
    ...{ from: "/watch/m_3/-", init: asSpectator, world: openToWatching, window: PHONE },
    prepare: (_, it) => holdBack(it, ["audio"]),
  });
  await playing();
  const key = page.getByRole("button", { name: "Tap for sound" });
  await key.waitFor();
  const above = async () => {
    const [sound, picture] = [await key.boundingBox(), await page.locator("video").first().boundingBox()];
    return (picture?.y ?? 0) - (sound?.y ?? Number.POSITIVE_INFINITY) - (sound?.height ?? 0);
  };
  await expect.poll(above).toBeGreaterThanOrEqual(0);
  await key.click();
  await key.waitFor({ state: "detached" });
});

test("the page first shows that a saving phone blocks video, and one gesture starts it with the sound", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.openGame({ prepare: (_, it) => holdBack(it, ["audio", "video"]) });
  const key = page.getByRole("button", { name: "Tap to start the picture" });
  await key.waitFor();
  expect(await page.getByRole("button", { name: "Tap for sound" }).count()).toBe(0);
  await page.keyboard.press("Shift");
  await key.waitFor({ state: "detached" });
  await page.locator("main [data-started=true]").waitFor();
  const paused = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("main video, main audio")].map((one) => (one as HTMLMediaElement).paused),
    );
  await expect.poll(paused, SOON).toEqual([false, false]);
});
