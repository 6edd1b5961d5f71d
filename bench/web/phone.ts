import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import type { Rig } from "../rig/rig.ts";

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

/** Somebody with a phone, who has never been here. English, unless the page is told otherwise. */
export async function newPhone(rig: Rig): Promise<BrowserContext> {
  const context = await rig.browser.newContext(PHONE);
  await context.addInitScript(() => {
    if (localStorage.getItem("longarm.language") === null) localStorage.setItem("longarm.language", "en");
  });
  context.setDefaultTimeout(60_000);
  return context;
}

/** A page on that phone: its processor is slow and, where it is asked for, its network too. */
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
