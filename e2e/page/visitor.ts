import type { Browser, BrowserContext, Page } from "playwright-core";
import { addInstruments } from "./instruments.ts";
import type { TextLanguage } from "./texts.ts";

export type Device = { readonly width: number; readonly height: number; readonly touch?: boolean };
export const DESK: Device = { width: 1440, height: 900 };
export const PHONE: Device = { width: 390, height: 844, touch: true };

/** A person with a browser of their own: nothing is shared with another one. */
export type Visitor = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Whatever the page wrote to its console, threw, or was forbidden by the content policy. */
  readonly complaints: string[];
};

export async function arrive(browser: Browser, device: Device, language: TextLanguage): Promise<Visitor> {
  const { width, height, touch = false } = device;
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, isMobile: touch });
  // A busy computer is not a fault.
  context.setDefaultTimeout(120_000);
  await addInstruments(context);
  await context.addInitScript((spoken) => {
    // An empty page that is still on its way has no storage.
    if (!location.protocol.startsWith("http")) return;
    if (localStorage.getItem("longarm.language") === null) localStorage.setItem("longarm.language", spoken);
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      reportError(new Error(`The content policy forbids ${violatedDirective} ${blockedURI}`)),
    );
  }, language);
  const complaints: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  context.on("weberror", (problem) => complaints.push(problem.error().message));
  return { context, page: await context.newPage(), complaints };
}
