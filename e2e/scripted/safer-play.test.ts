import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, PHONE, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import { ScriptedLimits } from "./scripted-limits.ts";

/* Safer play, limits: what holds and what is left, a stricter one at once, a looser one after a wait and a yes. */

const stage = setUpStage();

async function openLimits(scene: Scene = {}, prepare: (limits: ScriptedLimits) => void = () => {}) {
  const limits = new ScriptedLimits(Date.now());
  prepare(limits);
  const played = await stage.open("/safer-play", {
    ...scene,
    before: async (page, backEnd) => {
      limits.serve(backEnd);
      await scene.before?.(page, backEnd);
    },
  });
  await played.page.locator("main [role=tabpanel]").waitFor();
  return { ...played, limits };
}

const sheetOf = (page: Page) => page.getByRole("dialog");
const gauge = (page: Page, name: string) => page.getByRole("meter", { name, exact: true });
const bodies = (backEnd: {
  readonly calls: readonly { readonly method: string; readonly path: string; readonly body: unknown }[];
}) => backEnd.calls.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body]);

async function change(page: Page, kind: string): Promise<void> {
  await page.getByRole("button", { name: `Change: ${kind}` }).click();
  await sheetOf(page).waitFor();
}

test("the gauges say what is left of which limit, of three periods on a desk and of the chosen one on a phone", async () => {
  const { page } = await openLimits();
  await gauge(page, "Loss, 24 hours").waitFor();
  await expect
    .poll(() => gauge(page, "Loss, 24 hours").getAttribute("aria-valuetext"))
    .toBe("₺1,384.50 left of ₺2,000");
  await expect.poll(() => gauge(page, "Time, 7 days").getAttribute("aria-valuetext")).toBe("3 h 20 min left of 10 h");
  await expect.poll(() => page.getByRole("meter").count()).toBe(10);
  const phone = await openLimits({ window: PHONE });
  await expect.poll(() => phone.page.getByRole("meter").count()).toBe(4);
  await phone.page.getByRole("radio", { name: "30 days" }).check();
  await expect.poll(() => phone.page.getByRole("meter").count()).toBe(2);
  await gauge(phone.page, "Deposits, 30 days").waitFor();
});

test("the interval of reality checks is chosen beside the limits", async () => {
  const { page, backEnd } = await openLimits();
  const interval = page.getByRole("radiogroup", { name: "How often" });
  await expect.poll(() => interval.getByRole("radio", { name: "30 min" }).isChecked()).toBe(true);
  expect(await interval.getByRole("radio").count()).toBe(4);
  // It shows the choice once it is on its way to the platform.
  await interval.getByRole("radio", { name: "60 min" }).click({ force: true });
  await expect.poll(() => bodies(backEnd)).toContainEqual(["/v1/player/limits/check", { minutes: 60 }]);
  await expect.poll(() => interval.getByRole("radio", { name: "60 min" }).isChecked()).toBe(true);
});

test("a stricter limit is one press, without a preset amount, and says that it holds at once", async () => {
  const { page, backEnd, complaints } = await openLimits();
  await change(page, "Loss");
  await expect.poll(() => sheetOf(page).getByRole("button").allInnerTexts()).toEqual(["", "No limit", "Set the limit"]);
  await sheetOf(page).getByLabel("New limit").fill("1000");
  await sheetOf(page).getByText("It holds at once.").waitFor();
  await sheetOf(page).getByText("₺384.50 left.").waitFor();
  await sheetOf(page).getByRole("button", { name: "Set the limit to ₺1,000" }).click();
  await sheetOf(page).waitFor({ state: "detached" });
  await expect.poll(() => bodies(backEnd)).toEqual([["/v1/player/limits", { key: "loss.day", value: 100_000 }]]);
  await expect.poll(() => gauge(page, "Loss, 24 hours").getAttribute("aria-valuetext")).toBe("₺384.50 left of ₺1,000");
  expect(complaints).toEqual([]);
});

test("a limit below what is used says that play stops now, and until when", async () => {
  const { page } = await openLimits();
  await change(page, "Loss");
  await sheetOf(page).getByLabel("New limit").fill("500");
  await sheetOf(page)
    .getByText(/You have used more than that\. Play stops now, until .+\s\d\d:\d\d\./)
    .waitFor();
  await sheetOf(page).getByRole("button", { name: "Set the limit to ₺500" }).waitFor();
});

test("a looser limit has two keys alike, waits with the way back, and is wanted again only with a yes", async () => {
  const { page, backEnd, limits } = await openLimits();
  await change(page, "Loss");
  await sheetOf(page).getByLabel("New limit").fill("4000");
  await sheetOf(page)
    .getByText(/at the earliest, and only if you say yes again then\. Until then ₺2,000 holds\./)
    .waitFor();
  const keys = [
    sheetOf(page).getByRole("button", { name: "Keep ₺2,000" }),
    sheetOf(page).getByRole("button", { name: "Ask for ₺4,000" }),
  ];
  const looks = await Promise.all(
    keys.map((key) =>
      key.evaluate((one) => {
        const { width, height } = one.getBoundingClientRect();
        const { backgroundImage, backgroundColor, fontWeight, color } = getComputedStyle(one);
        return { width: Math.round(width), height, backgroundImage, backgroundColor, fontWeight, color };
      }),
    ),
  );
  expect(looks[0]).toEqual(looks[1]);
  await keys[1]?.click();
  await sheetOf(page).waitFor({ state: "detached" });
  const line = page.getByRole("region", { name: "Loss limit, 24 hours" });
  await line.getByText("₺4,000 instead of ₺2,000.").waitFor();
  await line.getByRole("button", { name: "Take back: Loss limit, 24 hours" }).click();
  await line.waitFor({ state: "detached" });
  await expect.poll(() => bodies(backEnd).at(-1)).toEqual(["/v1/player/limits/take-back", { id: "7" }]);

  limits.wait("loss.day", 400_000, -1);
  await page.reload();
  await page.getByRole("heading", { name: "Do you still want ₺4,000?" }).waitFor();
  await expect
    .poll(() => page.getByRole("region", { name: "Loss limit, 24 hours" }).getByRole("button").allInnerTexts())
    .toEqual(["No", "Yes"]);
  await page.getByRole("button", { name: "Yes" }).click();
  await expect.poll(() => bodies(backEnd).at(-1)).toEqual(["/v1/player/limits/answer", { id: "7", wanted: true }]);
  await expect
    .poll(() => gauge(page, "Loss, 24 hours").getAttribute("aria-valuetext"))
    .toBe("₺3,384.50 left of ₺4,000");
});

test("a refused change stays in the sheet with its reason, and what is no amount is not sent", async () => {
  const { page, backEnd } = await openLimits({
    before: (_, scripted) =>
      scripted.script("POST /v1/player/limits", () => refused(429, 60030, { Params: { seconds: 60 } })),
  });
  await change(page, "Time");
  await sheetOf(page).getByLabel("New limit in minutes").fill("1.5");
  await sheetOf(page).getByText("Write whole minutes, 43200 at most.").waitFor();
  await expect.poll(() => sheetOf(page).getByRole("button", { name: "Set the limit" }).isDisabled()).toBe(true);
  await sheetOf(page).getByRole("radio", { name: "One session" }).check();
  await sheetOf(page).getByLabel("New limit in minutes").fill("90");
  await sheetOf(page).getByRole("button", { name: "Set the limit to 1 h 30 min" }).click();
  await sheetOf(page).getByRole("alert").waitFor();
  expect(bodies(backEnd)).toEqual([["/v1/player/limits", { key: "session", value: 90 }]]);
});

test("a limit that is not one's own says whose it is, and what the market demands is named", async () => {
  const { page } = await openLimits({}, (limits) => {
    limits.change("loss.day", { value: 50_000, owner: "market", left: 0, frees: limits.at(3) });
    limits.change("deposit.month", { required: true, mine: null, value: null, owner: null, left: null });
  });
  await page.getByText("Rule of this market").waitFor();
  await page.getByText(/^Nothing left until /).waitFor();
  await page.getByText("Set these limits before you play: Deposits (30 days).").waitFor();
  await page.getByText("Needed before you play").waitFor();
  await page.getByText("No autoplay.").waitFor();
});

test("a platform without limits says so; one that fails can be tried again", async () => {
  const absent = await stage.open("/safer-play");
  await absent.page.getByRole("heading", { name: "No limits here" }).waitFor();
  const limits = new ScriptedLimits(Date.now());
  const { page } = await stage.open("/safer-play", {
    before: (_, backEnd) => {
      limits.serve(backEnd);
      let tries = 0;
      const works = () => ({ httpStatus: 200, body: limits.now });
      backEnd.script("GET /v1/player/limits", () => {
        tries += 1;
        return tries <= 2 ? refused(500, 70000) : works();
      });
    },
  });
  await page.getByRole("button", { name: "Try again" }).click();
  await gauge(page, "Loss, 24 hours").waitFor();
});

test("what can be lost in a month is a question where the market wants it, which says when a higher amount counts", async () => {
  const said = { wanted: true, declared: 40_000 as number | null, counts: 40_000 as number | null };
  for (const window of [undefined, PHONE]) {
    const { page, backEnd } = await openLimits({
      ...(window !== undefined && { window }),
      before: async (_page, scripted) => {
        scripted.script("GET /v1/player/means", () => ok(said));
        scripted.script("POST /v1/player/means", () => ok({ ...said, declared: 90_000 }));
      },
    });
    const region = page.locator("section", {
      has: page.getByRole("heading", { name: "What you can afford to lose in a month" }),
    });
    await region.getByText("You said ₺400.").waitFor();
    const field = region.getByLabel("In a month, at most");
    expect(await field.inputValue(), "no amount is proposed").toBe("");
    await field.fill("a lot");
    await expect.poll(() => region.getByRole("button", { name: "Keep it" }).isDisabled()).toBe(true);
    await field.fill("900");
    // What lies half below the bar at the top is no finding.
    await page.evaluate(() => scrollTo(0, 0));
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await region.getByRole("button", { name: "Keep it" }).click();
    await region.getByText("A higher amount counts 30 days after you say it. Until then ₺400 counts.").waitFor();
    expect(bodies(backEnd)).toContainEqual(["/v1/player/means", { amount: 90_000 }]);
  }
});

test.each([...everyWindow("desk"), ...everyWindow("phone")])(
  "safer play at $width x $height in $language, with a change that waits and its sheet: no axe finding, no overflow, no complaint",
  async (window) => {
    const { page, complaints } = await openLimits({ window }, (limits) => limits.wait("loss.day", 400_000, 21.7));
    await page.getByRole("meter").first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.locator("main [role=tabpanel] button[aria-label]").nth(1).click();
    await sheetOf(page).waitFor();
    await sheetOf(page).locator("[data-amount]").fill("4000");
    await sheetOf(page).getByRole("button").nth(3).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);
