import { createHash } from "node:crypto";
import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import type { World } from "./world.ts";

const stage = setUpStage();
const PIN = "2468";
const hashOf = (kind: string, pin = PIN) => createHash(kind).update(pin).digest("hex");

/** A world whose screen locks; the platform knows the lock's calls. */
function locking(settings: Record<string, unknown> = {}, pin = hashOf("sha256")) {
  return (world: World): void => {
    Object.assign(world.settings, { pinCheck: true, deactivatedMs: 0 }, settings);
    world.signIn["pin_code"] = pin;
  };
}
const knowsLock = (_: Page, backEnd: ScriptedBackEnd): void => {
  backEnd.script("POST /v1/player/lock", () => ok({ code: 20000 }));
  backEnd.script("POST /v1/player/unlock", () => ok({ code: 20000 }));
};
const scene = { clock: true, world: locking(), before: knowsLock } as const satisfies Scene;

const kept = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);
const locked = (page: Page) => page.getByRole("dialog", { name: "LOCKED" });
const shownText = (page: Page) => page.evaluate(() => document.body.textContent ?? "");

/** The lobby is open and its idle time is watched. */
async function inLobby(page: Page): Promise<void> {
  await page.locator("article").first().waitFor();
  await expect.poll(() => kept(page, "longarm.lastInput")).not.toBeNull();
}
/** The same with a stopped clock: what the page does with an answer waits for its next turn. */
async function backInLobby(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      await page.clock.runFor(10);
      return await page.locator("article").count();
    })
    .toBeGreaterThan(0);
  await inLobby(page);
}
async function lockUp(page: Page): Promise<void> {
  await inLobby(page);
  await page.clock.fastForward(60_000);
  await page.locator("input[name=pin]").waitFor();
}

test("R-4.5-02, R-9-15, R-2.9-01, R-2.9-02, R-2.9-03, R-2.9-04: 60 s without an input lock the screen, an input starts them again", async () => {
  const { page, backEnd } = await stage.open("/lobby", scene);
  await inLobby(page);
  // Stop the clock: what ran over the limit meanwhile locks, and the count begins with the opening.
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await locked(page).waitFor();
  await page.keyboard.type(PIN);
  await backInLobby(page);
  await page.clock.runFor(50_000);
  await page.keyboard.press("Shift");
  await page.clock.runFor(59_000);
  expect(await locked(page).count()).toBe(0);
  await page.clock.runFor(1_000);
  await locked(page).waitFor();
  await page.getByText("You have been away for a while. Your session is still open").waitFor();
  await page.getByLabel("PIN", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Logout" }).waitFor();
  await expect.poll(() => backEnd.called().filter((call) => call === "POST /v1/player/lock").length).toBe(2);
});

test.each(
  someOf(1, [
    [
      "R-4.5-01, R-9-20: PIN check off (the default)",
      (world: World): void => void Object.assign(world.signIn, { pin_code: hashOf("md5") }),
    ],
    ["a player without a PIN, and no default one", locking({}, "")],
    ["a PIN in no form that we know", locking({}, PIN)],
  ] as const),
)("%s: two idle minutes lock nothing", async (_, world) => {
  const { page, backEnd } = await stage.open("/lobby", { clock: true, world });
  await inLobby(page);
  await page.clock.fastForward(120_000);
  await page.locator("article").first().waitFor();
  expect(await page.locator("input[name=pin]").count()).toBe(0);
  expect(backEnd.called()).not.toContain("POST /v1/player/lock");
});

test("R-4.5-01: a guest is never locked out", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/login", { clock: true, guest: true, world: locking() });
  await page.locator("main button").first().waitFor();
  await page.clock.fastForward(120_000);
  await page.locator("main button").first().waitFor();
  expect(await page.locator("input[name=pin]").count()).toBe(0);
});

test.each(someOf(1, ["md5", "sha1", "sha256", "sha512"] as const))(
  "R-4.5-03, R-3-32: the right PIN opens, by its %s in whatever case; a wrong one says so and stays",
  async (kind) => {
    const { page, backEnd } = await stage.open("/lobby/nar/Nar", {
      ...scene,
      world: locking({}, hashOf(kind).toUpperCase()),
    });
    await inLobby(page);
    await expect.poll(() => kept(page, "pin_code")).toBe(hashOf(kind).toUpperCase());
    await lockUp(page);
    await page.keyboard.type("1357");
    await page.keyboard.press("Enter");
    await page.getByText("That is not the PIN. Please try again.").waitFor();
    expect(await page.inputValue("input[name=pin]")).toBe("");
    expect(backEnd.called()).not.toContain("POST /v1/player/unlock");
    for (const digit of PIN) await page.getByRole("button", { name: digit, exact: true }).click();
    await page.locator("article").first().waitFor();
    await page.waitForURL("**/lobby/nar/Nar");
    await expect
      .poll(() => backEnd.calls.findLast(({ path }) => path === "/v1/player/unlock")?.body)
      .toEqual({ pin: hashOf("sha256") });
    expect(await kept(page, "longarm.lock")).toBeNull();
  },
);

test("R-4.5-07, R-3-33: a reload stays locked, nothing of the player is in the page, and no call is made", async () => {
  const { page, backEnd } = await stage.open("/lobby", scene);
  await lockUp(page);
  expect(await kept(page, "longarm.lock")).not.toBeNull();
  await expect.poll(() => backEnd.called()).toContain("POST /v1/player/lock");
  const calls = backEnd.calls.length;
  for (const path of ["/lobby", "/transactions", "/game/m_3/Mercan%2004", "/login"]) {
    await page.goto(backEnd.url + path);
    await page.locator("input[name=pin]").waitFor();
    expect(await shownText(page)).not.toMatch(/Deniz|deniz|12,450|85\.104|Nar|Mercan/);
    await expect.poll(() => page.title()).toBe("LOCKED · Longarm");
    expect(await page.locator("video, nav, article").count()).toBe(0);
  }
  await expect.poll(() => backEnd.calls).toHaveLength(calls);
  await page.keyboard.press("Escape");
  await page.keyboard.type(PIN);
  // A player at the login is led on.
  await page.waitForURL("**/lobby");
  await page.getByText("Deniz Aydın").first().waitFor();
});

test("R-4.5-04, R-4.5-05, R-4.5-06: Logout on the lock screen clears lock and PIN and logs out", async () => {
  const { page, backEnd } = await stage.open("/lobby/nar/Nar", scene);
  await lockUp(page);
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL("**/login");
  await page.locator("main button").first().waitFor();
  await expect.poll(() => backEnd.called()).toContain("POST /v1/player/logout");
  const logout = backEnd.calls.find(({ path }) => path === "/v1/player/logout");
  expect(logout?.headers["authorization"]).toBe(`Bearer ${backEnd.token}`);
  for (const key of ["longarm.lock", "pin_code", "jwt_access_token"]) expect(await kept(page, key)).toBeNull();
});

test("who takes the lock flag away takes the sign-in away, in every tab", async () => {
  const { page, backEnd } = await stage.open("/lobby", scene);
  await lockUp(page);
  expect(await kept(page, "jwt_access_token")).toBeNull();
  const other = await page.context().newPage();
  await other.goto(`${backEnd.url}/lobby`);
  await other.locator("input[name=pin]").waitFor();
  await other.evaluate(() => localStorage.removeItem("longarm.lock"));
  await page.waitForURL("**/login");
  await other.reload();
  await other.waitForURL("**/login");
});

/** A platform that judges the PIN itself. */
const judging =
  (isSet: boolean) =>
  (world: World): void => {
    locking({}, "")(world);
    world.signIn["pin_set"] = isSet;
  };

test("attack 5: where the platform judges, the PIN goes out as typed once it is complete, and only its yes opens", async () => {
  const { page, backEnd } = await stage.open("/lobby", { clock: true, world: judging(true) });
  const sent = () => backEnd.calls.filter(({ path }) => path === "/v1/player/unlock").map(({ body }) => body);
  backEnd.script("POST /v1/player/lock", () => ok({ code: 20000 }));
  backEnd.script("POST /v1/player/unlock", () => refused(400, 60051, { Params: { left_count: 4 } }));
  await lockUp(page);
  await page.reload();
  await page.locator("input[name=pin]").waitFor();
  await page.keyboard.type("13579");
  await page.keyboard.press("Backspace");
  expect(sent()).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByText("Wrong PIN. Remaining attempts: 4").waitFor();
  expect(sent()).toEqual([{ pin: "1357" }]);
  // Answers by which a page that compares would open.
  for (const answer of [refused(404, 404), refused(400, 40000), refused(429, 60030, { Params: { seconds: 5 } })]) {
    backEnd.script("POST /v1/player/unlock", () => answer);
    const before = sent().length;
    await page.keyboard.type(PIN);
    await page.keyboard.press("Enter");
    await expect.poll(() => sent().length).toBe(before + 1);
    await expect.poll(() => page.locator("[aria-busy]").count()).toBe(0);
    expect(await locked(page).count()).toBe(1);
    for (const _ of PIN) await page.keyboard.press("Backspace");
  }
  backEnd.script("POST /v1/player/unlock", () => ok({ code: 20000 }));
  await page.keyboard.type(PIN);
  await page.keyboard.press("Enter");
  await inLobby(page);
});

test("attack 9: inputs are reported to a platform that judges idleness", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/lobby", { clock: true, world: judging(true) });
  await inLobby(page);
  await expect
    .poll(async () => {
      await page.keyboard.press("Shift");
      return backEnd.called();
    })
    .toContain("POST /v1/player/active");
});

test("attack 9: a player without a PIN is offered to set one, by keyboard too; once put off, the offer does not come again", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", { world: judging(false) });
  const dialog = page.getByRole("dialog", { name: "Choose a PIN" });
  await dialog.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.fill("input[name=pin_password]", "a password");
  await page.fill("input[name=new_pin]", "12ab34");
  await page.fill("input[name=new_pin_again]", "1235");
  await page.keyboard.press("Enter");
  await page.getByText("The two PINs are not the same.").waitFor();
  expect(backEnd.called()).not.toContain("POST /v1/player/pin");
  await page.fill("input[name=new_pin_again]", "1234");
  backEnd.script("POST /v1/player/pin", () => refused(400, 60053));
  await page.keyboard.press("Enter");
  await page.getByText("This PIN is too easy to guess: choose another one").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("new_pin");
  backEnd.script("POST /v1/player/pin", () => refused(400, 40001));
  await page.keyboard.press("Enter");
  await page.getByText("That is not your password.").waitFor();
  backEnd.world.signIn["pin_set"] = true;
  backEnd.script("POST /v1/player/pin", () => ok({ code: 20000 }));
  await page.fill("input[name=new_pin]", "4711");
  await page.fill("input[name=new_pin_again]", "4711");
  await page.keyboard.press("Enter");
  await page.getByText("Your PIN is saved.").waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(backEnd.calls.findLast(({ path }) => path === "/v1/player/pin")?.body).toEqual({
    password: "a password",
    pin: "4711",
  });
});

test("attack 9: the question for a PIN can be put off", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", { world: judging(false) });
  const dialog = page.getByRole("dialog", { name: "Choose a PIN" });
  await dialog.waitFor();
  await page.getByRole("button", { name: "Later" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("navigation", { name: "Brands" }).getByRole("link", { name: /Nar/ }).click();
  await page.waitForURL("**/lobby/nar/**");
  expect(await dialog.count()).toBe(0);
});

test("tabs lock and unlock together, and an input in one counts for all", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/lobby", { world: locking({ idleLockMs: 600_000 }), before: knowsLock });
  await inLobby(page);
  const other = await page.context().newPage();
  await other.goto(`${backEnd.url}/lobby`);
  await inLobby(other);
  const before = Number(await kept(page, "longarm.lastInput"));
  await expect
    .poll(async () => {
      await other.keyboard.press("Shift");
      return Number(await kept(page, "longarm.lastInput"));
    })
    .toBeGreaterThan(before);
  // What the platform says of one tab's call locks both.
  backEnd.script("GET /v1/machine/all", () => refused(423, 60050));
  backEnd.script("GET /v1/machine/nar", () => refused(423, 60050));
  await page.getByRole("navigation", { name: "Brands" }).getByRole("link", { name: /Nar/ }).click();
  await page.locator("input[name=pin]").waitFor();
  await other.locator("input[name=pin]").waitFor();
  backEnd.script("GET /v1/machine/all", () => ok(backEnd.world.machines));
  backEnd.script("GET /v1/machine/nar", () => ok(backEnd.world.machines));
  await other.keyboard.type(PIN);
  await other.locator("article").first().waitFor();
  await page.locator("article").first().waitFor();
});

test("a platform that remembers the lock has it shown after a reload, though the browser forgot it", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", {
    world: (world) => {
      locking()(world);
      world.signIn["locked"] = true;
    },
    before: knowsLock,
  });
  await page.locator("input[name=pin]").waitFor();
  expect(await shownText(page)).not.toContain("Deniz");
  backEnd.world.signIn["locked"] = false;
  await page.keyboard.type(PIN);
  await page.locator("article").first().waitFor();
});

test("a platform that knows another PIN is believed, and the sign-in that it ends is over", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", scene);
  backEnd.script("POST /v1/player/unlock", () => refused(400, 60051, { Params: { left_count: 2 } }));
  await lockUp(page);
  await page.keyboard.type(PIN);
  await page.getByText("Wrong PIN. Remaining attempts: 2").waitFor();
  backEnd.script("POST /v1/player/unlock", () => refused(401, 10));
  await page.keyboard.type(PIN);
  await page.waitForURL("**/login");
  await page.getByText("Invalid access_token").waitFor();
  expect(await kept(page, "longarm.lock")).toBeNull();
});

test("an information text that was read does not come again behind the lock, not even after a reload", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby", { ...scene, world: locking({ infoText: "Hello" }) });
  await page.getByText("Hello").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Hello").waitFor({ state: "detached" });
  await lockUp(page);
  await page.reload();
  await page.locator("input[name=pin]").waitFor();
  await page.keyboard.type(PIN);
  await inLobby(page);
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("without an answer it stays locked and says why; a back end without these calls is opened by the page alone", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", { clock: true, world: locking() });
  await page.route("**/player/unlock", (route) => route.abort());
  await lockUp(page);
  await page.keyboard.type(PIN);
  await page.getByText("Network Error, please check your connection").waitFor();
  await page.unroute("**/player/unlock");
  await page.keyboard.press("Enter");
  await page.locator("article").first().waitFor();
  await expect.poll(() => backEnd.called()).toContain("POST /v1/player/unlock");
});

test("several wrong PINs make a pause that grows and survives a reload", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", scene);
  await lockUp(page);
  await page.clock.pauseAt(Date.now() + 7_200_000);
  for (const wrong of [1, 2, 3]) {
    await page.keyboard.type("1111");
    await page.keyboard.press("Enter");
    await expect.poll(async () => JSON.parse((await kept(page, "longarm.lock")) ?? "{}").wrong).toBe(wrong);
    await expect.poll(() => page.inputValue("input[name=pin]")).toBe("");
  }
  await page.getByText("Too many wrong PINs. Please wait 5 seconds.").waitFor();
  await page.reload();
  await page.getByText(/Please wait \d seconds?\./).waitFor();
  await page.keyboard.type(PIN);
  await expect.poll(() => page.inputValue("input[name=pin]")).toBe("");
  await page.clock.runFor(6_000);
  // Taking a judged PIN back is a try, too.
  await page.keyboard.type("1111");
  await page.keyboard.press("Backspace");
  await page.getByText("Too many wrong PINs. Please wait 10 seconds.").waitFor();
  await page.clock.runFor(11_000);
  await page.keyboard.type(PIN);
  await backInLobby(page);
});

test("a PIN that was compared is a try, however the player leaves it: written over, or by a reload, or in another tab", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", scene);
  await lockUp(page);
  const record = async () => JSON.parse((await kept(page, "longarm.lock")) ?? "{}");
  await page.keyboard.type("1111");
  await expect.poll(record).toMatchObject({ wrong: 0, pending: true });
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.type("2");
  await expect.poll(record).toMatchObject({ wrong: 1, pending: false });
  await page.keyboard.type("2222");
  await expect.poll(record).toMatchObject({ wrong: 1, pending: true });
  const other = await page.context().newPage();
  await other.goto(`${backEnd.url}/lobby`);
  await other.locator("input[name=pin]").waitFor();
  await expect.poll(record).toMatchObject({ wrong: 2, pending: false });
  await other.keyboard.type("3333");
  await expect.poll(record).toMatchObject({ wrong: 2, pending: true });
  // Two tabs that are both locked.
  await page.keyboard.type("4444");
  await expect.poll(record).toMatchObject({ wrong: 3, pending: false });
  await other.getByText(/Too many wrong PINs\. Please wait \d seconds?\./).waitFor();
});

test("a lock stays on when Settings.json cannot be had, and its PIN opens it", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", scene);
  await lockUp(page);
  await page.route("**/Settings.json", (route) => route.abort());
  await page.reload();
  await page.locator("input[name=pin]").waitFor();
  expect(await kept(page, "jwt_access_token")).toBeNull();
  expect(await shownText(page)).not.toContain("Deniz");
  await page.keyboard.type(PIN);
  await page.locator("article").first().waitFor();
});

test("a page that comes back from the browser's history finds the lock, or the end, that it missed", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby", { world: locking({ idleLockMs: 600_000 }), before: knowsLock });
  await inLobby(page);
  // A page gets no event of its own change, like a page that the browser has suspended.
  const comeBack = () => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  await page.evaluate(() => {
    localStorage.setItem("longarm.lock", JSON.stringify({ token: localStorage.getItem("jwt_access_token") }));
    localStorage.removeItem("jwt_access_token");
  });
  await page.evaluate(comeBack);
  await page.locator("input[name=pin]").waitFor();
  await expect.poll(() => shownText(page)).not.toContain("Deniz");
  await page.keyboard.type(PIN);
  await inLobby(page);
  await page.evaluate(() => localStorage.removeItem("jwt_access_token"));
  await page.evaluate(comeBack);
  await page.waitForURL("**/login");
});

test("a page that was closed or asleep for longer opens locked; a computer that wakes by an input does not lose the lock to it", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", scene);
  await inLobby(page);
  await page.clock.setSystemTime(Date.now() + 3_600_000);
  await page.keyboard.press("Shift");
  await page.locator("input[name=pin]").waitFor();
  await page.keyboard.type(PIN);
  await inLobby(page);
  await page.goto(`${backEnd.url}/favicon.svg`);
  await page.evaluate(() => localStorage.setItem("longarm.lastInput", "1000"));
  await page.goto(`${backEnd.url}/lobby`);
  await page.locator("input[name=pin]").waitFor();
});

test("R-9-26: a default PIN opens for players without one, with the operator's hint under the PIN", async () => {
  const { page } = await stage.open("/lobby", {
    clock: true,
    world: locking({ defaultPin: { hash: hashOf("md5", "0000"), hint: "Varsayılan PIN: dört sıfır" } }, ""),
  });
  await lockUp(page);
  await page.getByText("Varsayılan PIN: dört sıfır").waitFor();
  await page.keyboard.type("0000");
  await page.locator("article").first().waitFor();
});

test("the lock covers a game: its socket and its picture go, and come back with the PIN", async () => {
  const { page, backEnd } = await stage.open("/game/m_3/Mercan", scene);
  await expect.poll(() => backEnd.opened.game.length).toBe(1);
  await expect.poll(() => kept(page, "longarm.lastInput")).not.toBeNull();
  await page.clock.fastForward(60_000);
  await page.locator("input[name=pin]").waitFor();
  expect(await page.locator("video").count()).toBe(0);
  await expect.poll(() => backEnd.opened.game.at(-1)?.socket.readyState).toBe(3);
  const opened = backEnd.opened.game.length;
  await page.keyboard.type(PIN);
  await expect.poll(() => backEnd.opened.game.length).toBeGreaterThan(opened);
});

test.each(everyWindow("lying"))(
  "the lock at $width x $height in $language: whole, named, for the keyboard",
  { tags: ["long"] },
  async (window) => {
    const { page, complaints } = await stage.open("/lobby", { ...scene, window });
    await lockUp(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const lowest = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    expect(lowest).toBeLessThanOrEqual(0);
    // Tab goes round in what is there: PIN, pad, Logout.
    const reached = new Set<string>();
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(() => {
          const { activeElement: on } = document;
          if (on === null || on === document.body) return "the browser";
          return on.closest("[role=dialog]") === null ? `outside: ${on.outerHTML}` : on.tagName;
        }),
      );
    }
    expect([...reached].toSorted()).toEqual(expect.arrayContaining(["BUTTON", "INPUT"]));
    expect([...reached].filter((one) => one.startsWith("outside"))).toEqual([]);
    await page.keyboard.type(PIN);
    await page.locator("article").first().waitFor();
    expect(complaints).toEqual([]);
  },
);
