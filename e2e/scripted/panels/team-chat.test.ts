import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { axeFindings, overflowOf } from "../browser.ts";
import { DESK, everyWindow, PHONE, setUpStage } from "../game-stage.ts";
import type { Scene } from "../scene.ts";
import { withChat } from "./chat-script.ts";

const stage = setUpStage();
const LAYOUT1 = {
  world(world: { settings: Record<string, unknown> }) {
    world.settings["layout"] = "layout1";
  },
};

async function open(more: Scene = {}) {
  const { chat, ...scene } = withChat(more);
  const played = await stage.open("/profile", scene);
  const { page } = played;
  const key = page.locator("[data-chat-key]").first();
  const panel = page.locator("[data-chat-panel]");
  const face = (name: string) => panel.getByRole("button", { name });
  return { ...played, chat: chat(), key, panel, face };
}
const callsTo = ({ calls }: Awaited<ReturnType<typeof open>>["backEnd"], path: string) =>
  calls.filter((call) => call.path === `/api/chat/${path}`);
const bubbles = (page: Page) =>
  page
    .getByRole("log")
    .locator("[dir=auto]")
    .evaluateAll((all) => all.map(({ textContent }) => textContent));
const field = (page: Page) => page.getByRole("textbox", { name: "Type your message" });
const isFocused = (page: Page, selector: string) =>
  page.evaluate((wanted) => document.activeElement?.matches(wanted), selector);

describe("in the casino's layout", () => {
  test("R-2.10-59, R-3-24, R-4.7-06, R-4.7-08, R-4.7-09, R-4.7-10, R-7-19, R-7-20: its key opens Team Chat; key, Escape and a press beside it close it", async () => {
    const { page, backEnd, key, complaints } = await open();
    const dialog = page.getByRole("dialog", { name: "Team Chat", exact: true });
    await key.click();
    await dialog.getByRole("heading", { name: "Team Chat" }).waitFor();
    await dialog.getByText("Select a contact to start a conversation.", { exact: true }).waitFor();
    await expect.poll(() => callsTo(backEnd, "contacts")).toHaveLength(1);
    await expect.poll(() => callsTo(backEnd, "user")[0]?.headers["authorization"]).toBe(`Bearer ${backEnd.token}`);
    for (const close of [
      () => dialog.getByRole("button", { name: "Close" }).click(),
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(400, 500),
    ]) {
      await close();
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => isFocused(page, "[data-chat-key]")).toBe(true);
      await key.press("Enter");
      await dialog.waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test("the key has its room before it comes: nothing beside it moves", { tags: ["long"] }, async () => {
    const file = Promise.withResolvers<void>();
    const { page, key } = await open({
      before: (opening) =>
        opening.route("**/team-chat-part-*.js", async (route) => {
          await file.promise;
          await route.continue();
        }),
    });
    const search = page.getByRole("button", { name: "Search", exact: true });
    await search.waitFor();
    expect(await key.count()).toBe(0);
    const before = await search.boundingBox();
    file.resolve();
    await key.waitFor();
    expect(await search.boundingBox()).toEqual(before);
  });

  test("R-3-25, R-3-26: the contacts one has talked with come first, above a line; each says its state, and what was not read", async () => {
    const { page, key, panel } = await open();
    await expect.poll(() => key.getAttribute("aria-label")).toBe("Team Chat, 3 not read");
    await key.click();
    const names = (list: string) =>
      panel
        .getByRole("list", { name: list })
        .getByRole("button")
        .evaluateAll((all) => all.map((one) => one.querySelector(".visually-hidden")?.textContent));
    await expect.poll(() => names("Conversations")).toEqual(["Zeynep Şahin, Away, 3 not read", "Elif Kaya, Online"]);
    await expect.poll(() => names("Contacts")).toEqual(["Can Demir, Do not disturb", "Player 9F3K, Offline"]);
    // player 32: each face has its name below it, for the eye and not only for a screen reader.
    for (const name of ["Zeynep Şahin", "Elif Kaya", "Can Demir"]) {
      const below = await panel.getByRole("listitem").getByText(name, { exact: true }).boundingBox();
      expect(below?.height).toBeGreaterThan(10);
    }
    const line = (await panel.locator("hr").boundingBox())?.y ?? 0;
    const top = async (name: string) => (await panel.getByRole("button", { name }).boundingBox())?.y ?? 0;
    expect([(await top("Elif Kaya")) < line, (await top("Can Demir")) > line]).toEqual([true, true]);
    const dots = await panel
      .locator("li [data-status]")
      .evaluateAll((all) =>
        all.map((dot) => [
          (dot as HTMLElement).dataset["status"],
          getComputedStyle(dot).backgroundImage + getComputedStyle(dot).backgroundColor,
        ]),
      );
    expect(dots.map(([status]) => status)).toEqual(["away", "online", "do-not-disturb", "offline"]);
    expect(new Set(dots.map(([, look]) => look)).size).toBe(4);
    expect(await overflowOf(page)).toBe(0);
  });

  test("where the platform has no chat nothing of it is shown or requested", { tags: ["long"] }, async () => {
    const { page, backEnd } = await stage.open("/profile");
    await page.getByRole("button", { name: "Search", exact: true }).waitFor();
    await page.locator("input[name=old_password]").waitFor();
    expect(await page.locator("[data-chat-key]").count()).toBe(0);
    expect(backEnd.called().filter((call) => call.includes("/api/chat"))).toEqual([]);
  });

  test("on a phone its key is in the menu, and the panel is worked at 360 px", { tags: ["long"] }, async () => {
    const { page, face, chat } = await open({ window: { ...PHONE, width: 360, height: 640 } });
    await page.getByRole("button", { name: "Open the menu" }).click();
    await page.locator("[role=dialog] [data-chat-key]").click();
    await face("Elif Kaya").click();
    await page.getByRole("dialog", { name: "Elif Kaya, Online" }).waitFor();
    await field(page).fill("360 px");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam", "360 px"]);
    await expect.poll(() => chat.dialogs.get("p_elif")).toHaveLength(2);
    await expect.poll(() => overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => isFocused(page, "[data-menu-key]")).toBe(true);
  });
});

describe("beside the page of the template's layouts", () => {
  test("R-9-35, R-4.7-07, R-4.7-11, R-4.7-12, R-7-22: a column of 70 px; a contact's face slides the panel of 360 px out and opens the chat, closing clears it", async () => {
    const { page, backEnd, panel, face, complaints } = await open(LAYOUT1);
    await face("Zeynep").waitFor();
    const shown = async () => DESK.width - ((await panel.boundingBox())?.x ?? 0);
    await expect.poll(() => shown()).toBe(70);
    await expect
      .poll(async () => (await page.getByRole("complementary", { name: "Team Chat" }).boundingBox())?.width)
      .toBe(70);
    await face("Zeynep").click();
    await expect.poll(shown).toBe(360);
    await page.getByRole("heading", { name: "Zeynep Şahin" }).waitFor();
    const [requested] = callsTo(backEnd, "get-chat");
    expect([...(requested?.query ?? [])]).toEqual([
      ["contactId", "p_zeynep"],
      ["userId", "p_1"],
    ]);
    await expect
      .poll(() => bubbles(page))
      .toEqual(["Nar 07 açık mı?", "Evet, az önce açıldı.", "Jackpot 1.284.930 oldu!", "Gelirsen haber ver."]);
    // It is read now.
    await panel.getByRole("button", { name: "Zeynep Şahin, Away", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(shown).toBe(70);
    await expect.poll(() => isFocused(page, "[title^=Zeynep]")).toBe(true);
    await page.locator("[data-chat-key]").click();
    await page.getByText("Select a contact to start a conversation.", { exact: true }).waitFor();
    expect(await page.getByRole("log").count()).toBe(0);
    await page.mouse.click(600, 500);
    await expect.poll(shown).toBe(70);
    expect(complaints).toEqual([]);
  });

  test("R-3-27, R-4.7-13, R-7-23, R-5-19: one's own bubbles are at the end side; a message is sent and appended, one of blanks is not sent", async () => {
    const { page, backEnd, face } = await open(LAYOUT1);
    await face("Can Demir").click();
    await page.getByText("Start a conversation by typing your message below.", { exact: true }).waitFor();
    for (const blank of ["", "   ", "\n\t "]) {
      await field(page).fill(blank);
      await page.getByRole("button", { name: "Send" }).click();
      await field(page).press("Enter");
    }
    await field(page).fill("  Merhaba\nCan ");
    await field(page).press("Enter");
    await expect.poll(() => bubbles(page)).toEqual(["Merhaba\nCan"]);
    await expect.poll(() => field(page).inputValue()).toBe("");
    // A bubble is shown before its message is sent.
    await expect
      .poll(() => callsTo(backEnd, "send-message").map(({ body }) => body))
      .toEqual([{ chatId: "ch_p_can", messageText: "Merhaba\nCan", contactId: "p_can" }]);
    await face("Elif Kaya").click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam"]);
    await field(page).fill("Sana da");
    await field(page).press("Enter");
    await expect.poll(() => bubbles(page)).toEqual(["Selam", "Sana da"]);
    const log = await page.getByRole("log").boundingBox();
    const middle = (log?.x ?? 0) + (log?.width ?? 0) / 2;
    const sides = await page
      .getByRole("log")
      .locator("[dir=auto]")
      .evaluateAll(
        (all, at) =>
          all.map((one) => {
            const { left, right } = one.getBoundingClientRect();
            return (left + right) / 2 > at ? "right" : "left";
          }),
        middle,
      );
    expect(sides).toEqual(["left", "right"]);
    await page.getByText("now", { exact: true }).waitFor();
    await page.getByText("yesterday", { exact: true }).waitFor();
  });
});

describe("live", () => {
  test("a message comes by itself: into the dialog that is open, else as a number, a word and the first face", {
    tags: ["long"],
  }, async () => {
    const { page, chat, face, panel, backEnd } = await open(LAYOUT1);
    await face("Elif Kaya").click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam"]);
    const before = callsTo(backEnd, "get-chat").length;
    chat.says("p_elif", "Orada mısın?");
    await expect.poll(() => bubbles(page)).toEqual(["Selam", "Orada mısın?"]);
    // The page reports to the platform that it was read.
    await expect.poll(() => callsTo(backEnd, "get-chat").length).toBeGreaterThan(before);
    chat.says("p_can", "<img src=x onerror=alert(1)>");
    await face("Can Demir, Do not disturb, 1 not read").waitFor();
    await page.getByText("Can Demir has written to you.").waitFor();
    expect(
      await panel.getByRole("list", { name: "Conversations" }).getByRole("button").first().getAttribute("title"),
    ).toBe("Can Demir");
    await face("Can Demir").click();
    await expect.poll(() => bubbles(page)).toEqual(["<img src=x onerror=alert(1)>"]);
  });

  test("R-7-21: a player who is not to be disturbed gets no notices about messages, only their number", {
    tags: ["long"],
  }, async () => {
    const { page, chat, face, backEnd } = await open(LAYOUT1);
    await page.locator("[data-chat-key]").click();
    await page.getByLabel("Your status").selectOption("do-not-disturb");
    await expect
      .poll(() => callsTo(backEnd, "user/data").map(({ body }) => body))
      .toEqual([{ status: "do-not-disturb" }]);
    await expect.poll(() => page.getByLabel("Your status").inputValue()).toBe("do-not-disturb");
    chat.says("p_elif", "hello");
    await face("Elif Kaya, Online, 1 not read").waitFor();
    expect(await page.getByText("Elif Kaya has written to you.").count()).toBe(0);
  });

  test("what could not be sent is kept and sent again, and never twice when it had arrived", {
    tags: ["long"],
  }, async () => {
    const { page, chat, face, backEnd } = await open(LAYOUT1);
    await face("Elif Kaya").click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam"]);
    backEnd.failNext("/api/chat/send-message", 503, { code: 60040, ErrorMessage: "away" });
    await field(page).fill("first try");
    await field(page).press("Enter");
    await page.getByText("Not sent.").waitFor();
    // Closing loses nothing.
    await page.keyboard.press("Escape");
    await face("Elif Kaya").click();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam", "first try"]);
    await page.getByText("Not sent.").waitFor({ state: "detached" });
    backEnd.failNext("/api/chat/send-message", 500);
    await field(page).fill("arrived all the same");
    await field(page).press("Enter");
    await page.getByText("Not sent.").waitFor();
    const dialog = chat.dialogs.get("p_elif") ?? [];
    const time = new Date().toISOString();
    chat.dialogs.set("p_elif", [...dialog, { id: "99", who: "p_1", message: "arrived all the same", time }]);
    const before = callsTo(backEnd, "send-message").length;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Not sent.").waitFor({ state: "detached" });
    await expect.poll(() => bubbles(page)).toEqual(["Selam", "first try", "arrived all the same"]);
    expect(callsTo(backEnd, "send-message")).toHaveLength(before);
    backEnd.failNext("/api/chat/send-message", 400, { code: 40000 });
    await field(page).fill("given up");
    await field(page).press("Enter");
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam", "first try", "arrived all the same"]);
  });

  test("contacts and chats that cannot be read are requested again", { tags: ["long"] }, async () => {
    const { page, face } = await open({
      ...LAYOUT1,
      before: (_, backEnd) => {
        backEnd.failNext("/api/chat/contacts", 500);
        backEnd.failNext("/api/chat/get-chat", 500);
      },
    });
    await page.locator("[data-chat-key]").click();
    await page.getByText("The contacts could not be loaded.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await face("Elif Kaya").click();
    await page.getByText("The conversation could not be loaded.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam"]);
  });

  test("without the live connection it says so, and reads everything again once it is back", {
    tags: ["long"],
  }, async () => {
    const { page, chat, face, backEnd } = await open({ ...LAYOUT1, clock: true });
    await face("Elif Kaya").click();
    await expect.poll(() => bubbles(page)).toEqual(["Selam"]);
    backEnd.refuseSockets(true);
    backEnd.drop(1012, "restarts");
    await page.clock.runFor(5_000);
    await page.getByText("The live connection is down. New messages come later.").waitFor();
    const { length } = backEnd.opened.notifications;
    chat.says("p_elif", "meanwhile");
    backEnd.refuseSockets(false);
    await expect
      .poll(async () => {
        await page.clock.runFor(2_000);
        return backEnd.opened.notifications.length > length ? await bubbles(page) : [];
      })
      .toEqual(["Selam", "meanwhile"]);
  });
});

test.each(everyWindow("phone"))(
  "a dialog at $width x $height in $language: no axe finding, no overflow, no complaint",
  { tags: ["long"] },
  async (window) => {
    const { page, face, complaints } = await open({ ...LAYOUT1, window });
    const small = window.width < 1280;
    if (small) await page.locator("[data-chat-key]").first().click();
    await face("Zeynep").click();
    await page.getByRole("log").locator("[dir=auto]").nth(3).waitFor();
    await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"));
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
  },
);
