import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, PHONE, setUpStage } from "./game-stage.ts";

/* The tabs Breaks and Help of Safer play. */

const stage = setUpStage();
const OFFERED = {
  closed: null,
  timeOutHours: [24, 72, 168, 336, 672, 1_008],
  exclusionMonths: [6, 12, 24, 60],
  panicHours: 24,
};
const BEGIN = "POST /v1/player/breaks";
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
type Window = Omit<typeof DESK | typeof PHONE, "language"> & { readonly language: "tr" | "en" | "ar" };

async function openTab(tab: "breaks" | "help", { window = DESK as Window, helpList = [] as object[] } = {}) {
  const played = await stage.open(`/safer-play?tab=${tab}`, {
    window,
    world: (world) => {
      world.settings["helpList"] = helpList;
    },
    before: async (_page, backEnd) => {
      backEnd.script("GET /v1/player/breaks", () => ok(OFFERED));
    },
  });
  await played.page.locator("#page h2").first().waitFor();
  const begun: unknown[] = [];
  played.backEnd.script(BEGIN, ({ body }) => {
    begun.push(body);
    const closed = { kind: "timeOut", from: inHours(0), until: inHours(168) };
    played.backEnd.world.signIn["play_closed"] = closed;
    return ok({ ...OFFERED, closed });
  });
  return { ...played, begun };
}

test("nothing is chosen in advance; a length shows its end, and one confirmation begins the break", async () => {
  const { page, begun } = await openTab("breaks");
  await expect.poll(() => page.locator("#page").getByRole("radio", { checked: true }).count()).toBe(0);
  await page.getByRole("radio", { name: "1 week" }).check();
  await page.getByRole("button", { name: "Take a break 1 week" }).click();
  const sheet = page.getByRole("dialog", { name: "Take a break: 1 week?" });
  await sheet.getByText("It begins at once.").waitFor();
  await sheet.getByRole("button", { name: "Back, change nothing" }).click();
  await expect.poll(() => begun).toEqual([]);
  await page.getByRole("button", { name: "Take a break 1 week" }).click();
  await sheet.getByRole("button", { name: "Take a break 1 week" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/closed");
  expect(begun).toEqual([{ kind: "timeOut", hours: 168 }]);
});

test("the panic key begins a break with one press", async () => {
  const { page, begun } = await openTab("breaks");
  await page.getByRole("button", { name: "Pause for 24 hours" }).click();
  await expect.poll(() => begun).toEqual([{ kind: "panic" }]);
  await expect.poll(() => new URL(page.url()).pathname).toBe("/closed");
});

test("a self-exclusion says that it does not end by itself", async () => {
  const { page, begun } = await openTab("breaks");
  await page.getByRole("radio", { name: "6 months" }).check();
  await page.getByRole("button", { name: "Close play 6 months" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("After that nothing opens by itself.", { exact: false }).waitFor();
  await sheet.getByRole("button", { name: "Close play 6 months" }).click();
  await expect.poll(() => begun).toEqual([{ kind: "exclusion", months: 6 }]);
});

test("a break that did not begin is said, and can be tried again", async () => {
  const { page, backEnd } = await openTab("breaks");
  backEnd.script(BEGIN, () => refused(500, 500));
  await page.getByRole("button", { name: "Pause for 24 hours" }).click();
  await page.getByRole("alert").first().waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Pause for 24 hours" }).isEnabled()).toBe(true);
  expect(new URL(page.url()).pathname).toBe("/safer-play");
});

test("help shows the first line as a number to call, and says when there is none", async () => {
  const line = { name: "YEDAM", about: { en: "Free, day and night" }, phone: "115" };
  const site = { name: "Gambling Therapy", url: "https://www.gamblingtherapy.org" };
  const { page } = await openTab("help", { helpList: [site, line] });
  await expect.poll(() => page.getByRole("link", { name: "Call" }).getAttribute("href")).toBe("tel:115");
  const other = page.getByRole("link", { name: "Gambling Therapy" });
  await expect.poll(() => other.getAttribute("href")).toBe(site.url);
  await expect.poll(() => other.getAttribute("rel")).toContain("noopener");
  const empty = await openTab("help");
  await empty.page.getByText("This casino has not entered", { exact: false }).waitFor();
});

test.each([
  ["breaks", DESK, "en"],
  ["breaks", PHONE, "ar"],
  ["breaks", PHONE, "tr"],
  ["help", DESK, "tr"],
  ["help", PHONE, "ar"],
] as const)("the tab %s is clean for assistive technology, and nothing is cut off", async (tab, window, language) => {
  const helpList = [
    { name: "YEDAM", phone: "115" },
    { name: "Gambling Therapy", url: "https://example.org", about: "Chat" },
  ];
  const { page } = await openTab(tab, { window: { ...window, language }, helpList });
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});
