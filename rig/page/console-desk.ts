import type { Browser, BrowserContext, Page } from "playwright-core";

type ConsoleWindow = { readonly width: number; readonly height: number };

/** A member of staff's own browser, whose virtual authenticator knows its person. */
type ConsoleDesk = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page threw, or was forbidden by the content policy. */
  readonly complaints: string[];
};

/** A busy computer is not a fault, ms. */
const PATIENCE_MS = 120_000;

export async function openDesk(
  browser: Browser,
  {
    size = { width: 1440, height: 900 },
    locale = "en-GB",
  }: { readonly size?: ConsoleWindow; readonly locale?: string } = {},
): Promise<ConsoleDesk> {
  const context = await browser.newContext({ viewport: size, locale, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  context.on("weberror", (problem) => complaints.push(problem.error().message));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      reportError(new Error(`The content policy forbids ${violatedDirective} ${blockedURI}`)),
    );
  });
  const page = await context.newPage();
  // What has just come lies over the page until somebody closes it.
  const banner = page
    .getByRole("region", { name: "Notifications", exact: true })
    .getByRole("button", { name: "Close" });
  await page.addLocatorHandler(banner.first(), (close) => close.click(), { noWaitAfter: true });
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { context, page, complaints };
}

/** The page's title, once it is shown. */
export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole("button", { name, exact: true }).click();

/** Makes a passkey with a one-time link, in English, and enters the console. */
export async function acceptInvitation(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await press(page, "Make a passkey");
  await page.getByRole("checkbox", { name: "I have kept the codes" }).check();
  await press(page, "Open the console");
  await page.locator("#page").waitFor();
}

/** Goes to another page of the console without loading it anew, and waits until every panel has its rows. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    if (location.pathname + location.search === to) return;
    document.getElementById("page")?.setAttribute("data-left", "");
    history.pushState(null, "", to);
  }, path);
  await page.locator("#page:not([data-left])").waitFor();
  await rowsShown(page);
}

/** Waits until nothing of the page is still being loaded. */
const rowsShown = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => document.querySelector("main [aria-busy=true]") === null);
};
