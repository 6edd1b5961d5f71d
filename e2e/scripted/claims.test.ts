import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Answered } from "./answers.ts";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, everyWindow, PHONE, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

const stage = setUpStage();
const KINDS = ["discount", "bonus"] as const;
type Kind = (typeof KINDS)[number];
const TOO_SOON = "You can use discount only once per 5 minutes";

const given = (amount: number) => ok({ status: true, code: 20000, Params: { amount } });
const keyOf = (page: Page, kind: Kind) => page.getByRole("button", { name: `Claim ${kind}` });

/** A page of the shell with both keys, a balance below the minimum and a platform that gives 50.00. */
async function openClaims(scene: Scene = {}, path = "/lobby") {
  const played = await stage.open(path, {
    ...scene,
    world: (world) => {
      world.balance.balance = 9_999;
      scene.world?.(world);
    },
    async before(page, backEnd) {
      for (const kind of KINDS) backEnd.script(`GET /v1/player/${kind}`, () => given(5_000));
      await scene.before?.(page, backEnd);
    },
  });
  const { page, backEnd } = played;
  const calls = () => backEnd.called().filter((call) => /player\/(?:discount|bonus)$/.test(call));
  const says = (text: string) => page.getByText(text, { exact: true }).waitFor();
  /** The balance has arrived in the header. */
  const hasBalance = (text: string) => page.locator("header", { hasText: text }).waitFor();
  return {
    ...played,
    calls,
    says,
    hasBalance,
    script: (kind: Kind, answer: () => Answered | Promise<Answered>) =>
      backEnd.script(`GET /v1/player/${kind}`, answer),
  };
}

test("R-1-09, R-7-08: a discount is one GET; a toast shows its amount and the balance is read again", async () => {
  const { page, backEnd, calls, says, hasBalance, script } = await openClaims();
  await hasBalance("₺99.99");
  script("discount", () => {
    backEnd.world.balance.balance = 14_999;
    return given(5_000);
  });
  await keyOf(page, "discount").click();
  await says("A discount of ₺50 was added to your balance.");
  await hasBalance("₺149.99");
  await expect.poll(calls).toEqual(["GET /v1/player/discount"]);
});

test("R-7-09: a bonus is the same by its own call, whatever the balance", { tags: ["long"] }, async () => {
  const { page, backEnd, calls, says, hasBalance, script } = await openClaims({
    world: (world) => {
      world.balance.balance = 1_245_075;
    },
  });
  await hasBalance("₺12,450.75");
  script("bonus", () => {
    backEnd.world.balance.balance = 1_250_075;
    return given(5_000);
  });
  await keyOf(page, "bonus").click();
  await says("A bonus of ₺50 was added to your balance.");
  await hasBalance("₺12,500.75");
  await expect.poll(calls).toEqual(["GET /v1/player/bonus"]);
});

test.each([
  ["R-7-08", "discount", refused(409, 60020), "There is nothing to claim now"],
  ["R-7-09", "bonus", refused(409, 60021), "You have claimed this already"],
  [
    "R-7-08",
    "discount",
    ok({ status: false, code: 99999, ErrorMessage: "Come back on Monday" }),
    "Come back on Monday",
  ],
  ["R-7-09", "bonus", ok({ ErrorMessage: "Not for you" }), "Not for you"],
] as const)(
  "%s: a %s that fails shows the text of its code, or by its ErrorMessage",
  { tags: ["long"] },
  async (_, kind, answer, text) => {
    const { page, calls, says, script } = await openClaims();
    script(kind, () => answer);
    await keyOf(page, kind).click();
    await says(text);
    await expect.poll(calls).toHaveLength(1);
  },
);

test("R-5-07, R-5-09: at the minimum no call is made and the text is exact; just below it the call is made", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, calls, says, hasBalance } = await openClaims({
    world: (world) => {
      world.balance.balance = 10_000;
    },
  });
  await hasBalance("₺100.00");
  await keyOf(page, "discount").click();
  await says("Your balance must be below 100");
  expect(calls()).toEqual([]);
  expect(await page.evaluate(() => localStorage.getItem("longarm.discountUsed"))).toBeNull();
  await expect.poll(() => backEnd.listening()).toBe(1);
  backEnd.push("balance", { balance: 9_999 });
  await hasBalance("₺99.99");
  await keyOf(page, "discount").click();
  await says("A discount of ₺50 was added to your balance.");
  await expect.poll(calls).toEqual(["GET /v1/player/discount"]);
});

test("R-9-28: the minimum is the operator's", async () => {
  const { page, calls, says, hasBalance } = await openClaims({
    world: (world) => {
      world.balance.balance = 25_000;
      world.settings["discountMinBalance"] = 250;
    },
  });
  await hasBalance("₺250.00");
  await keyOf(page, "discount").click();
  await says("Your balance must be below 250");
  expect(calls()).toEqual([]);
});

test("R-5-08: with the balance check off a discount is requested at 500", { tags: ["long"] }, async () => {
  const { page, calls, says, hasBalance } = await openClaims({
    world: (world) => {
      world.balance.balance = 50_000;
      world.settings["discountBalanceCheck"] = false;
    },
  });
  await hasBalance("₺500.00");
  await keyOf(page, "discount").click();
  await says("A discount of ₺50 was added to your balance.");
  await expect.poll(calls).toHaveLength(1);
});

test.each([
  ["R-5-10, R-5-13", "discount"],
  ["R-5-11, R-5-13", "bonus"],
] as const)(
  "%s: a second %s within 30 s is not sent and says why, word for word; after them it is",
  async (_, kind) => {
    const { page, calls, says } = await openClaims({ clock: true });
    await keyOf(page, kind).click();
    await expect.poll(calls).toHaveLength(1);
    await page.clock.pauseAt(Date.now() + 10_000);
    await keyOf(page, kind).click();
    await says(TOO_SOON);
    await expect.poll(calls).toHaveLength(1);
    await page.clock.runFor(31_000);
    await expect.poll(() => keyOf(page, kind).getAttribute("data-waiting")).toBeNull();
    await keyOf(page, kind).click();
    await expect.poll(calls).toHaveLength(2);
  },
);

test("the key counts the true seconds down, for the eye and for screen readers; the other key stays free", {
  tags: ["long"],
}, async () => {
  const { page, calls } = await openClaims({ clock: true });
  await keyOf(page, "discount").click();
  await expect.poll(calls).toHaveLength(1);
  const usedAt = await page.evaluate(() => Number(localStorage.getItem("longarm.discountUsed")));
  await page.clock.pauseAt(usedAt + 20_500);
  const count = keyOf(page, "discount").locator("span.num");
  await expect.poll(() => count.textContent()).toBe("10");
  await expect.poll(() => page.getByText("Seconds left: 10", { exact: true }).count()).toBe(1);
  const description = await keyOf(page, "discount").getAttribute("aria-describedby");
  await expect.poll(() => page.locator(`[id="${description}"]`).textContent()).toBe("Seconds left: 10");
  await page.clock.runFor(5_000);
  await expect.poll(() => count.textContent()).toBe("5");
  expect(await keyOf(page, "bonus").getAttribute("data-waiting")).toBeNull();
  await keyOf(page, "bonus").click();
  await expect.poll(calls).toEqual(["GET /v1/player/discount", "GET /v1/player/bonus"]);
});

test("R-3-35, R-5-12: the time of the last use is kept in this browser, so a reload and another tab are blocked too", async () => {
  const { page, backEnd, calls, says } = await openClaims();
  const before = Date.now();
  await keyOf(page, "bonus").click();
  await says("A bonus of ₺50 was added to your balance.");
  const kept = await page.evaluate(() => Number(localStorage.getItem("longarm.bonusUsed")));
  expect(kept).toBeGreaterThanOrEqual(before);
  expect(kept).toBeLessThanOrEqual(Date.now());
  // However slow this computer is, the use was just now.
  await page.evaluate(() => localStorage.setItem("longarm.bonusUsed", String(Date.now())));
  await page.reload();
  await page.locator("[data-waiting]").waitFor();
  await page.evaluate(() => localStorage.setItem("longarm.bonusUsed", String(Date.now())));
  await keyOf(page, "bonus").click();
  await says(TOO_SOON);
  const other = await page.context().newPage();
  await other.goto(`${backEnd.url}/profile`);
  await page.evaluate(() => localStorage.setItem("longarm.bonusUsed", String(Date.now())));
  await other.locator("[data-waiting]").waitFor();
  await other.evaluate(() => localStorage.setItem("longarm.bonusUsed", String(Date.now())));
  await keyOf(other, "bonus").click();
  await other.getByText(TOO_SOON, { exact: true }).waitFor();
  await expect.poll(calls).toHaveLength(1);
});

test("a use in one tab makes the key of an open other one wait at once", { tags: ["long"] }, async () => {
  const { page, backEnd } = await openClaims();
  await keyOf(page, "discount").waitFor();
  const other = await page.context().newPage();
  await other.goto(`${backEnd.url}/lobby`);
  await keyOf(other, "discount").click();
  await page.locator("[data-waiting]").waitFor();
});

test("R-9-13: 30 s it is without a word of the settings, and what they say otherwise", { tags: ["long"] }, async () => {
  const { page, calls } = await openClaims({
    clock: true,
    world: (world) => {
      world.settings["claimThrottleMs"] = 120_000;
    },
  });
  await keyOf(page, "bonus").click();
  await expect.poll(calls).toHaveLength(1);
  const usedAt = await page.evaluate(() => Number(localStorage.getItem("longarm.bonusUsed")));
  await page.clock.pauseAt(usedAt + 20_500);
  await expect.poll(() => keyOf(page, "bonus").locator("span.num").textContent()).toBe("1:40");
  const plain = await openClaims({ clock: true });
  await keyOf(plain.page, "bonus").click();
  await expect.poll(plain.calls).toHaveLength(1);
  const plainUsedAt = await plain.page.evaluate(() => Number(localStorage.getItem("longarm.bonusUsed")));
  await plain.page.clock.pauseAt(plainUsedAt + 20_500);
  await expect.poll(() => keyOf(plain.page, "bonus").locator("span.num").textContent()).toBe("10");
});

test("R-9-17, R-9-18, R-9-02, R-9-07: without any Settings.json both keys are there, amounts are in lira, the minimum is 100", async () => {
  const { page, calls, says, hasBalance } = await openClaims({
    world: (world) => {
      world.balance.balance = 10_000;
    },
    before: (_, backEnd) => backEnd.script("GET /Settings.json", () => ({ httpStatus: 404, body: "" })),
  });
  await page.evaluate(() => localStorage.setItem("longarm.language", "en"));
  await hasBalance("₺100.00");
  await keyOf(page, "bonus").waitFor();
  await keyOf(page, "discount").click();
  await says("Your balance must be below 100");
  expect(calls()).toEqual([]);
});

test("R-5-14, R-5-15: each key is there only with its flag", async () => {
  const without = (flag: string) =>
    openClaims({
      world: (world) => {
        world.settings[flag] = false;
      },
    });
  const noDiscount = await without("autoDiscount");
  await keyOf(noDiscount.page, "bonus").waitFor();
  expect(await keyOf(noDiscount.page, "discount").count()).toBe(0);
  const noBonus = await without("autoBonus");
  await keyOf(noBonus.page, "discount").waitFor();
  expect(await keyOf(noBonus.page, "bonus").count()).toBe(0);
});

test("R-9-14: within 500 ms a key acts once, though its call is answered by then", { tags: ["long"] }, async () => {
  const { page, calls, hasBalance } = await openClaims({
    clock: true,
    world: (world) => {
      world.settings["claimThrottleMs"] = 0;
    },
  });
  await hasBalance("₺99.99");
  // From here on time only passes when the test says so.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 8_000));
  const free = () => page.locator("button[aria-busy=true]").count();
  await keyOf(page, "bonus").dblclick();
  await expect.poll(calls).toHaveLength(1);
  await expect.poll(free).toBe(0);
  await page.clock.runFor(499);
  await keyOf(page, "bonus").click();
  await expect.poll(free).toBe(0);
  await expect.poll(calls).toHaveLength(1);
  await page.clock.runFor(1);
  await keyOf(page, "bonus").click();
  await expect.poll(calls).toHaveLength(2);
});

test("while the call is under way the key is busy; a click on it says why and sends nothing", {
  tags: ["long"],
}, async () => {
  const { page, calls, says, script } = await openClaims();
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  script("bonus", () => held.then(() => given(5_000)));
  await keyOf(page, "bonus").click();
  await page.locator("button[aria-busy=true]").waitFor();
  await keyOf(page, "bonus").click();
  await says(TOO_SOON);
  answer();
  await says("A bonus of ₺50 was added to your balance.");
  await page.locator("button[aria-busy=true]").waitFor({ state: "detached" });
  await expect.poll(calls).toHaveLength(1);
});

test("without an answer the outcome is unknown: the page says so, does not repeat the call, and reads the balance", async () => {
  const { page, backEnd, says } = await openClaims();
  let tried = 0;
  await page.route("**/v1/player/discount", (route) => {
    tried += 1;
    return route.abort();
  });
  const requested = () => backEnd.called().filter((call) => call === "GET /v1/player/balance").length;
  await expect.poll(requested).toBeGreaterThan(0);
  const before = requested();
  await keyOf(page, "discount").click();
  await says("Network Error, please check your connection");
  await says("We could not confirm the discount. Check your balance before you try again.");
  await expect.poll(requested).toBeGreaterThan(before);
  expect(tried).toBe(1);
});

test.each(
  someOf(1, [
    [
      "an amount that is a text",
      { status: true, code: 20000, Params: { amount: "<b>much</b>" } },
      "The bonus was added to your balance.",
    ],
    ["no amount", { status: true }, "The bonus was added to your balance."],
    ["a list", "[1]", "We could not confirm the bonus. Check your balance before you try again."],
    ["no JSON", "<html>", "We could not confirm the bonus. Check your balance before you try again."],
    ["nothing", "", "We could not confirm the bonus. Check your balance before you try again."],
  ]),
)("a hostile answer, %s, is reported as an error", async (_, body, text) => {
  const { page, says, script } = await openClaims();
  script("bonus", () => ok(body));
  await keyOf(page, "bonus").click();
  await says(text);
});

test("an ErrorMessage of script and 4,000 letters is text, and the page keeps its width", async () => {
  const { page, script } = await openClaims({ window: DESK });
  script("bonus", () =>
    refused(418, 99999, { ErrorMessage: `<img src=x onerror="document.title='owned'">${"W".repeat(4_000)}` }),
  );
  await keyOf(page, "bonus").click();
  await page.getByText("<img src=x").waitFor();
  expect(await page.title()).not.toBe("owned");
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test("a clock that was set back by hours does not hold a key for hours", { tags: ["long"] }, async () => {
  const { page, calls } = await openClaims({ clock: true });
  await keyOf(page, "bonus").waitFor();
  await page.evaluate(() => localStorage.setItem("longarm.bonusUsed", String(Date.now() + 7_200_000)));
  await keyOf(page, "bonus").click();
  expect(calls()).toEqual([]);
  await page.clock.pauseAt(Date.now() + 5_000);
  await page.clock.runFor(60_000);
  await keyOf(page, "bonus").click();
  await expect.poll(calls).toHaveLength(1);
});

test.each(["/lobby", "/profile", "/slot-sessions", "/transactions"])(
  "both keys are on %s",
  { tags: ["long"] },
  async (path) => {
    const { page } = await openClaims({}, path);
    await keyOf(page, "discount").waitFor();
    await keyOf(page, "bonus").waitFor();
  },
);

test("by the keyboard alone: both keys are reached and pressed, and keep the focus", { tags: ["long"] }, async () => {
  const { page, calls, says } = await openClaims();
  await keyOf(page, "discount").focus();
  await page.keyboard.press("Enter");
  await says("A discount of ₺50 was added to your balance.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect.poll(calls).toEqual(["GET /v1/player/discount", "GET /v1/player/bonus"]);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("Claim bonus");
});

test("on a phone the keys are in the menu; a press closes it, so that message and balance are seen", {
  tags: ["long"],
}, async () => {
  const { page, calls, says } = await openClaims({ window: PHONE });
  await page.getByRole("button", { name: "Open the menu" }).click();
  await keyOf(page, "bonus").click();
  await says("A bonus of ₺50 was added to your balance.");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(calls).toHaveLength(1);
});

const SAID_TOO_SOON = { tr: "henüz kullanamazsınız", en: "5 minutes", ar: "لا يمكنك استخدام هذا الزر بعد" } as const;

test.each(everyWindow("phone"))(
  "keys that wait, and the messages, at $width x $height in $language: no axe finding, no overflow, no complaint",
  { tags: ["long"] },
  async (window) => {
    const { page, complaints } = await openClaims(
      {
        window,
        world: (world) => {
          // However slow this computer is, the keys still wait.
          world.settings["claimThrottleMs"] = 3_600_000;
        },
        before: (opened) =>
          opened.addInitScript(() => {
            for (const kind of ["discount", "bonus"]) localStorage.setItem(`longarm.${kind}Used`, String(Date.now()));
          }),
      },
      "/profile",
    );
    await page.locator("input[name=old_password]").waitFor();
    const small = window.width < 960;
    if (small) await page.locator("header button").first().click();
    await page.locator("[data-waiting]").nth(1).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.locator("[data-waiting]").first().click();
    await page.locator("[role=status]", { hasText: SAID_TOO_SOON[window.language] }).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);

test.each([
  { at: "/transactions", closed: { kind: "timeOut" }, window: DESK },
  { at: "/transactions", closed: { kind: "exclusion" }, window: PHONE },
  { at: "/safer-play", closed: undefined, window: DESK },
  { at: "/safer-play", closed: undefined, window: PHONE },
])("no promotion is at $at, for a break of $closed.kind, at $window.width", async ({ at, closed, window }) => {
  const { page } = await openClaims(
    {
      window,
      world: (world) => {
        const until = new Date(Date.now() + 86_400_000).toISOString();
        if (closed) world.signIn["play_closed"] = { ...closed, from: new Date().toISOString(), until };
      },
    },
    at,
  );
  await page.locator("main h1, main h2").first().waitFor();
  const menu = page.locator("[data-menu-key]");
  if ((await menu.count()) > 0) {
    await menu.click();
    await page.getByRole("dialog").waitFor();
  }
  for (const kind of ["discount", "bonus"] as const) expect(await keyOf(page, kind).count()).toBe(0);
});
