import { someOf } from "@longarm/link/testing/whole-run";
import { describe, expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import type { Window } from "./browser.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, everyWindow, PHONE, setUpStage } from "./game-stage.ts";
import type { World } from "./world.ts";

const stage = setUpStage();
const CANCEL = "POST /v1/player/cancel";
const KICK = "POST /v1/player/kick";
const NONE = { status: false, id: "none", name: "", machine_status: "unknown" };
const session = (machine_status: string, more: object = {}) => ({
  ...{ status: true, id: "m_1", name: "Nar 07", machine_status },
  ...more,
});

/** A player with credits on a machine, in the lobby; the platform sends the session by itself when there is one. */
async function atLobby(
  reported?: Record<string, unknown>,
  scene: NonNullable<Parameters<typeof stage.open>[1]> = {},
  path = "/lobby",
) {
  const played = await stage.open(path, {
    ...scene,
    world(world: World) {
      world.balance = { balance: 1_245_075, onMachine: 482_050 };
      world.session = reported;
      scene.world?.(world);
    },
  });
  const { page, backEnd } = played;
  await page.locator("#page").waitFor();
  await expect.poll(() => backEnd.listening()).toBe(1);
  const dialog = page.getByRole("dialog");
  const key = (name: string) => dialog.getByRole("button", { name, exact: true });
  const keys = async () =>
    (await dialog.locator("button:visible, a:visible").allTextContents()).map((text) => text.trim());
  const heading = () => dialog.getByRole("heading").textContent();
  return { ...played, dialog, key, keys, heading };
}
/** Isolates that keep a name from turning the text around it. */
const plain = (text: string | null) => (text ?? "").replace(/[\u2068\u2069]/g, "").replace("\u00a0", " ");

describe("it is there", () => {
  test("R-4.3-01, R-2.5-18, R-7-37, R-3-20, R-3-11: a pushed open session opens the dialog with the machine's name, and false closes it", async () => {
    const { page, backEnd, dialog, heading } = await atLobby();
    expect(await dialog.count()).toBe(0);
    backEnd.push("session", session("waiting"));
    await dialog.waitFor();
    await expect.poll(async () => plain(await heading())).toBe("Your game on Nar 07 is open");
    backEnd.push("session", session("error"));
    await page.getByRole("heading", { name: "The machine has a fault" }).waitFor();
    await expect.poll(async () => plain(await dialog.textContent())).toContain("Nar 07");
    backEnd.push("session", NONE);
    await dialog.waitFor({ state: "detached" });
  });

  test("R-4.3-01, R-2.5-18: a login with an open session shows it, on other pages of the shell too", {
    tags: ["long"],
  }, async () => {
    const { dialog, page, key } = await atLobby(session("waiting"), {}, "/profile");
    await dialog.waitFor();
    await key("Back to lobby").click();
    await page.waitForURL("**/lobby");
    await dialog.waitFor({ state: "detached" });
  });

  test("it shows credit, time, spins and how long the seat is kept, and keeps counting", {
    tags: ["long"],
  }, async () => {
    const { dialog, page } = await atLobby(
      session("waiting", {
        until: new Date(Date.now() + 300_000).toISOString(),
        started_at: new Date(Date.now() - 2_538_000).toISOString(),
        spin_count: 1316,
      }),
    );
    await dialog.waitFor();
    const fact = (name: string) => dialog.locator("dl > div", { hasText: name }).locator("dd").textContent();
    await expect.poll(() => fact("Credit")).toContain("4,820.50");
    await expect.poll(() => fact("Time")).toMatch(/^00:4\d:\d\d$/);
    await expect.poll(() => fact("Spins")).toBe("1,316");
    const seconds = async () =>
      Number(/in (\d+) seconds/.exec((await dialog.locator("p").last().textContent()) ?? "")?.[1]);
    const first = await seconds();
    expect(first).toBeLessThanOrEqual(300);
    await expect.poll(seconds, { timeout: 30_000 }).toBeLessThan(first);
    await expect.poll(() => page.getByRole("dialog").count()).toBe(1);
  });

  test("a player who closes it is left alone until the machine's status changes, or the page is loaded anew", {
    tags: ["long"],
  }, async () => {
    const { dialog, key, page, backEnd } = await atLobby(session("waiting"));
    await key("Close").click();
    await dialog.waitFor({ state: "detached" });
    await page.locator("[data-machine=m_1][data-mine]").waitFor();
    backEnd.push("session", session("waiting"));
    backEnd.push("balance", { balance: 700 });
    await expect.poll(() => page.locator("header").first().textContent()).toContain("7.00");
    await page.goto(`${backEnd.url}/profile`);
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    backEnd.push("session", session("in-bonus"));
    await page.getByRole("heading", { name: "Your bonus is waiting" }).waitFor();
  });

  test("on the game of the same machine it is not there", { tags: ["long"] }, async () => {
    const { page, backEnd } = await stage.open("/game/m_1/Nar%2007", {
      world: (world) => {
        world.session = session("playing");
      },
    });
    await expect.poll(() => backEnd.listening()).toBe(1);
    await expect.poll(() => backEnd.opened.game.length).toBe(1);
    backEnd.push("session", session("in-bonus"));
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });
});

describe("variants", () => {
  test("R-4.3-02: in-bonus has its text and Continue only", async () => {
    const { heading, keys, dialog } = await atLobby(session("in-bonus"));
    await dialog.waitFor();
    await expect.poll(() => heading()).toBe("Your bonus is waiting");
    await expect.poll(() => keys()).toEqual(["Continue"]);
  });

  test("R-4.3-03, R-6-12: waiting offers to reconnect, to cash out, and to close", { tags: ["long"] }, async () => {
    const { keys, dialog } = await atLobby(session("waiting"));
    await dialog.waitFor();
    await expect.poll(() => dialog.textContent()).toContain("go on where you stopped");
    await expect.poll(() => keys()).toEqual(["Continue", "Cash out", "Close"]);
  });

  test("a seat without credits has nothing to cash out; where the platform does not say, it is offered", {
    tags: ["long"],
  }, async () => {
    const { keys, key, dialog, backEnd } = await atLobby(session("waiting"));
    await key("Cash out").waitFor();
    backEnd.push("balance", { balance: 1_245_075, onMachine: 0 });
    await key("Cash out").waitFor({ state: "detached" });
    await expect.poll(() => keys()).toEqual(["Continue", "Close"]);
    await expect.poll(() => dialog.textContent()).toContain("No credit is on the machine");
    backEnd.push("balance", { balance: 1_245_075 });
    await key("Cash out").waitFor();
  });

  test("R-4.3-04: trying-cashout shows its progress, and no Continue", { tags: ["long"] }, async () => {
    const { keys, dialog, heading } = await atLobby(session("trying-cashout"));
    await dialog.waitFor();
    await expect.poll(() => heading()).toBe("Your credit is moving to your wallet");
    await dialog.getByRole("progressbar", { name: "Your credit is moving to your wallet" }).waitFor();
    expect(await keys()).not.toContain("Continue");
  });

  test("R-4.3-05, R-6-11: playing names support, whom it leads to, and offers to kick the player", {
    tags: ["long"],
  }, async () => {
    const { dialog, heading, key } = await atLobby(session("playing"), {
      world: ({ settings }) => {
        settings["contacts"] = [{ title: "Desk", phone: "+90 555 000 00 01" }];
      },
    });
    await dialog.waitFor();
    await expect.poll(() => heading()).toBe("This session may be someone else’s");
    await expect.poll(() => dialog.textContent()).toContain("contact support");
    const support = dialog.getByRole("link", { name: "Contact support" });
    await expect.poll(() => support.getAttribute("href")).toBe("https://wa.me/905550000001");
    await key("Kick the player").waitFor();
  });

  test("R-4.3-05: several contacts are behind one key, and without any nothing is offered", {
    tags: ["long"],
  }, async () => {
    const { key, dialog, backEnd, page } = await atLobby(session("playing"));
    await key("Contact support").click();
    await expect.poll(() => key("Contact support").getAttribute("aria-expanded")).toBe("true");
    await expect.poll(() => dialog.getByRole("link").count()).toBe(2);
    backEnd.world.settings["contacts"] = [];
    await page.goto(`${backEnd.url}/lobby`);
    await key("Kick the player").waitFor();
    expect(await key("Contact support").count()).toBe(0);
  });

  test("R-4.3-06: error names the fault and can be closed; credits can be cashed out while there are some", {
    tags: ["long"],
  }, async () => {
    const { keys, key, dialog, heading, backEnd } = await atLobby(session("error"));
    await dialog.waitFor();
    await expect.poll(() => heading()).toBe("The machine has a fault");
    await expect.poll(() => keys()).toEqual(["Cash out", "Contact support", "Close"]);
    backEnd.push("balance", { balance: 700, onMachine: 0 });
    await key("Cash out").waitFor({ state: "detached" });
    await key("Close").click();
    await dialog.waitFor({ state: "detached" });
  });

  test("R-4.3-07: offline says so, looks again on request, and can be closed", async () => {
    const { key, dialog, heading, backEnd, page, complaints } = await atLobby(session("offline"));
    await dialog.waitFor();
    await expect.poll(() => heading()).toBe("The machine is offline");
    const before = backEnd.opened.notifications.length;
    backEnd.world.session = session("waiting");
    await key("Try again").click();
    await expect.poll(() => backEnd.opened.notifications.length).toBe(before + 1);
    await page.getByRole("heading", { name: "Your game on" }).waitFor();
    expect(complaints).toEqual([]);
    backEnd.push("session", session("offline"));
    await page.getByRole("heading", { name: "The machine is offline" }).waitFor();
    await key("Close").click();
    await dialog.waitFor({ state: "detached" });
  });

  test("R-4.3-08: a status that is not known is unknown, and nothing breaks", { tags: ["long"] }, async () => {
    const { keys, dialog, heading, complaints, backEnd } = await atLobby();
    for (const status of ["xyz", "", "__proto__", "constructor", "<img src=x onerror=alert(1)>"]) {
      backEnd.push("session", session(status));
      await dialog.waitFor();
      await expect.poll(() => heading()).toBe("We cannot see the machine yet");
      await expect.poll(() => keys()).toEqual(["Try again", "Close"]);
      backEnd.push("session", NONE);
      await dialog.waitFor({ state: "detached" });
    }
    expect(complaints).toEqual([]);
  });

  test("R-4.3-08: the settings give other names to the variants; a wrong one is unknown", {
    tags: ["long"],
  }, async () => {
    const { page, backEnd, heading, dialog } = await atLobby(session("7"), {
      world: ({ settings }) => {
        settings["reconnectStatus"] = { "7": "in-bonus", gone: "offline", bad: "nonsense" };
      },
    });
    await dialog.waitFor();
    await expect.poll(() => heading()).toBe("Your bonus is waiting");
    backEnd.push("session", session("gone"));
    await page.getByRole("heading", { name: "The machine is offline" }).waitFor();
    backEnd.push("session", session("bad"));
    await page.getByRole("heading", { name: "We cannot see the machine yet" }).waitFor();
  });
});

describe("actions", () => {
  test("R-4.3-09: Continue goes to the machine's game with its id and name, and the dialog is gone", {
    tags: ["long"],
  }, async () => {
    const { key, dialog, path, page } = await atLobby(session("waiting"));
    await key("Continue").click();
    await page.waitForURL("**/game/m_1/**");
    await expect.poll(path).toBe("/game/m_1/Nar%2007");
    await dialog.waitFor({ state: "detached" });
  });

  test("R-4.3-10, R-4.3-12, R-7-11, R-6-12: where the platform does not say what moved, Cash out cancels the session, and rejoins the machine by a new socket with the token", async () => {
    const { key, page, backEnd, dialog } = await atLobby(session("waiting"));
    const held = Promise.withResolvers<void>();
    const bodies: unknown[] = [];
    backEnd.script(CANCEL, async ({ body }) => {
      bodies.push(body);
      await held.promise;
      return ok({ code: 20000 });
    });
    await key("Cash out").click();
    await expect.poll(() => bodies).toEqual([{ machineId: "m_1" }]);
    // Pressed again, it is still one call; and nothing is joined before the answer.
    await key("Cash out").click();
    backEnd.push("session", session("trying-cashout"));
    await dialog.getByRole("progressbar").waitFor();
    expect(backEnd.opened.game).toHaveLength(0);
    backEnd.world.balance = { balance: 1_727_125 };
    held.resolve();
    await page.waitForURL("**/game/m_1/**");
    await expect.poll(() => backEnd.opened.game.length).toBe(1);
    const address = new URL(backEnd.opened.game[0]?.url ?? "", backEnd.url);
    expect([address.pathname, address.searchParams.get("machine")]).toEqual(["/game", "m_1"]);
    expect(address.searchParams.get("token")).toBe(backEnd.token);
    await page.getByText("Your credit was moved to your wallet.").waitFor();
    expect(bodies).toHaveLength(1);
    // The wallet was requested after the answer.
    await expect
      .poll(() => backEnd.called().lastIndexOf("GET /v1/player/balance"))
      .toBeGreaterThan(backEnd.called().indexOf(CANCEL));
  });

  // player 1
  test("R-4.3-10: a platform that says what moved is not rejoined: the player stays in the lobby and reads the amount", async () => {
    const { key, page, backEnd, dialog, path } = await atLobby(session("waiting"));
    backEnd.script(CANCEL, () => ok({ code: 20000, Params: { amount: 501_540 } }));
    await key("Cash out").click();
    await page.getByText("₺5,015.40 was moved to your wallet.").waitFor();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(path).toBe("/lobby");
    expect(backEnd.opened.game).toHaveLength(0);
  });

  test.each(
    someOf(1, [
      ["en", 60015, "Cash out", "A game is still running. Your credit can move once it has ended."],
      ["en", 60040, "Cash out", "The machine does not answer. Your credit stays on it; try again in a moment."],
      ["tr", 60041, "Cüzdana aktar", /^Makine henüz onaylamadı\. .* hiçbir şey kaybolmaz\.$/],
      ["ar", 60042, "نقل إلى المحفظة", /^الماكينة مقفلة حتى يحضر موظف\./],
    ] as const),
  )("player 1: in %s a cash-out that fails with %s is explained in the dialog", async (language, code, name, words) => {
    const { key, backEnd, dialog, path, page } = await atLobby(session("waiting"), {
      window: { ...PHONE, language },
    });
    backEnd.script(CANCEL, () => refused(409, code));
    await key(name).click();
    await dialog.getByRole("alert").getByText(words).waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await expect.poll(path).toBe("/lobby");
    expect(backEnd.opened.game).toHaveLength(0);
  });

  test("R-4.3-12: the new socket goes to the machine's own address, where the list gives one", {
    tags: ["long"],
  }, async () => {
    const { key, backEnd } = await atLobby(session("waiting"), {
      world: ({ machines }) => {
        Object.assign(machines[0] ?? {}, { url: "/game?floor=7" });
      },
    });
    backEnd.script(CANCEL, () => ok({ code: 20000 }));
    await key("Cash out").click();
    await expect.poll(() => backEnd.opened.game.length).toBe(1);
    const { searchParams } = new URL(backEnd.opened.game[0]?.url ?? "", backEnd.url);
    expect([searchParams.get("floor"), searchParams.get("token")]).toEqual(["7", backEnd.token]);
  });

  test("credits of a machine with a fault come back without sitting down at it again", { tags: ["long"] }, async () => {
    const { key, page, backEnd, dialog, path } = await atLobby(session("error"));
    backEnd.script(CANCEL, () => ok({ code: 20000 }));
    await key("Cash out").click();
    await page.getByText("Your credit was moved to your wallet.").waitFor();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(path).toBe("/lobby");
    expect(backEnd.opened.game).toHaveLength(0);
  });

  test("who closes the dialog while the credits come back is not taken to the machine", {
    tags: ["long"],
  }, async () => {
    const { key, page, backEnd, dialog, path } = await atLobby(session("waiting"));
    const held = Promise.withResolvers<void>();
    backEnd.script(CANCEL, () => held.promise.then(() => ok({ code: 20000 })));
    await key("Cash out").click();
    await expect.poll(() => backEnd.called()).toContain(CANCEL);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    held.resolve();
    await page.getByText("Your credit was moved to your wallet.").waitFor();
    await expect.poll(path).toBe("/lobby");
    expect(backEnd.opened.game).toHaveLength(0);
  });

  test("R-4.3-11, R-7-10, R-6-11: Kick the player calls for its machine; done, the dialog is closed and the game continues here", async () => {
    const { key, page, backEnd, dialog } = await atLobby(session("playing"));
    const bodies: unknown[] = [];
    backEnd.script(KICK, ({ body }) => {
      bodies.push(body);
      return ok({ code: 20000 });
    });
    await key("Kick the player").click();
    await page.waitForURL("**/game/m_1/**");
    expect(bodies).toEqual([{ machineId: "m_1" }]);
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => backEnd.opened.game[0]?.frames[0]).toMatchObject({ method: "init" });
  });

  test("R-7-10, R-7-11: a refusal is shown in the player's language or in the words of the answer, and the dialog stays", {
    tags: ["long"],
  }, async () => {
    const { key, page, backEnd, path } = await atLobby(session("playing"));
    backEnd.script(KICK, () => refused(409, 50100));
    await key("Kick the player").click();
    await page.getByText("The session has been terminated, unable to process the transaction").waitFor();
    backEnd.script(KICK, () => refused(409, 99999, { ErrorMessage: "Ask at desk 4" }));
    await key("Kick the player").click();
    await page.getByRole("alert").filter({ hasText: "Ask at desk 4" }).waitFor();
    await key("Kick the player").waitFor();
    backEnd.push("session", session("waiting"));
    backEnd.script(CANCEL, () => ok({ status: false, ErrorMessage: "The machine is busy" }));
    await key("Cash out").click();
    await page.getByText("The machine is busy").waitFor();
    await expect.poll(path).toBe("/lobby");
    expect(backEnd.opened.game).toHaveLength(0);
  });

  test("a notice is shown over the dialog, and closing it leaves the dialog", { tags: ["long"] }, async () => {
    const { key, page, backEnd, dialog } = await atLobby(session("playing"));
    backEnd.script(KICK, () => refused(409, 50100));
    await key("Kick the player").click();
    const message = page.getByRole("alert").filter({ hasText: "terminated" });
    // The pointer would not reach what lies under the dialog.
    await message.getByRole("button").click();
    await message.waitFor({ state: "detached" });
    await expect.poll(() => dialog.count()).toBe(1);
  });

  test("hostile names and ids stay text, and every call carries the id as it came", { tags: ["long"] }, async () => {
    const name = `\u202e<script>alert(1)</script> $t(app.close) {machine} ${"W".repeat(500)}`;
    const id = "../m?x=1#é/%2e";
    const { page, backEnd, dialog, key, complaints, heading } = await atLobby(session("waiting", { id, name }));
    await dialog.waitFor();
    await expect.poll(() => heading()).toContain("<script>alert(1)</script> $t(app.close) {machine} WWW");
    expect((await heading())?.length).toBeLessThan(120);
    expect(await overflowOf(page)).toBe(0);
    const bodies: unknown[] = [];
    backEnd.script(CANCEL, ({ body }) => {
      bodies.push(body);
      return refused(409, 50100);
    });
    await key("Cash out").click();
    await expect.poll(() => bodies).toEqual([{ machineId: id }]);
    backEnd.push("session", session("waiting", { id: 7, name: "", until: "soon", started_at: 5, spin_count: -1 }));
    await expect.poll(async () => plain(await heading())).toBe("Your game on 7 is open");
    await expect.poll(() => dialog.locator("dl > div").count()).toBe(1);
    expect(complaints.filter((line) => !/409/.test(line))).toEqual([]);
  });
});

describe("in every form", () => {
  test("by keyboard alone: the focus is in the dialog, stays there, and Escape gives it back", {
    tags: ["long"],
  }, async () => {
    const { page, dialog, backEnd } = await atLobby();
    const search = page.getByRole("searchbox").first();
    await search.focus();
    backEnd.push("session", session("waiting"));
    await dialog.waitFor();
    const inside = () => page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null);
    await expect.poll(inside).toBe(true);
    // Nothing is chosen by a key that was on its way when the dialog came.
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe("BUTTON");
    for (const name of ["Continue", "Cash out", "Close", "Continue"]) {
      await page.keyboard.press("Tab");
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
  });

  /** Looks at these variants one after the other, in one window. */
  async function look(window: Window, ...statuses: string[]): Promise<void> {
    const { page, dialog, backEnd, complaints } = await atLobby(undefined, { window });
    for (const status of statuses) {
      backEnd.push("session", session(status, { started_at: new Date().toISOString(), spin_count: 12 }));
      await dialog.locator(`[data-variant=${status === "xyz" ? "unknown" : status}]`).waitFor();
      // What moves once must have come to rest: axe measures contrast.
      await page.evaluate(async () => {
        const once = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations === 1);
        await Promise.allSettled(once.map(({ finished }) => finished));
      });
      expect(await axeFindings(page), status).toEqual([]);
      expect(await overflowOf(page), status).toBe(0);
      const small = await dialog
        .locator("button:visible, a:visible")
        .evaluateAll((all) =>
          all.filter((one) => one.getBoundingClientRect().height < 43.9).map((one) => one.outerHTML),
        );
      expect(small, status).toEqual([]);
    }
    expect(complaints).toEqual([]);
  }
  for (const window of everyWindow("phone"))
    test(`axe finds nothing in waiting and playing, ${window.width} in ${window.language}`, { tags: ["long"] }, () =>
      look(window, "waiting", "playing"),
    );
  for (const language of ["tr", "en", "ar"] as const)
    test(`axe finds nothing in the other variants, in ${language}`, { tags: ["long"] }, () =>
      look(
        { ...(language === "en" ? DESK : PHONE), language },
        "in-bonus",
        "trying-cashout",
        "error",
        "offline",
        "xyz",
      ),
    );
});
