import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import { ScriptedLimits } from "./scripted-limits.ts";

/* Limits offered where the market says so (RTS 12A, AGCO 2.23, PPD 13): two answers alike, no amount, and closing the question is no answer. */

const stage = setUpStage();

async function openOffered(path: string, scene: Scene = {}) {
  const limits = new ScriptedLimits(Date.now(), {});
  limits.offered = true;
  const played = await stage.open(path, {
    ...scene,
    // The token check says what holds by then.
    world: ({ signIn }) =>
      Object.defineProperty(signIn, "limits_offered", { get: () => limits.offered, enumerable: true }),
    before: (_page, backEnd) => limits.serve(backEnd),
  });
  return { ...played, limits };
}

test("after the sign-in the question has two keys of one size and kind, and no amount", async () => {
  const { page, complaints } = await openOffered("/lobby");
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Would you like limits?").waitFor();
  const [set, later] = [
    sheet.getByRole("button", { name: "Set limits" }),
    sheet.getByRole("button", { name: "Not now" }),
  ];
  const [one, other] = [await set.boundingBox(), await later.boundingBox()];
  expect([one?.width, one?.height]).toEqual([other?.width, other?.height]);
  expect(await set.getAttribute("class")).toBe(await later.getAttribute("class"));
  expect(await sheet.innerText()).not.toMatch(/\d/);
  expect(await sheet.getByRole("textbox").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("not now is kept as an answer, and the question does not come again", async () => {
  const { page, backEnd, limits } = await openOffered("/lobby");
  await page.getByRole("dialog").getByRole("button", { name: "Not now" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => limits.offered).toBe(false);
  expect(backEnd.calls.find(({ path }) => path === "/v1/player/limits/not-now")?.body).toEqual({ answer: "notNow" });
  await page.reload();
  await page.locator("[data-machine]").first().waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("set limits leads to the page, where a limit is the answer and the question goes away", async () => {
  const { page, backEnd, limits } = await openOffered("/lobby");
  await page.getByRole("dialog").getByRole("button", { name: "Set limits" }).click();
  await page.waitForURL("**/safer-play**");
  await page.getByRole("heading", { name: "Would you like limits?" }).waitFor();
  expect(limits.offered, "nothing is answered yet").toBe(true);
  await page.getByRole("button", { name: "Change: Loss" }).click();
  await page.getByRole("dialog").getByLabel("New limit").fill("1000");
  await page.getByRole("dialog").getByRole("button", { name: "Set the limit to ₺1,000" }).click();
  await page.getByRole("heading", { name: "Would you like limits?" }).waitFor({ state: "detached" });
  await expect.poll(() => backEnd.calls.filter(({ path }) => path === "/v1/validate").length).toBeGreaterThan(1);
});

test("closing the question is no answer: the question comes again at the next sign-in, and on the page of limits", async () => {
  const { page, limits } = await openOffered("/lobby");
  await page.getByRole("dialog").getByText("Would you like limits?").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(limits.offered).toBe(true);
  await page.goto(new URL("/safer-play", page.url()).href);
  await page.getByRole("heading", { name: "Would you like limits?" }).waitFor();
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("heading", { name: "Would you like limits?" }).waitFor({ state: "detached" });
});

test.each([...everyWindow("desk"), ...everyWindow("phone")])(
  "the offer at $width x $height in $language: no axe finding, no overflow, no complaint",
  async (window) => {
    const sheet = await openOffered("/lobby", { window });
    await sheet.page.getByRole("dialog").locator("h2").waitFor();
    expect(await axeFindings(sheet.page)).toEqual([]);
    expect(await overflowOf(sheet.page)).toBeLessThanOrEqual(0);
    const panel = await openOffered("/safer-play", { window });
    await panel.page.locator("#limits-offer").waitFor();
    expect(await axeFindings(panel.page)).toEqual([]);
    expect(await overflowOf(panel.page)).toBeLessThanOrEqual(0);
    expect([...sheet.complaints, ...panel.complaints]).toEqual([]);
  },
);

async function openNews(prepare: (limits: ScriptedLimits) => void, path = "/lobby") {
  const limits = new ScriptedLimits(Date.now());
  prepare(limits);
  const at = new Date(Date.now() - 60_000).toISOString();
  const played = await stage.open(path, {
    world: ({ signIn }) => Object.assign(signIn, { limits_news_at: at }),
    before: (_page, backEnd) => limits.serve(backEnd),
  });
  return { ...played, limits };
}

test("the lobby says that a looser limit waits for a yes, and leads to the question", async () => {
  const { page } = await openNews((limits) => limits.wait("loss.day", 400_000, -1));
  await page.getByText(/^Loss limit, 24 hours: .+₺4,000\. Say whether you still want it\.$/).waitFor();
  await page.getByRole("button", { name: "Your limits" }).click();
  await page.getByRole("heading", { name: "Do you still want ₺4,000?" }).waitFor();
});

test("the lobby says that a looser limit has begun, and the page until the player has read it", async () => {
  const { page, backEnd, limits } = await openNews((script) => {
    script.begun = [{ id: "9", key: "loss.day", value: 400_000, from: script.at(-2) }];
  });
  await page.getByText(/^Loss limit, 24 hours: ₺4,000 holds now/).waitFor();
  await page.getByRole("button", { name: "Your limits" }).click();
  const line = page.getByRole("region", { name: "Loss limit, 24 hours" });
  await line.getByText(/₺4,000 holds since/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await line.getByRole("button", { name: "Read" }).click();
  await line.waitFor({ state: "detached" });
  expect(limits.begun).toEqual([]);
  expect(backEnd.calls.find(({ path }) => path === "/v1/player/limits/read")?.body).toEqual({ id: "9" });
});
