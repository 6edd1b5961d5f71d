import { someOf } from "@longarm/link/testing/whole-run";
import { expect, test } from "vitest";
import { texts } from "../../rig/page/game-page.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

/** A game that is being played. */
async function played(scene: Parameters<typeof stage.openGame>[0] = {}) {
  const game = await stage.openGame(scene);
  await game.playing();
  const { page } = game;
  const line = page.locator("[data-missing]");
  const plate = page.locator("[data-doing]");
  return { ...game, line, plate, missing: () => line.getAttribute("data-missing", SOON) };
}

const ABOUT_MONEY = /credit|wallet/;

test("a machine that is locked shows the reason and that the credit is safe, and opens when the fault is over", {
  tags: ["long"],
}, async () => {
  const { page, line, meters, notify, answer, presses } = await played();
  const caps = page.locator("fieldset button");
  await expect.poll(() => caps.count()).toBeGreaterThan(3);
  for (const [lockup, said] of [
    ["door", "The machine’s door is open"],
    ["tilt", "The machine has stopped itself"],
    ["disabled", "The machine is closed for play"],
    ["outOfService", "The machine is out of service"],
  ] as const) {
    const { lockup: _, ...open } = answer.meters;
    meters({ lockup });
    await line.getByText(said).waitFor(SOON);
    await page.locator("[data-spin][data-state=locked]").waitFor(SOON);
    const labels = () =>
      caps.evaluateAll((all) => all.map((cap) => [cap.getAttribute("aria-disabled"), cap.getAttribute("title")]));
    await expect.poll(async () => new Set((await labels()).map(String))).toEqual(new Set([`true,${said}`]));
    await caps.first().click({ force: true });
    await page.keyboard.press("Space");
    const why = page.getByText("The machine is locked right now.");
    await why.waitFor(SOON);
    await expect.poll(() => line.textContent()).toMatch(ABOUT_MONEY);
    notify("meters", open);
    await line.waitFor({ state: "detached", ...SOON });
    await why.waitFor({ state: "detached", ...SOON });
  }
  expect(presses).toEqual([]);
});

test("a hand pay shows the amount owed and that it goes to the wallet, until it is reset", async () => {
  const { line, meters, notify, answer } = await played();
  meters({ lockup: "handPay", handPay: { id: "hp-1", amount: 1_250_050, kind: "win" } });
  await line.getByText("Hand pay: ₺12,500.50").waitFor(SOON);
  await line.getByText(/the amount goes to your wallet/).waitFor(SOON);
  const { lockup: _, handPay: __, ...open } = answer.meters;
  notify("meters", open);
  await line.waitFor({ state: "detached", ...SOON });
});

test("a missing agent, a missing socket and missing video each have their text", async () => {
  const { line, notify, missing, camera, script, close } = await played();
  notify("agent", { connected: false });
  await expect.poll(missing, SOON).toBe("machineAway");
  await expect.poll(() => line.textContent()).toContain("Your seat and your credit are kept.");
  notify("agent", { connected: true });
  await line.waitFor({ state: "detached", ...SOON });
  await camera.hush(true);
  await expect.poll(missing, SOON).toMatch(/pictureLost|connectionLost/);
  await camera.hush(false);
  await line.waitFor({ state: "detached", ...SOON });
  script("init", () => undefined);
  close(1012, "restart");
  await line.getByText("Connection Lost, please wait.").waitFor(SOON);
});

test("free spins show how many are left, a bonus shows what to do, and both end by themselves", async () => {
  const { plate, meters } = await played();
  meters({ inGame: true, freeSpins: 7 });
  await plate.getByText("7 free spins left").waitFor(SOON);
  meters({ freeSpins: 1 });
  await plate.getByText("1 free spin left").waitFor(SOON);
  meters({ freeSpins: 0, bonus: true });
  await plate.getByText("Bonus. If the machine asks, press SPIN.").waitFor(SOON);
  meters({ inGame: false, bonus: false });
  await plate.waitFor({ state: "detached", ...SOON });
});

test.each(everyWindow("phone"))(
  "a figure that the machine does not say is a dash with its reason, never a zero, at $width × $height in $language",
  async (window) => {
    const { page, presses, answer } = await played({
      window,
      init: ({ meters }) => {
        for (const unsaid of ["bet", "win", "freeSpins", "bonus"] as const) Reflect.deleteProperty(meters, unsaid);
      },
    });
    const dashes = page.locator("[data-unsaid]");
    // The stake and the win; the number of free spins is behind another key on a phone.
    await expect.poll(() => dashes.count()).toBeGreaterThanOrEqual(2);
    const reason = texts(window.language, "app")["unsaid"];
    for (const dash of await dashes.all()) {
      expect(await dash.textContent()).toBe(`–${reason}`);
      expect(await dash.getAttribute("title")).toBe(reason);
    }
    expect(await page.locator("fieldset output").first().textContent()).not.toMatch(/\d/);
    const { betOnScreen = "-" } = texts(window.language, "play");
    await page.locator("[data-spin]").getByText(betOnScreen).waitFor();
    // A press starts a game all the same. It names no stake, because the page shows none.
    await page.locator("[data-spin]").click();
    await expect.poll(() => presses.length).toBe(1);
    expect(presses[0]).toMatchObject({ button: answer.buttons[0]?.id });
    expect(presses[0]).not.toHaveProperty("stake");
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  },
);

test("player 8: a jackpot is a moment of its own with its name and amount, gone when the next game begins", {
  tags: ["long"],
}, async () => {
  const { plate, notify, meters, page } = await played();
  notify("event", { kind: "jackpot", name: "Büyük", amount: 8_641_215 });
  await page.locator("[data-doing=jackpot]").waitFor(SOON);
  await expect.poll(() => plate.textContent(), SOON).toMatch(/Büyük jackpot.*86,412/);
  await expect.poll(() => page.getByRole("status").allTextContents(), SOON).toContain("Büyük jackpot: ₺86,412.15");
  meters({ inGame: true });
  await plate.waitFor({ state: "detached", ...SOON });
});

test("nothing celebrates a win that is not larger than the stake", { tags: ["long"] }, async () => {
  const { page, meters, finish, notify, plate } = await played();
  const game = page.locator("main[data-phase]");
  const won = page.locator("[data-won]");
  meters({ inGame: true });
  finish(1_200);
  await expect.poll(() => game.getAttribute("data-win"), SOON).toBe("1200");
  // The figure stands at once: nothing counts up to it.
  await page.getByText("₺12.00").first().waitFor(SOON);
  expect(await won.count()).toBe(0);
  notify("event", { kind: "jackpot", name: "Mini", amount: 1_200 });
  meters({ inGame: true });
  finish(1_201);
  await won.waitFor(SOON);
  expect(await plate.count()).toBe(0);
});

/** What a screen reader is told, in order, as it changes. */
async function hearing(page: Awaited<ReturnType<typeof played>>["page"], role: "status" | "alert") {
  await page.evaluate((name) => {
    const received: string[] = [];
    Object.assign(window, { [`heard_${name}`]: received });
    const listen = () => {
      for (const region of document.querySelectorAll(`[role=${name}]`)) {
        const text = region.textContent?.trim() ?? "";
        if (text.includes("seconds left") && received.at(-1) !== text) received.push(text);
      }
    };
    new MutationObserver(listen).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, role);
  return () => page.evaluate((name) => (window as unknown as Record<string, string[]>)[`heard_${name}`], role);
}

test("a countdown is announced when it begins and now and then, in the last seconds at once, and never each second", {
  tags: ["long"],
}, async () => {
  const { page, notify } = await played();
  const politely = await hearing(page, "status");
  const atOnce = await hearing(page, "alert");
  const shown = page.getByRole("timer");
  for (const count of [45, 44, 43, 31, 30, 29, 11, 10, 9, 6, 5, 4]) {
    notify("countdown", { code: "CODE_18800", count });
    await shown.getByText(`${count} seconds left to deposit funds`).waitFor(SOON);
  }
  await expect.poll(() => politely()).toEqual(["45 seconds left to deposit funds", "30 seconds left to deposit funds"]);
  expect(await atOnce()).toEqual(["10 seconds left to deposit funds", "5 seconds left to deposit funds"]);
  notify("countdown", { code: "CODE_18800", count: 0 });
  await shown.waitFor({ state: "detached", ...SOON });
  notify("countdown", { code: "CODE_18802", count: 60 });
  await expect.poll(politely, SOON).toContain("60 seconds left to continue");
  notify("countdown", { code: "CODE_18801", count: 3 });
  await shown.getByText("Your session is being terminated").waitFor(SOON);
});

test.each(
  someOf(1, [
    [0, "The machine is out of play now. Your credit goes back to your wallet."],
    [1, "Your play session has ended. Any credit was moved to your wallet, and the machine is free again."],
    [2, "The machine waits for its player. You can go on from the lobby."],
    [4, "The machine is reserved for somebody else now."],
  ]),
)("R-2.5-07, R-4.4-09: status %d of this machine leads to the lobby, and the lobby shows why", async (status, said) => {
  const { page, backEnd, path } = await played();
  backEnd.push("machine", { id: "m_4", status });
  backEnd.push("machine", { id: "m_3", status: 3 });
  backEnd.push("machine", { id: "m_3", status });
  await expect.poll(path, SOON).toBe("/lobby");
  await page.getByText(said).waitFor(SOON);
});

test.each(
  someOf(1, [
    ["taken over", "You went on at this machine in another tab or on another device."],
    [
      "kicked",
      "The game here was stopped from another device of yours. Your seat and your credit are kept for a while, then the credit goes to your wallet.",
    ],
    ["banned", "You have been banned"],
    ["ended", "Your play session has ended."],
  ] as const),
)("a socket closed as %j leads to the lobby with a text of its own", async (reason, said) => {
  const { page, close, path } = await played();
  close(4000, reason);
  await expect.poll(path, SOON).toBe("/lobby");
  await page.getByText(said, { exact: true }).waitFor(SOON);
});

test("an end with a code of the platform is shown with the platform's text", { tags: ["long"] }, async () => {
  const { page, notify, path } = await played();
  notify("ended", { code: "CODE_18801" });
  await expect.poll(path, SOON).toBe("/lobby");
  await page.getByText("Your session is being terminated").waitFor(SOON);
});

test("credits returned after the platform ended the session are shown once they are in the wallet", async () => {
  const { page, backEnd, path } = await played();
  backEnd.push("balance", { balance: 100_000, onMachine: 45_050 });
  backEnd.push("machine", { id: "m_3", status: 0 });
  await expect.poll(path, SOON).toBe("/lobby");
  await page.getByText("Your credit goes back to your wallet.").waitFor(SOON);
  backEnd.push("balance", { balance: 100_000, onMachine: 0, pending: 45_050 });
  backEnd.push("balance", { balance: 145_050 });
  await page.getByText("₺450.50 was moved to your wallet.").waitFor(SOON);
});

test("the player sees how many watch, and nothing while there are none", { tags: ["long"] }, async () => {
  const { page, notify } = await played();
  const eye = page.locator("[data-watchers]");
  expect(await eye.count()).toBe(0);
  notify("spectators", { count: 3 });
  await page.getByRole("img", { name: "3 watching" }).waitFor(SOON);
  notify("spectators", { count: 0 });
  await eye.waitFor({ state: "detached", ...SOON });
});

test("player 35: nothing of the deck's metal shows under the open side bar", { tags: ["long"] }, async () => {
  const { page, playing } = await stage.openGame();
  await playing();
  const beyondDeck = () =>
    page.locator("[data-spin]").evaluate((spin) => {
      const deck = spin.closest("section") as Element;
      return -Number.parseFloat(getComputedStyle(deck, "::before").right);
    });
  // Crowned metal is wider than its deck, which ends where the window does while the bar is closed.
  await expect.poll(beyondDeck).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Side bar", exact: true }).click();
  await expect.poll(beyondDeck).toBeLessThanOrEqual(0);
});
