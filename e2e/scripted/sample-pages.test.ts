import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, PHONE, setUpTemplateStage } from "./game-stage.ts";
import { asRole } from "./template/as-role.ts";
import { drawn, goTo } from "./template/tour.ts";

const stage = setUpTemplateStage();
const at = (page: string) => `/pages/auth/${page}`;
const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const field = (page: Page, name: string) => page.locator(`#page input[name=${name}]`);
const submit = (page: Page) => page.locator("#page button[type=submit]");
const EXAMPLE = "This page is an example: nothing was sent.";
/** The paths that the page's content leads to, in its order. */
const leads = (page: Page) =>
  page.locator("#page a[href^='/']").evaluateAll((links) => links.map((link) => link.getAttribute("href")));

type Look = {
  readonly heading: string;
  readonly fields: readonly string[];
  readonly submit?: string;
  readonly leads: readonly string[];
};
const login = { heading: "Log in to your account", fields: ["Email", "Password"], submit: "Log in" };
const register = {
  heading: "Create an account",
  fields: ["Name", "Email", "Password", "Password (Confirm)"],
  submit: "Create an account",
};
const forgot = { heading: "Recover your password", fields: ["Email"], submit: "Send reset link" };
const reset = {
  heading: "Reset your password",
  fields: ["Email", "Password", "Password (Confirm)"],
  submit: "Reset my password",
};
const lock = { heading: "Your session is locked", fields: ["User name", "Password"], submit: "Unlock" };

const AUTH_PAGES: readonly [row: string, path: string, shape: string, look: Look][] = [
  ["R-2.1-29", "login", "card", { ...login, leads: ["forgot-password", "register"] }],
  ["R-2.1-30", "login-2", "split", { ...login, leads: ["forgot-password-2", "register-2"] }],
  ["R-2.1-31", "login-3", "wide", { ...login, leads: ["forgot-password-2", "register-3"] }],
  ["R-2.1-32", "register", "card", { ...register, leads: ["login"] }],
  ["R-2.1-33", "register-2", "split", { ...register, leads: ["login-2"] }],
  ["R-2.1-34", "register-3", "wide", { ...register, leads: ["login-3"] }],
  ["R-2.1-35", "forgot-password", "card", { ...forgot, leads: ["login"] }],
  ["R-2.1-36", "forgot-password-2", "split", { ...forgot, leads: ["login-2"] }],
  ["R-2.1-37", "reset-password", "card", { ...reset, leads: ["login"] }],
  ["R-2.1-38", "reset-password-2", "split", { ...reset, leads: ["login-2"] }],
  ["R-2.1-39", "lock", "card", { ...lock, leads: ["login"] }],
  ["R-2.1-40", "mail-confirm", "card", { heading: "Confirm your email address", fields: [], leads: ["login"] }],
];

test(`${AUTH_PAGES.map(([row]) => row).join(", ")}: each page of /pages/auth is open to everybody, in its form`, async () => {
  const { page, complaints } = await stage.open(at("login"), { guest: true });
  for (const [, path, shape, look] of AUTH_PAGES) {
    await goTo(page, at(path));
    await drawn(page, at(path));
    await heading(page).getByText(look.heading, { exact: true }).waitFor();
    await expect.poll(() => heading(page).count()).toBe(1);
    await expect.poll(() => page.locator("#page label:has(+ div)").allInnerTexts()).toEqual(look.fields);
    await expect.poll(() => submit(page).allInnerTexts()).toEqual(look.submit === undefined ? [] : [look.submit]);
    await expect.poll(() => leads(page)).toEqual(look.leads.map(at));
    await expect.poll(() => page.getByText("Good to see you on the floor").isVisible()).toBe(shape !== "card");
  }
  expect(complaints).toEqual([]);
});

test("the introduction of a wide card is hidden on a phone, that of a split page stays", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open(at("login-3"), { guest: true, window: PHONE });
  const welcome = page.getByText("Good to see you on the floor");
  await heading(page).waitFor();
  expect(await welcome.isVisible()).toBe(false);
  await page.goto(new URL(at("login-2"), page.url()).href);
  await welcome.waitFor();
  expect(await overflowOf(page)).toBe(0);
});

test("a sample form says what is wrong in its own words, wakes its key once all is right, and sends nothing", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open(at("reset-password"), { guest: true });
  await field(page, "email").fill("selin@");
  await field(page, "password").fill("1234567");
  await field(page, "confirm").fill("12345678");
  for (const text of [
    "You must enter a valid email",
    "Password is too short - should be 8 chars minimum.",
    "Passwords must match",
  ]) {
    await page.getByText(text, { exact: true }).waitFor();
  }
  await expect.poll(() => submit(page).isDisabled()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await field(page, "email").fill("selin@example.test");
  await field(page, "password").fill("12345678");
  await expect.poll(() => submit(page).isEnabled()).toBe(true);
  await submit(page).click();
  await page.getByText(EXAMPLE).first().waitFor();
  expect(await field(page, "email").inputValue()).toBe("");
  await expect.poll(() => field(page, "email").evaluate((input) => input === document.activeElement)).toBe(true);
  await expect.poll(() => submit(page).isDisabled()).toBe(true);
  expect(backEnd.calls).toEqual([]);
});

test("an empty field is asked for again, and the terms when nothing else is missing", { tags: ["long"] }, async () => {
  const { page } = await stage.open(at("register-2"), { guest: true, window: PHONE });
  await field(page, "email").fill("a");
  await field(page, "email").fill("");
  await field(page, "password").fill("a");
  await field(page, "password").fill("");
  await field(page, "name").focus();
  await page.getByRole("alert").getByText("You must enter a email").waitFor();
  await page.getByRole("alert").getByText("Please enter your password.").waitFor();
  await field(page, "name").fill("Selin");
  await field(page, "email").fill("selin@example.test");
  await field(page, "password").fill("12345678");
  await field(page, "confirm").fill("12345678");
  await page.getByText("The terms and conditions must be accepted.").waitFor();
  await expect.poll(() => submit(page).isDisabled()).toBe(true);
  await page.getByRole("checkbox").check();
  await expect.poll(() => submit(page).isEnabled()).toBe(true);
});

test("R-2.1-41: /pages/coming-soon counts fifteen days down by the clock, and takes an address", async () => {
  const { page, backEnd } = await stage.open("/pages/coming-soon", { guest: true, clock: true });
  const timer = page.getByRole("timer");
  await timer.waitFor();
  const left = async () => {
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = (await timer.innerText()).match(/\d+/g)?.map(Number) ?? [];
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  };
  const start = await left();
  expect(start).toBeLessThanOrEqual(15 * 86_400);
  expect(start).toBeGreaterThan(14 * 86_400);
  await expect.poll(left).toBeLessThan(start);
  await page.clock.fastForward(26 * 3_600_000);
  await expect.poll(left).toBeLessThanOrEqual(start - 26 * 3_600);
  await field(page, "email").fill("selin@example.test");
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText(EXAMPLE).first().waitFor();
  expect(backEnd.calls).toEqual([]);
});

test("R-2.1-43: /pages/errors/error-500 says that the server failed, and leads back", async () => {
  const { page, complaints } = await stage.open("/pages/errors/error-500", { guest: true });
  await page.getByRole("heading", { level: 1, name: "500" }).waitFor();
  await page.getByText("Something went wrong on our side").waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Report this problem" }).getAttribute("href")).toBe("/");
  expect(complaints).toEqual([]);
});

test.each([
  ["R-2.1-26", "admin", "admin", ["Admin"]],
  ["R-2.1-27", "admin", "staff", ["Staff"]],
  ["R-2.1-27", "staff", "staff", ["Staff"]],
] as const)(
  "%s: a player with the role %s sees the page of the role %s, and may log out",
  { tags: ["long"] },
  async (_, role, of, [title]) => {
    const { page, complaints } = await stage.open(`/auth/${of}-role-example`, { before: asRole(role) });
    await page.getByRole("heading", { level: 1, name: `${title}: Auth role example page` }).waitFor();
    await expect.poll(() => page.locator("#page pre").count()).toBe(2);
    await expect.poll(() => leads(page)).toEqual(["/logout"]);
    expect(complaints).toEqual([]);
  },
);

test.each([
  ["R-2.1-26", "admin"],
  ["R-2.1-27", "staff"],
  ["R-2.1-28", "guest"],
])("%s: a player who opens the page of the role %s is led to the lobby", async (_, of) => {
  const { page, path } = await stage.open(`/auth/${of}-role-example`);
  await page.locator("article").first().waitFor();
  await expect.poll(path).toBe("/lobby");
});

test("R-2.1-28: a guest sees the page for guests, which has nothing to log out of", { tags: ["long"] }, async () => {
  const { page, complaints } = await stage.open("/auth/guest-role-example", { guest: true });
  await page.getByRole("heading", { level: 1, name: "Guest: Auth role example page" }).waitFor();
  expect(await leads(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("R-2.1-44: /pages/profile has three tabs; likes, comments and posts stay in the page", async () => {
  const { page, backEnd, complaints } = await stage.open("/pages/profile");
  await heading(page).getByText("Selin Korkmaz").waitFor();
  await expect.poll(() => page.getByRole("tab").allInnerTexts()).toEqual(["Timeline", "About", "Photos & Videos"]);
  const called = backEnd.calls.length;
  const first = page.getByRole("article").first();
  await first.getByRole("button", { name: "Like (5)" }).click();
  await first.getByRole("button", { name: "Like (6)", pressed: true }).waitFor();
  await first.getByRole("button", { name: "Reply to Elif Kaya" }).click();
  await page.keyboard.type("so it is");
  await page.keyboard.press("Enter");
  await first.getByText("@Elif Kaya so it is").waitFor();
  await page.getByRole("textbox", { name: "Write something.." }).fill("Lights on");
  await page.getByRole("button", { name: "Add a video" }).click();
  await page.getByRole("button", { name: "Post", exact: true }).click();
  await page.getByRole("article", { name: "Selin Korkmaz shared a video" }).getByText("Lights on").waitFor();
  await page.getByRole("button", { name: "Follow" }).click();
  await page.getByRole("button", { name: "Follow", pressed: true }).waitFor();
  await page.getByRole("tab", { name: "About" }).click();
  await page.getByRole("region", { name: "General Information" }).getByText("17 April 1991").waitFor();
  await expect
    .poll(() => page.getByRole("tabpanel").getByRole("heading", { level: 2 }).allInnerTexts())
    .toEqual([...["General Information", "Work", "Contact", "Friends", "Joined Groups"]]);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("tab", { name: "About" }).press("ArrowRight");
  await page.getByRole("region", { name: "October 2026" }).waitFor();
  await expect.poll(() => page.getByRole("tabpanel").getByRole("img").count()).toBe(8);
  expect(backEnd.calls.slice(called).filter(({ path }) => path.startsWith("/api/profile"))).toEqual([]);
  expect(complaints).toEqual([]);
});

test.each([
  ["R-2.1-45", "classic", DESK],
  ["R-2.1-46", "modern", PHONE],
] as const)("%s: /pages/search/%s lists eight results, filters them and turns pages", async (_, look, window) => {
  const { page, complaints, path } = await stage.open(`/pages/search/${look}`, { window });
  const results = page.locator("#page li h2");
  await page.getByText("8 results", { exact: true }).waitFor();
  const first = await results.allInnerTexts();
  expect(first).toHaveLength(4);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.locator("[aria-current=page]", { hasText: "2" }).waitFor();
  await expect.poll(() => results.count()).toBe(4);
  expect((await results.allInnerTexts()).some((title) => first.includes(title))).toBe(false);
  await page.getByRole("searchbox").fill("CASH-out");
  await page.getByText("1 result", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Next page" }).count()).toBe(0);
  expect(await overflowOf(page)).toBe(0);
  await page.getByRole("searchbox").fill("nothing like it");
  await page.getByText("Nothing matches “nothing like it”").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Show all" }).click();
  // The scripted back end knows no transactions: that page would complain.
  expect(complaints).toEqual([]);
  await page.getByRole("link", { name: "Your balance, step by step" }).click();
  await expect.poll(path).toBe("/transactions");
});

test.each(["/pages/profile", "/pages/search/classic"])(
  "a guest who opens %s comes to the login",
  { tags: ["long"] },
  async (from) => {
    const { page } = await stage.open(from, { guest: true });
    await page.waitForURL("**/login");
  },
);
