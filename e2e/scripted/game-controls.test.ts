import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { confirmLeave } from "../../rig/page/game-page.ts";
import { DESK, PHONE, setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 60_000 };

const table = (page: Page) => page.locator("main[data-phase]");
const spin = (page: Page) => page.locator("[data-spin]");
const key = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
const flag = (page: Page) => page.evaluate(() => (window as { longarmAutoplay?: boolean }).longarmAutoplay);
const autoKey = (page: Page) => page.locator("section button[aria-pressed]", { hasText: "Autoplay" });

/** Chooses a number of games and starts; `choice` as it stands in the sheet. */
async function startAutoplay(page: Page, choice: string): Promise<void> {
  await autoKey(page).click();
  const sheet = page.getByRole("dialog", { name: "Autoplay" });
  await sheet.getByRole("radio", { name: choice, exact: true }).check();
  await sheet.getByRole("button", { name: /^Start/ }).click();
  await sheet.waitFor({ state: "detached" });
}

test("player 16: leaving needs a confirmation while credit is on the machine, which says where the credit goes", {
  tags: ["long"],
}, async () => {
  const { page, playing, methods, meters } = await stage.openGame();
  await playing();
  await key(page, "Back to lobby").click();
  const sheet = page.getByRole("dialog", { name: /^Leave / });
  await sheet.getByText("Your credit of ₺4,820.50 goes to your wallet.").waitFor();
  await sheet.getByRole("button", { name: "Stay" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(methods("leave")).toEqual([]);
  // Nothing to lose, nobody waits: no question.
  meters({ credit: 0 });
  await page.locator("main[data-credit='0']").waitFor();
  await key(page, "Back to lobby").click();
  await page.waitForURL("**/lobby");
  expect(methods("leave")).toHaveLength(1);
});

test("R-2.5-06, R-4.4-10: the exit leads to the lobby, with the game socket closed", async () => {
  const { page, playing, backEnd, methods, path } = await stage.openGame();
  await playing();
  await key(page, "Back to lobby").click();
  await confirmLeave(page);
  await page.waitForURL("**/lobby");
  await expect.poll(path).toBe("/lobby");
  await expect.poll(() => methods("leave")).toHaveLength(1);
  await expect.poll(() => backEnd.opened.game.every(({ socket }) => socket.readyState === 3), SOON).toBe(true);
});

test("R-2.5-08: volume and mute are the sound's own, whole at first, and kept for the next time", {
  tags: ["long"],
}, async () => {
  const { page, playing } = await stage.openGame();
  await playing();
  const sound = () => page.locator("audio").evaluate((element: HTMLAudioElement) => [element.volume, element.muted]);
  await expect.poll(() => sound()).toEqual([1, false]);
  await key(page, "Side bar").click();
  const slider = page.getByRole("slider", { name: "Volume" });
  await slider.fill("0.25");
  await expect.poll(() => sound()).toEqual([0.25, false]);
  await key(page, "Close").click();
  await key(page, "Mute").click();
  await expect.poll(sound, SOON).toEqual([0.25, true]);
  await page.reload();
  await playing();
  await expect.poll(sound, SOON).toEqual([0.25, true]);
  await key(page, "Unmute").click();
  await expect.poll(sound, SOON).toEqual([0.25, false]);
});

test.each(
  someOf(1, [
    ["beside the game on a desktop", DESK],
    ["as a drawer on a phone", PHONE],
  ] as const),
)(
  "R-2.5-09, R-9-34: the side bar opens and closes, exactly 240 wide, with the session's facts: %s",
  async (_place, window) => {
    const { page, playing, finish, meters, presses } = await stage.openGame({ window });
    await playing();
    await page.keyboard.press("Space");
    await expect.poll(() => presses.length, SOON).toBe(1);
    finish(5_000);
    meters({ freeSpins: 3 });
    await key(page, "Side bar").click();
    const bar = page.locator("aside, [role=dialog]").filter({ hasText: "Leave the machine" });
    await expect.poll(async () => (await bar.boundingBox())?.width, SOON).toBe(240);
    const facts = () => bar.locator("dl > div").allInnerTexts();
    await expect
      .poll(async () => (await facts()).map((fact) => fact.replaceAll(/\s+/g, " ")), SOON)
      .toEqual([
        expect.stringMatching(/^Session 00:0\d:\d\d$/),
        "Spins 1",
        "Free spins 3",
        "Net +₺38.00",
        expect.stringMatching(/^Wallet ₺[\d,.]+$/),
      ]);
    await bar.getByRole("button", { name: "Close" }).click();
    await bar.waitFor({ state: "detached" });
  },
);

test("R-2.5-10: the money button opens a panel for both directions, with what remains on each side and the amount in its button", async () => {
  const { page, playing, methods } = await stage.openGame({
    world: (world) => void Object.assign(world.balance, { balance: 1_245_075 }),
  });
  await playing();
  await key(page, "Transfer").click();
  const sheet = page.getByRole("dialog", { name: "Transfer" });
  await sheet.getByRole("button", { name: "5,000" }).click();
  await expect.poll(() => sheet.innerText(), SOON).toMatch(/₺7,450\.75 left[\s\S]*₺9,820\.50 then/);
  await sheet.getByRole("button", { name: "Deposit ₺5,000 to machine" }).click();
  await sheet.waitFor({ state: "detached" });
  await expect.poll(() => methods("cashIn")).toMatchObject([{ amount: 500_000 }]);
  await expect.poll(() => spin(page).evaluate((element) => element === document.activeElement)).toBe(true);
  await key(page, "Transfer").click();
  await sheet.getByRole("radio", { name: "To the wallet" }).check();
  await sheet.getByRole("textbox", { name: "Amount" }).fill("20.50");
  await sheet.getByRole("button", { name: "Withdraw ₺20.50 to wallet" }).click();
  await sheet.waitFor({ state: "detached" });
  await expect.poll(() => methods("cashOut")).toMatchObject([{ amount: 2_050 }]);
});

// player 2: on an English page "10.000" beside ₺10,000.00 would read as ten (record 0113).
test.each(
  someOf(1, [
    ["tr", "Lobi ekranına dön", ["500", "5.000", "10.000", "50.000", "100.000"]],
    ["ar", "العودة إلى الصالة", ["500", "5.000", "10.000", "50.000", "100.000"]],
    ["en", "Back to lobby", ["500", "5,000", "10,000", "50,000", "100,000"]],
  ] as const),
)(
  "R-2.5-16, R-9-11, R-9-12: in %s the way back is named %s, and the quick amounts have the settings' labels, as written there: %j",
  async (language, wayBack, labels) => {
    const { page, playing } = await stage.openGame({ window: { ...DESK, language } });
    await playing();
    await expect.poll(() => key(page, wayBack).isVisible()).toBe(true);
    await page
      .locator("section button", { has: page.locator("svg") })
      .filter({ hasText: /Transfer|aktar|تحويل/ })
      .click();
    const quick = page.getByRole("dialog").locator("fieldset").getByRole("button");
    await quick.first().waitFor();
    await expect.poll(async () => (await quick.allInnerTexts()).slice(0, 5)).toEqual(labels);
    await expect.poll(() => quick.count()).toBe(6);
  },
);

test("everything is at most the settings' maxAllIn, and what cannot be paid is disabled, not hidden", {
  tags: ["long"],
}, async () => {
  const { page, playing, methods } = await stage.openGame({
    world: (world) => {
      Object.assign(world.balance, { balance: 9_000_000 });
      Object.assign(world.settings, { maxAllIn: 20_000 });
    },
  });
  await playing();
  await key(page, "Transfer").click();
  const sheet = page.getByRole("dialog", { name: "Transfer" });
  await expect.poll(() => sheet.getByRole("button", { name: "100,000" }).isDisabled()).toBe(true);
  await sheet.getByRole("button", { name: /^All/ }).click();
  await sheet.getByRole("button", { name: "Deposit ₺20,000" }).click();
  await sheet.waitFor({ state: "detached" });
  await expect.poll(() => methods("cashIn")).toMatchObject([{ amount: 2_000_000 }]);
});

test("R-2.5-11, R-4.4-07: the autoplay toggle and the page's one global flag are on and off together", async () => {
  const { page, playing, presses } = await stage.openGame();
  await playing();
  const reported = async () => [await autoKey(page).getAttribute("aria-pressed"), await flag(page)];
  await expect.poll(() => reported()).toEqual(["false", false]);
  await startAutoplay(page, "Until I stop");
  await expect.poll(() => reported()).toEqual(["true", true]);
  await expect.poll(() => presses.length, SOON).toBe(1);
  await autoKey(page).click();
  await expect.poll(() => reported()).toEqual(["false", false]);
});

test("autoplay presses once for each game with the count on STOP; Space stops it without a message", {
  tags: ["long"],
}, async () => {
  const { page, playing, presses, finish } = await stage.openGame();
  await playing();
  await startAutoplay(page, "10");
  for (let game = 1; game <= 3; game += 1) {
    await expect.poll(() => presses.length, SOON).toBe(game);
    await expect.poll(() => spin(page).innerText(), SOON).toMatch(new RegExp(`^STOP\\s+${10 - game}$`));
    finish();
  }
  await expect.poll(() => presses.length, SOON).toBe(4);
  await page.keyboard.press("Space");
  await expect.poll(() => flag(page), SOON).toBe(false);
  finish();
  await expect.poll(() => table(page).getAttribute("data-turning"), SOON).toBe("false");
  await expect.poll(() => spin(page).innerText()).toMatch(/^SPIN/);
  await expect.poll(() => page.getByText(/^Autoplay (has|stopped)/).count()).toBe(0);
});

test("R-4.4-08: opening the money sheet ends autoplay, by the button and when the credit is gone", {
  tags: ["long"],
}, async () => {
  const { page, playing, presses, finish } = await stage.openGame();
  await playing();
  await startAutoplay(page, "25");
  await expect.poll(() => presses.length, SOON).toBe(1);
  await key(page, "Transfer").click();
  await page.getByRole("dialog", { name: "Transfer" }).waitFor();
  expect(await flag(page)).toBe(false);
  await page.getByText("Autoplay stopped for the transfer.").waitFor();
  finish();
  await expect.poll(() => table(page).getAttribute("data-turning"), SOON).toBe("false");
  await expect.poll(() => presses).toHaveLength(1);
});

test("a bonus, a lock, a hidden page and a lost socket end autoplay, each with its reason", {
  tags: ["long"],
}, async () => {
  const { page, playing, presses, finish, meters, close } = await stage.openGame();
  await playing();
  const ends = async (what: () => unknown, why: string): Promise<void> => {
    const before = presses.length;
    await startAutoplay(page, "50");
    await expect.poll(() => presses.length, SOON).toBe(before + 1);
    await what();
    await page.getByText(why).waitFor(SOON);
    expect(await flag(page)).toBe(false);
    meters({ bonus: false, lockup: undefined });
    finish();
    await expect.poll(() => table(page).getAttribute("data-turning"), SOON).toBe("false");
  };
  await ends(() => meters({ bonus: true }), "Autoplay stopped: a bonus round has started and needs you.");
  await ends(() => meters({ lockup: "door" }), "Autoplay stopped: the machine is locked.");
  await ends(async () => {
    await page.evaluate(() => {
      const show = (state: string): void => {
        Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      };
      show("hidden");
      show("visible");
    });
  }, "Autoplay stopped while this page was out of sight.");
  await ends(() => close(1012, "restart"), "Autoplay stopped: the connection was lost.");
});

test("a market that forbids autoplay shows no control of it", { tags: ["long"] }, async () => {
  const { page, playing } = await stage.openGame({
    init: ({ limits }) => void Object.assign(limits ?? {}, { autoplay: false }),
  });
  await playing();
  await expect.poll(() => spin(page).isEnabled()).toBe(true);
  expect(await autoKey(page).count()).toBe(0);
});

test("R-2.5-12: bands are sorted by their Order, the highest first, and a click makes one active", async () => {
  const { page, playing, presses } = await stage.openGame();
  await playing();
  const bands = page.getByRole("group", { name: "Denomination" }).getByRole("button");
  await expect.poll(() => bands.allInnerTexts()).toEqual(["0.50", "0.20", "0.10"]);
  await bands.first().click();
  await expect.poll(() => presses.map(({ button }) => button), SOON).toEqual(["band:50"]);
  await expect.poll(() => bands.first().getAttribute("aria-pressed"), SOON).toBe("true");
  await expect.poll(() => bands.nth(1).getAttribute("aria-pressed")).toBe("false");
});

test("R-2.5-13, R-9-27: a button clicks while the click sound is on, and not while it is off", async () => {
  const { page, playing, presses } = await stage.openGame({
    before: (page) =>
      page.addInitScript(() => {
        const received = { clicks: 0 };
        Object.assign(window, { received });
        const start = AudioBufferSourceNode.prototype.start;
        AudioBufferSourceNode.prototype.start = function (...given) {
          received.clicks += 1;
          start.apply(this, given);
        };
      }),
  });
  const clicks = () => page.evaluate(() => (window as unknown as { received: { clicks: number } }).received.clicks);
  await playing();
  await key(page, "More").click();
  await expect.poll(() => presses.length, SOON).toBe(1);
  await expect.poll(() => clicks()).toBe(1);
  const toggle = key(page, "Click sound");
  await expect.poll(() => toggle.getAttribute("aria-pressed")).toBe("true");
  await toggle.click();
  await expect.poll(() => toggle.getAttribute("aria-pressed")).toBe("false");
  await key(page, "Less").click();
  await expect.poll(() => presses.length, SOON).toBe(2);
  await expect.poll(() => clicks()).toBe(1);
});

test.each(
  someOf(1, [
    ["en", "Deposit", "Withdraw", "Continue", "Connection Lost, please wait."],
    ["tr", "Yükle", "Cüzdana aktar", "Devam et", "Bağlantı koptu, lütfen bekleyin."],
  ] as const),
)(
  "R-2.5-17: withdraw, deposit, continue and connection lost have their texts in %s",
  async (language, deposit, withdraw, resume, lost) => {
    const { page, playing, notify, close, script } = await stage.openGame({ window: { ...DESK, language } });
    await playing();
    notify("countdown", { code: "CODE_18802", count: 42 });
    await page.getByRole("timer").getByRole("button", { name: resume }).waitFor();
    await page.getByRole("button", { name: language === "en" ? "Transfer" : "Para aktar" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: deposit, exact: true }).waitFor();
    await sheet.getByRole("radio").nth(1).check();
    await sheet.getByRole("button", { name: withdraw, exact: true }).waitFor();
    await page.keyboard.press("Escape");
    script("init", () => undefined);
    close(1012, "restart");
    await page.getByText(lost, { exact: true }).first().waitFor(SOON);
  },
);

test("R-4.4-01, R-4.4-02, R-4.4-04: another entry opens with the loading line, the side bar closed and autoplay off", async () => {
  const { page, playing, answer, script, presses, finish } = await stage.openGame({ from: "/lobby" });
  // Its card; the row of machines played lately links to it as well.
  const cabinet = page.locator("article").getByRole("link", { name: new RegExp(answer.machine.name) });
  await cabinet.click();
  await playing();
  await key(page, "Side bar").click();
  await startAutoplay(page, "100");
  await expect.poll(() => flag(page)).toBe(true);
  await expect.poll(() => presses.length, SOON).toBe(1);
  await key(page, "Back to lobby").click();
  await confirmLeave(page);
  // A player who leaves during a game waits for its end.
  await page.locator("main[data-phase=leaving]").waitFor();
  finish();
  await page.waitForURL("**/lobby");
  expect(await flag(page)).toBe(false);
  const gate = Promise.withResolvers<void>();
  script("init", async () => {
    await gate.promise;
    return { ok: answer };
  });
  await cabinet.click();
  await page.getByText("Opening the machine").waitFor();
  await expect.poll(() => table(page).getAttribute("data-phase")).toBe("opening");
  expect(await page.locator("aside").count()).toBe(0);
  await expect.poll(() => key(page, "Side bar").getAttribute("aria-expanded")).toBe("false");
  gate.resolve();
  await playing();
  expect([await flag(page), await autoKey(page).getAttribute("aria-pressed")]).toEqual([false, "false"]);
});

test("a held space bar starts one game, the next press is queued once, and touch plays", {
  tags: ["long"],
}, async () => {
  const { page, playing, presses, finish } = await stage.openGame();
  await playing();
  await page.keyboard.down("Space");
  await page.keyboard.down("Space");
  await expect.poll(() => presses.length, SOON).toBe(1);
  await page.keyboard.up("Space");
  await expect
    .poll(async () => {
      await spin(page).dispatchEvent("pointerdown", { button: 0, pointerType: "touch" });
      return await spin(page).getAttribute("data-state");
    }, SOON)
    .toBe("queued");
  await spin(page).dispatchEvent("pointerdown", { button: 0, pointerType: "touch" });
  finish();
  await expect.poll(() => presses.length, SOON).toBe(2);
  finish();
  await expect.poll(() => table(page).getAttribute("data-turning"), SOON).toBe("false");
  await expect
    .poll(() => presses.map(({ button, stake }) => [button, stake]))
    .toEqual([
      ["spin", 1_200],
      ["spin", 1_200],
    ]);
});

test("a held Enter starts one game", { tags: ["long"] }, async () => {
  const { page, playing, presses, finish } = await stage.openGame();
  await playing();
  await spin(page).focus();
  await page.keyboard.down("Enter");
  await page.keyboard.down("Enter");
  await expect.poll(() => presses.length, SOON).toBe(1);
  await page.keyboard.down("Enter");
  finish();
  await expect.poll(() => table(page).getAttribute("data-turning"), SOON).toBe("false");
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  // Whatever was pressed before has come by now. Two presses in half a second count as one.
  const pressedAgain = async (): Promise<string | null> => {
    await page.keyboard.press("Enter");
    return await table(page).getAttribute("data-turning");
  };
  await expect.poll(pressedAgain, SOON).toBe("true");
  await expect.poll(() => presses.map(({ button }) => button)).toEqual(["spin", "spin"]);
  finish();
});

test("a gamepad plays: A spins, the bumpers change the bet, and behind a dialog or another window it does nothing", {
  tags: ["long"],
}, async () => {
  const { page, playing, presses, finish } = await stage.openGame({
    before: (page) =>
      page.addInitScript(() => {
        const buttons = Array.from({ length: 16 }, () => ({ pressed: false, touched: false, value: 0 }));
        Object.assign(window, { pad: buttons });
        navigator.getGamepads = () => [{ buttons } as unknown as Gamepad, null, null, null];
      }),
  });
  await playing();
  await page.evaluate(() => dispatchEvent(new Event("gamepadconnected")));
  /** Presses a button of the pad until the page has looked at it, then lets it go. */
  const tap = (at: number): Promise<void> =>
    page.evaluate(async (at) => {
      const looked = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const [button] = (window as unknown as { pad: { pressed: boolean }[] }).pad.slice(at);
      await looked();
      if (button) button.pressed = true;
      await looked();
      if (button) button.pressed = false;
      await looked();
    }, at);
  const pressed = () => presses.map(({ button }) => button);
  await tap(5);
  await expect.poll(pressed, SOON).toEqual(["betUp"]);
  await tap(4);
  await expect.poll(pressed, SOON).toEqual(["betUp", "betDown"]);
  await key(page, "Transfer").click();
  await page.getByRole("dialog", { name: "Transfer" }).waitFor();
  await tap(0);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.evaluate(() => Object.assign(document, { hasFocus: () => false }));
  await tap(0);
  await page.evaluate(() => Reflect.deleteProperty(document, "hasFocus"));
  await expect.poll(() => presses).toHaveLength(2);
  await tap(0);
  await expect.poll(pressed, SOON).toEqual(["betUp", "betDown", "spin"]);
  finish();
});
