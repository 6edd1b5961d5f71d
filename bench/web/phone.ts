import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import type { ScriptedBackEnd } from "../../e2e/scripted/back-end.ts";
import { startScriptedBackEnd } from "../../e2e/scripted/back-end.ts";
import type { World } from "../../e2e/scripted/world.ts";
import { scriptedWorld } from "../../e2e/scripted/world.ts";
import { ROOT } from "../../launcher/venue.ts";
import type { Setup } from "../setup/setup.ts";
import { within } from "../setup/setup.ts";

/** A mid-range phone's window. */
const PHONE: BrowserContextOptions = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
};
/** This computer's processor this many times slower, about that of a cheap phone: what the makers of Chromium take for one. */
export const SLOWER = 4;
/**
 * "Fast 4G" as Chromium's developer tools and Puppeteer have it: 9 Mbit/s down, 1.5 up, 60 ms of round trip. Shaping single requests
 * is kinder than shaping packets, so both take 0.9 of the rates and 2.75 of the round trip. Bytes a second, and ms for each request.
 */
const FAST_4G = {
  offline: false,
  downloadThroughput: ((9 * 1_000_000) / 8) * 0.9,
  uploadThroughput: ((1.5 * 1_000_000) / 8) * 0.9,
  latency: 60 * 2.75,
};

/** Somebody with a phone, who has never been here. English by default. */
export async function newPhone(setup: Setup): Promise<BrowserContext> {
  const context = await setup.browser.newContext(PHONE);
  await context.addInitScript(() => {
    if (localStorage.getItem("longarm.language") === null) localStorage.setItem("longarm.language", "en");
  });
  context.setDefaultTimeout(60_000);
  return context;
}

/** A page on that phone: its processor is slow and, on request, its network too. */
export async function slowPage(
  context: BrowserContext,
  slow: { readonly network: boolean },
): Promise<{ page: Page; cdp: CDPSession }> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await cdp.send("Network.enable");
  if (slow.network) await cdp.send("Network.emulateNetworkConditions", FAST_4G);
  return { page, cdp };
}

/** Changes of machines' statuses that a lobby under load receives. */
const CHANGES_A_SECOND = 200;
const SIGN_IN_MS = 3_600_000;
const PATIENCE_MS = 60_000;
const BRANDS = ["Nar", "Kuzey", "Pera", "Mercan"];

/** A back end with a floor of any size, whose machines change as the measurement wants. */
export async function startFloor(count: number): Promise<ScriptedBackEnd> {
  const world = scriptedWorld(Date.now() + SIGN_IN_MS);
  // No summary of a sign-in before lies over the floor.
  delete world.signIn["last_logon"];
  world.machines = floorOf(count);
  world.settings["updateLobby"] = 0;
  const expSeconds = Math.floor((Date.now() + SIGN_IN_MS) / 1_000);
  return await startScriptedBackEnd(world, join(ROOT, "apps/web/dist"), expSeconds);
}

/** Opens its lobby; resolves once cards are shown and the page listens. */
export async function openFloor(page: Page, backEnd: ScriptedBackEnd): Promise<void> {
  await page.goto(`${backEnd.url}/lobby?token=${backEnd.token}`);
  await page.locator("article").first().waitFor({ timeout: PATIENCE_MS });
  if (!(await within(PATIENCE_MS, async () => backEnd.listening() === 1))) throw new Error("The page does not listen.");
}

/** Sends 200 changes a second for a while; `each` is called some hundred times a second meanwhile. */
export async function pushChanges(
  { push, world }: ScriptedBackEnd,
  durationMs: number,
  each?: (passedMs: number) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  let sent = 0;
  for (let passed = 0; passed < durationMs; passed = performance.now() - started) {
    for (; sent < (passed / 1_000) * CHANGES_A_SECOND; sent += 1) {
      const machine = world.machines[(sent * 7) % world.machines.length];
      if (machine === undefined) continue;
      machine.status = (machine.status % 4) + 1;
      push("machine", { id: machine.id, status: machine.status });
    }
    await each?.(passed);
    await pause(5);
  }
}

function floorOf(count: number): World["machines"] {
  return Array.from({ length: count }, (_, index) => {
    const brand = BRANDS[index % BRANDS.length] ?? "";
    return { id: `m_${index}`, name: `${brand} ${index}`, brand, status: (index % 4) + 1 };
  });
}
