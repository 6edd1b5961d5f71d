import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { setUpGameStage } from "./game-stage.ts";
import { ScriptedLimits } from "./scripted-limits.ts";

/* Limits at a machine: a refused transfer leads to the page of limits, and a limit that is reached says so. */

const stage = setUpGameStage();

test("a limit that ends the play session says which one, when play opens again and where the credit is; both ways on are alike", async () => {
  const { page, backEnd, notify, playing, complaints } = await stage.openGame();
  const limits = new ScriptedLimits(Date.now());
  limits.change("loss.day", { left: 0, used: 200_000, frees: limits.at(20) });
  limits.serve(backEnd);
  await playing();
  backEnd.push("balance", { balance: 1_000_000, onMachine: 48_050 });
  notify("ended", { code: "CODE_18801", why: "limit" });
  const sheet = page.getByRole("dialog", { name: "Your loss limit is reached" });
  await sheet.waitFor();
  await sheet.getByText(/^Play opens again on /).waitFor();
  backEnd.push("balance", { balance: 1_048_050 });
  await sheet.getByText("Your credit of ₺480.50 is back in your wallet.").waitFor();
  await expect.poll(() => sheet.getByRole("button").allInnerTexts()).toEqual(["Leave", "Your limits"]);
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await sheet.getByRole("button", { name: "Your limits" }).click();
  await page.waitForURL("**/safer-play");
  await page.getByRole("meter", { name: "Loss, 24 hours" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a cash-in that a limit refuses names the way to the limits, in a tab of its own", async () => {
  const { page, script, playing } = await stage.openGame();
  await playing();
  script("cashIn", () => ({ code: 60060, params: { left: 25_000 } }));
  await page.getByRole("button", { name: "Transfer" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.locator("[data-amount]").fill("750");
  await sheet.locator("button[type=submit]").click();
  const link = sheet.getByRole("link", { name: "Your limits" });
  await link.waitFor();
  expect(await link.getAttribute("href")).toBe("/safer-play");
  expect(await link.getAttribute("target")).toBe("_blank");
});

test("a seat that a limit refuses leads from the message in the lobby to the limits", async () => {
  const { page, backEnd } = await stage.openGame({
    from: "/lobby",
    prepare: (game) => game.script("init", () => ({ code: 60066, params: { keys: "deposit.day" } })),
  });
  new ScriptedLimits(Date.now()).serve(backEnd);
  await page.locator("[data-machine=m_3] a").click();
  await page.getByText("Set your limits before you play.").waitFor();
  await page.getByRole("button", { name: "Your limits" }).click();
  await page.waitForURL("**/safer-play");
});

test.each([
  ["payment", "The game has ended: money that you added went back to your bank.", undefined],
  ["limitMissing", "The game has ended: a limit that you need to play was taken away.", "Your limits"],
  ["identity", "The game has ended: your identity is not confirmed.", "Your identity"],
  ["register", "The game has ended: the national register has not answered in time.", undefined],
  ["help", "The game has ended: the casino has not entered where players find help.", undefined],
  ["turn", "Your time at this machine is over: others wait.", undefined],
] as const)(
  "an end because of %s says in the lobby what play needs, and leads to what helps",
  async (why, said, way) => {
    const { page, backEnd, notify, playing, complaints } = await stage.openGame();
    new ScriptedLimits(Date.now()).serve(backEnd);
    await playing();
    notify("ended", { code: "CODE_18801", why });
    await page.waitForURL("**/lobby");
    await page.getByText(said).waitFor();
    if (way !== undefined) await page.getByRole("button", { name: way }).waitFor();
    expect(complaints).toEqual([]);
  },
);

test("a cash-in that waits for the answer about limits leads to their page too", async () => {
  const { page, script, playing } = await stage.openGame();
  await playing();
  script("cashIn", () => ({ code: 60092 }));
  await page.getByRole("button", { name: "Transfer" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.locator("[data-amount]").fill("750");
  await sheet.locator("button[type=submit]").click();
  await sheet.getByText("Say first whether you would like limits.").waitFor();
  await sheet.getByRole("link", { name: "Your limits" }).waitFor();
});
