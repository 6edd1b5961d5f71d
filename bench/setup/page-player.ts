import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Venue } from "../../launcher/venue.ts";
import { seededRandom } from "../../rig/chance.ts";
import type { DamagedPath, MediaPath } from "../../rig/faults/media-path.ts";
import { damagePath } from "../../rig/faults/media-path.ts";
import { confirmLeave, GAME, logIn, playTexts } from "../../rig/page/game-page.ts";
import { relayOnly } from "../../rig/page/visitor.ts";
import type { Credentials } from "../../rig/player.ts";
import type { ConnectionTimes, Probe, ReceiverSums, Seen } from "./probe.ts";
import type { Setup } from "./setup.ts";
import { within } from "./setup.ts";

type Holder = { longarmProbe: Probe };
const words = playTexts("en");
/** Whole currency units; enough for every game of a measurement. */
const CREDIT = 1_000;
/** Small, because drawing a large window without a graphics card would take the time that is to be measured. */
export const WINDOW = { width: 1024, height: 640 };
const GAME_LIMIT_MS = 10_000;

/** Somebody with a browser window of their own who plays as people do: by the page, its cards and its keys. */
export type BenchPlayer = {
  readonly page: Page;
  /** The relays between the page and the agent; null: straight. */
  readonly path: DamagedPath | null;
  /** What was seen since the last reading. */
  take(): Promise<Seen>;
  /** Of every connection that the page has made. */
  connections(): Promise<readonly ConnectionTimes[]>;
  /** Of the current connection. */
  sums(): Promise<ReceiverSums | null>;
  /** Clicks a machine's card, after the pointer has rested at it for so long (none); resolves with the first picture. */
  sitDown(machineId: string, pointedMs?: number): Promise<void>;
  cashIn(): Promise<void>;
  /** What the page shows as the machine's credit, minor units. */
  credit(): Promise<number>;
  /** Keeps the reels turning for so long, one press at a time. */
  spinFor(durationMs: number): Promise<{ presses: number }>;
  /** The reels turn, by what the page says. */
  turning(): Promise<boolean>;
  leave(): Promise<void>;
  close(): Promise<void>;
};

/** What of the setup a player needs; the TURN server only for a way through it. */
type PlayerSetup = Pick<Setup, "browser" | "probe"> & {
  readonly venue: Pick<Venue, "href">;
  readonly turnServer?: Setup["turnServer"];
};

type PlayerWishes = {
  /** See `Condition`. */
  readonly turn?: "udp" | "tcp";
  /** Has the room camera off, which the web shows by default. */
  readonly withoutRoom?: boolean;
  /** Has chosen to see frames evenly rather than at once. */
  readonly smooth?: boolean;
};

/** `damage`: see `Condition`. */
export async function openPlayer(
  setup: PlayerSetup,
  player: Credentials,
  damage: MediaPath | null,
  { turn, withoutRoom = false, smooth = false }: PlayerWishes = {},
): Promise<BenchPlayer> {
  const context = await setup.browser.newContext({ viewport: WINDOW });
  await context.addInitScript(setup.probe);
  await context.addInitScript(
    ([roomOff, evenly]) => {
      if (!location.protocol.startsWith("http")) return;
      localStorage.setItem("longarm.language", "en");
      if (roomOff) localStorage.setItem("longarm.roomCamera", "off bottomStart");
      if (evenly) localStorage.setItem("longarm.smooth", "on");
    },
    [withoutRoom, smooth] as const,
  );
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const path = damage && (await damagePath(page, damage, seededRandom("bench")));
  if (turn !== undefined) await relayOnly(page, turn, await setup.turnServer?.());
  await logIn(page, setup.venue.href, player);
  const game = (name: string) => page.locator(GAME).getAttribute(`data-${name}`);
  const credit = async () => Number(await game("credit"));
  const take = (): Promise<Seen> => page.evaluate(() => (globalThis as unknown as Holder).longarmProbe.take());

  return {
    page,
    path,
    take,
    connections: () => page.evaluate(() => (globalThis as unknown as Holder).longarmProbe.connections()),
    sums: () => page.evaluate(() => (globalThis as unknown as Holder).longarmProbe.sums()),
    async sitDown(machineId, pointedMs = 0) {
      const card = page.locator(`[data-machine="${machineId}"][data-lamp=available] a`);
      if (pointedMs > 0) {
        await card.hover();
        await pause(pointedMs);
        // What sums up the last session may have come over the lobby meanwhile, and would take the click.
        await card.hover();
      }
      await card.click();
      await page.locator(`${GAME}[data-phase=playing][data-live=true]`).waitFor();
    },
    credit,
    async cashIn() {
      const before = await credit();
      await page.getByRole("button", { name: words["transfer"] ?? "", exact: true }).click();
      await page.getByRole("textbox", { name: words["amount"] ?? "" }).fill(String(CREDIT));
      await page.locator("form button[type=submit]").click();
      await page.locator("form button[type=submit]").waitFor({ state: "detached" });
      if (!(await within(10_000, async () => Number(await game("credit")) > before)))
        throw new Error("The credit did not come.");
    },
    spinFor: (durationMs) => spin(page, async () => (await game("turning")) === "true", durationMs),
    turning: async () => (await game("turning")) === "true",
    async leave() {
      // Credits cannot go back during a game.
      await within(GAME_LIMIT_MS, async () => (await game("turning")) !== "true");
      await page.getByRole("button", { name: words["toLobby"] ?? "" }).click();
      await confirmLeave(page);
      await page.waitForURL("**/lobby**", { waitUntil: "commit" });
      await page.locator("[data-machine]").first().waitFor();
    },
    async close() {
      await context.close();
      path?.close();
    },
  };
}

const PRESS_LIMIT_MS = 3_000;

/** Keeps the reels turning for so long, one press of the Space key at a time. */
export async function spin(
  page: Page,
  turning: () => Promise<boolean>,
  durationMs: number,
): Promise<{ presses: number }> {
  const endsAt = performance.now() + durationMs;
  let presses = 0;
  while (performance.now() < endsAt) {
    const rests = await within(endsAt - performance.now(), async () => !(await turning()));
    if (!rests) break;
    // Away from the beat of the pictures, which starts the reels anew with each game.
    await pause(Math.random() * 50);
    presses += 1;
    await page.keyboard.press("Space");
    await within(PRESS_LIMIT_MS, turning);
  }
  return { presses };
}
