import { setTimeout } from "node:timers/promises";
import type { QueuePlace } from "@longarm/contract/player-queue";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, PHONE, setUpGameStage } from "./game-stage.ts";
import { asSpectator } from "./game-world.ts";
import { answerOf, calledPlace, placeOf, scriptQueue, withQueues } from "./queue-script.ts";
import type { Scene } from "./scene.ts";

/* Queues of machines on the player's page: to wait, the own places, the turn that comes, who sits. */

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

async function open(path: string, places: readonly QueuePlace[] = [], scene: Scene = {}) {
  const scripted: { queue?: ReturnType<typeof scriptQueue> } = {};
  const played = await stage.open(path, {
    ...scene,
    world(world) {
      withQueues(world);
      scene.world?.(world);
    },
    before: (page, backEnd) => {
      scripted.queue = scriptQueue(backEnd, places);
      return scene.before?.(page, backEnd);
    },
  });
  await expect.poll(() => played.backEnd.listening(), SOON).toBe(1);
  const { queue } = scripted;
  if (queue === undefined) throw new Error("The queue was not scripted");
  if (places.length > 0) queue.push(answerOf(places));
  const sent = (call: string) =>
    played.backEnd.calls.filter(({ path: called }) => called === `/v1/player/queue/${call}`);
  return { ...played, queue, sent };
}

const card = (id: string) => `[data-machine="${id}"]`;

test("a card says how many wait; its key opens the sheet, which joins the queue; then the card and a strip say the place", async () => {
  const { page, sent, complaints } = await open("/lobby");
  // Before joining: how many wait, and about how long it would take.
  await page.locator(card("m_1")).getByText("2 waiting · 12–20 min").waitFor(SOON);
  expect(await page.locator(card("m_2")).getByText("Wait").count()).toBe(0);
  await page.getByRole("button", { name: "Wait: Nar 07" }).click();
  const sheet = page.getByRole("dialog", { name: /Wait for .*Nar 07/ });
  await sheet.getByText("2 people before you · 12–20 min").waitFor();
  await sheet.getByText("3 machines · 3 people before you · 3–10 min").waitFor();
  expect(await sheet.getByRole("radio").count()).toBe(2);
  await sheet.getByRole("button", { name: "Join the queue" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(sent("join").map(({ body }) => body)).toEqual([{ machine: "m_1" }]);
  await page.getByRole("button", { name: "In queue: Nar 07" }).waitFor();
  const strip = page.getByRole("region", { name: "Your places" });
  await strip.getByText("1 of 3 in use").waitFor();
  await strip.getByText("2 people before you · 6–14 min").waitFor();
  await strip.getByRole("button", { name: /Leave the queue: .*Nar 07/ }).click();
  await strip.waitFor({ state: "detached" });
  expect(sent("leave").map(({ body }) => body)).toEqual([{ id: "qp_1" }]);
  expect(complaints).toEqual([]);
});

test("the sheet offers the denomination where the machine says it, and says who would be first", async () => {
  const { page, sent } = await open("/lobby", [], {
    world(world) {
      world.machines = world.machines.map((machine) => ({ ...machine, denomination: 5 }));
    },
  });
  await page.getByRole("button", { name: "Wait: Nar 07" }).click(SOON);
  const sheet = page.getByRole("dialog");
  await sheet.getByText("12 machines · You would be first · A few minutes").waitFor();
  await sheet.getByRole("radio", { name: /Any machine with band/ }).check();
  await sheet.getByRole("button", { name: "Join the queue" }).click();
  await expect.poll(() => sent("join").map(({ body }) => body)).toEqual([{ denomination: 5 }]);
});

test("a card of a machine that is kept for the next one says that one is called", async () => {
  const { page, backEnd } = await open("/lobby");
  await page.locator(card("m_1")).getByText("2 waiting").waitFor(SOON);
  backEnd.push("machine", { id: "m_1", status: 4 });
  backEnd.push("waiting", { id: "m_1", count: 2, called: true });
  await page.locator(card("m_1")).getByText("Next one called").waitFor(SOON);
  backEnd.push("waiting", { id: "m_1", count: 1, called: false });
  backEnd.push("machine", { id: "m_1", status: 3 });
  await page.locator(card("m_1")).getByText("1 waiting").waitFor(SOON);
  expect(await page.getByText("Next one called").count()).toBe(0);
});

test("a connection too weak to play is said at joining and at the call, which then passes and is no miss", async () => {
  const { page, queue, sent } = await open("/lobby", [], {
    before: (_, backEnd) =>
      backEnd.script("GET /v1/player/queue", async () => {
        await setTimeout(1_100);
        return ok(answerOf([]));
      }),
  });
  await page.getByRole("button", { name: "Wait: Nar 07" }).click(SOON);
  await page
    .getByRole("dialog")
    .getByText(/too weak for a fair game now: .*\d+ ms/)
    .waitFor(SOON);
  await page.keyboard.press("Escape");
  queue.push(answerOf([calledPlace(24_000)]));
  const turn = page.getByRole("alertdialog");
  await turn.getByText("Your connection is too weak for a fair game now.").waitFor(SOON);
  await turn.getByRole("paragraph").filter({ hasText: "It is no missed call." }).waitFor();
  await turn.locator("button:not([aria-disabled])").first().waitFor();
  expect(await turn.getByRole("button", { name: "Sit down" }).getAttribute("aria-disabled")).toBe("true");
  await turn.getByRole("button", { name: "Let the next one go first" }).click();
  await turn.waitFor({ state: "detached" });
  expect(sent("pass").map(({ body }) => body)).toEqual([{ id: "qp_1", why: "link" }]);
  // Without an answer the page says it when the time is over.
  queue.push(answerOf([calledPlace(6_000)]));
  await expect.poll(() => sent("pass").length, SOON).toBe(2);
  expect(sent("pass").at(-1)?.body).toEqual({ id: "qp_1", why: "link" });
  // Not twice in a row: the keys are those of every call, and no answer is a miss.
  await turn.waitFor({ state: "detached", ...SOON });
  queue.push(answerOf([{ ...calledPlace(24_000), linkPass: false, passesLeft: 0 }]));
  await turn.getByRole("paragraph").filter({ hasText: "After that we ask the next person" }).waitFor(SOON);
  await turn.locator("button:not([aria-disabled])").first().waitFor();
  expect(await turn.getByRole("button", { name: "Let the next one go first" }).count()).toBe(0);
});

test("with nothing of a brand free one key waits for any of it; a push changes how many wait", async () => {
  const { page, backEnd, sent } = await open("/lobby/nar/Nar");
  await page.getByText("No Nar is free.").waitFor(SOON);
  await page.getByRole("button", { name: "Wait for any Nar" }).click();
  await page.getByText("No Nar is free.").waitFor({ state: "detached" });
  expect(sent("join").map(({ body }) => body)).toEqual([{ brand: "Nar" }]);
  backEnd.push("waiting", { id: "m_5", count: 3 });
  await page.locator(card("m_5")).getByText("3 waiting").waitFor(SOON);
});

test("a phone has no keys on cards: a tap opens the sheet, which leads to watching too; the dock shows the nearest place", async () => {
  const { page, queue, path } = await open("/lobby", [], { window: PHONE });
  await page.locator(card("m_1")).getByText("2 waiting").waitFor(SOON);
  await page.locator(`${card("m_1")} h3 a`).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Watch" }).waitFor();
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  queue.push(answerOf([placeOf({ ahead: 3 }), placeOf({ id: "qp_2", wish: { brand: "Nar" }, ahead: 0 })]));
  const dock = page.getByRole("complementary", { name: "Your places" });
  await dock.getByText(/Any .*Nar.* machine/).waitFor(SOON);
  await dock.getByText(/^6–14 min · \+1 place/).waitFor();
  await dock.getByRole("button", { name: "Show" }).click();
  await expect.poll(path).toBe("/queue");
});

test("a refusal to join is said in the sheet with the page that helps; full places say so in the place of the key", async () => {
  const { page, backEnd, queue, path } = await open("/lobby");
  await page.getByRole("button", { name: "Wait: Nar 07" }).click(SOON);
  const sheet = page.getByRole("dialog");
  backEnd.script("POST /v1/player/queue/join", () => refused(409, 60023));
  await sheet.getByRole("button", { name: "Join the queue" }).click();
  await sheet.getByText("No more players can wait here for now.").waitFor();
  backEnd.script("POST /v1/player/queue/join", () => refused(409, 60083));
  await sheet.getByRole("button", { name: "Join the queue" }).click();
  await sheet.getByRole("button", { name: /identity/i }).waitFor();
  queue.push(
    answerOf(["qp_1", "qp_2", "qp_3"].map((id) => placeOf({ id, machines: [], wish: { machine: `gone_${id}` } }))),
  );
  await sheet.getByText("You hold 3 of 3 places. Leave one first.").waitFor();
  expect(await sheet.getByRole("button", { name: "Join the queue" }).count()).toBe(0);
  await sheet.getByRole("button", { name: "Your places" }).click();
  await expect.poll(path).toBe("/queue");
});

test("my turn: an alert with the focus on its title, the tab says it, the space bar answers nothing, and sitting down goes to the machine", async () => {
  const { page, queue, path } = await open("/profile", [placeOf()]);
  queue.push(answerOf([calledPlace(24_000)]));
  const turn = page.getByRole("alertdialog", { name: /Nar 07.* is yours/ });
  await turn
    .getByRole("paragraph")
    .filter({ hasText: /Sit down within 2\d seconds\. After that we ask the next person/ })
    .waitFor(SOON);
  await expect.poll(() => page.title()).toMatch(/^\(\d+\) Your turn · Nar 07$/);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H2");
  expect(await page.evaluate(() => document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href)).toMatch(
    /turn-icon/,
  );
  const sit = turn.getByRole("button", { name: "Sit down" });
  await turn.locator("button:not([aria-disabled])").first().waitFor();
  await page.keyboard.press("Escape");
  await sit.focus();
  await page.keyboard.press("Space");
  await turn.waitFor();
  expect(path()).toBe("/profile");
  await page.keyboard.press("Enter");
  await expect.poll(path, SOON).toBe("/game/m_1/Nar%2007");
  await expect.poll(() => page.title()).toBe("Nar 07 · Longarm");
});

test("my turn: letting the next one go first and leaving send it; a second miss would end the place, and says so", async () => {
  const { page, queue, sent } = await open("/lobby", [placeOf()]);
  queue.push(answerOf([calledPlace(24_000)]));
  const turn = page.getByRole("alertdialog");
  await turn.locator("button:not([aria-disabled])").first().waitFor(SOON);
  await turn.getByRole("button", { name: "Let the next one go first" }).click();
  await turn.waitFor({ state: "detached" });
  expect(sent("pass").map(({ body }) => body)).toEqual([{ id: "qp_1" }]);
  queue.push(answerOf([{ ...calledPlace(24_000), misses: 1, passesLeft: 0 }]));
  await turn
    .getByRole("paragraph")
    .filter({ hasText: /after that your place ends/ })
    .waitFor(SOON);
  expect(await turn.getByRole("button", { name: "Let the next one go first" }).count()).toBe(0);
  await turn.locator("button:not([aria-disabled])").first().waitFor();
  await turn.getByRole("button", { name: "Leave the queue" }).click();
  await turn.waitFor({ state: "detached" });
  await expect.poll(() => page.title()).toBe("Lobby · Longarm");
});

test("my turn: another device's answer closes it with a sentence, a miss says one went before, the end of a place how to wait again", async () => {
  const { page, queue, sent } = await open("/lobby", [placeOf()]);
  const turn = page.getByRole("alertdialog");
  queue.push(answerOf([calledPlace(24_000)]));
  await turn.waitFor(SOON);
  queue.push(answerOf([placeOf({ passesLeft: 0 })]));
  await turn.waitFor({ state: "detached" });
  await page.getByText("You answered on another device.").waitFor();
  queue.push(answerOf([calledPlace(24_000)]));
  await turn.waitFor(SOON);
  queue.push(answerOf([placeOf({ misses: 1 })]));
  await page.getByText(/You did not answer, one person went before you/).waitFor(SOON);
  const ended = {
    id: "qp_1",
    machine: "Nar 07",
    wish: { machine: "m_1" },
    reason: "missed",
    at: new Date().toISOString(),
  };
  queue.push(answerOf([], [ended]));
  await page.getByText(/You missed two calls\. Your place has ended\./).waitFor(SOON);
  await page.getByRole("button", { name: "Wait again" }).click();
  await expect.poll(() => sent("join").map(({ body }) => body)).toEqual([{ machine: "m_1" }]);
});

test("a reload shows the turn again with the time that is left", async () => {
  const { page, backEnd, queue } = await open("/lobby", [calledPlace(24_000)]);
  const turn = page.getByRole("alertdialog");
  await turn.waitFor(SOON);
  await page.reload();
  await expect.poll(() => backEnd.opened.notifications.length, SOON).toBe(2);
  await expect.poll(() => backEnd.listening(), SOON).toBe(1);
  queue.push(answerOf([calledPlace(11_000)]));
  await turn
    .getByRole("paragraph")
    .filter({ hasText: /Sit down within (11|10|9|8) seconds/ })
    .waitFor(SOON);
  // Near the end the ring is amber.
  await turn.locator("[role=timer][data-last]").waitFor(SOON);
});

test("the page of places: each state with its way out, what ended, and that none is there", async () => {
  const fault = placeOf({
    id: "qp_2",
    state: "fault",
    wait: null,
    wish: { machine: "m_5" },
    machines: [{ id: "m_5", name: "Nar 03", brand: "Nar" }],
  });
  const funds = placeOf({ id: "qp_3", state: "funds", wait: null, wish: { denomination: 20 }, ahead: 0 });
  const { page, queue, sent } = await open("/queue", [placeOf(), fault, funds]);
  await page.getByText("3 of 3 in use").waitFor(SOON);
  await page.getByText("From the last 50 sessions at these machines").waitFor();
  await page.getByText("Your place is kept, no one passes you.").waitFor();
  await page.getByText("Your wallet is too low").waitFor();
  const faulty = page.getByRole("listitem").filter({ hasText: "The machine has a fault" });
  await faulty.getByRole("button", { name: /Wait for any .*Nar.* instead/ }).click();
  await faulty.getByRole("heading", { name: /Any .*Nar.* machine/ }).waitFor();
  await faulty.getByRole("button", { name: /Back to: .*Nar 03/ }).click();
  await faulty.getByRole("heading", { name: "Nar 03" }).waitFor();
  expect(sent("move").map(({ body }) => body)).toEqual([
    { id: "qp_2", to: "brand" },
    { id: "qp_2", to: "chosen" },
  ]);
  queue.push(answerOf([]));
  await page.getByText("You hold no place in a queue").waitFor(SOON);
});

test("the page of places: a failure can be tried again, a platform without queues says so", async () => {
  const { page, backEnd } = await open("/queue", [], {
    before: (_, scripted) => scripted.script("GET /v1/player/queue", () => refused(500, 50_000)),
  });
  await page.getByText("Your places could not be read").waitFor(SOON);
  backEnd.script("GET /v1/player/queue", () => refused(404, 40_000));
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("This casino has no queues").waitFor();
});

test("watching: the bar counts who waits and joins; the turn comes over the picture", async () => {
  const scripted: { queue?: ReturnType<typeof scriptQueue> } = {};
  const { page, playing, backEnd, path } = await stage.openGame({
    machineId: "m_1",
    from: "/watch/m_1/-",
    init: asSpectator,
    world: withQueues,
    before: (_, opened) => {
      scripted.queue = scriptQueue(opened);
    },
  });
  await playing();
  const bar = page.getByRole("region", { name: "You are watching" });
  await bar.getByText("2 people are waiting").waitFor(SOON);
  await bar.getByRole("button", { name: "Join the queue" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Join the queue" }).click();
  await bar.getByText("2 people before you").waitFor(SOON);
  await expect.poll(() => backEnd.listening()).toBe(1);
  scripted.queue?.push(answerOf([calledPlace(24_000)]));
  const turn = page.getByRole("alertdialog");
  await turn.locator("button:not([aria-disabled])").first().waitFor(SOON);
  await turn.getByRole("button", { name: "Sit down" }).click();
  await expect.poll(path, SOON).toBe("/game/m_1/Nar%2007");
});

async function playingElsewhere() {
  const scripted: { queue?: ReturnType<typeof scriptQueue> } = {};
  const game = await stage.openGame({
    world: (world) => {
      withQueues(world);
      world.machines = world.machines.map((one) => (one.id === "m_3" ? { ...one, waiting: 3 } : one));
    },
    before: (_, opened) => {
      scripted.queue = scriptQueue(opened, [placeOf()]);
    },
  });
  await game.playing();
  await expect.poll(() => game.backEnd.listening(), SOON).toBe(1);
  const call = () => scripted.queue?.push(answerOf([calledPlace(110_000, { ofMs: 120_000, elsewhere: true })]));
  return { ...game, call };
}

test("who sits sees how many wait, and what follows from it", async () => {
  const { page, backEnd } = await playingElsewhere();
  const panel = page.getByRole("region", { name: "This session" });
  await panel.getByRole("button", { name: "Waiting: 3" }).click(SOON);
  await page.getByText("3 people wait for this machine. You may stay as long as you like.").waitFor();
  backEnd.push("waiting", { id: "m_3", count: 1 });
  await panel.getByRole("button", { name: "Waiting: 1" }).waitFor(SOON);
  backEnd.push("waiting", { id: "m_3", count: 0 });
  await panel.getByRole("button", { name: /Waiting/ }).waitFor({ state: "detached" });
});

test("called while playing elsewhere: a banner, no dialog over the game; staying lets it pass, moving leaves and sits there", async () => {
  const { page, call, script, backEnd, methods, meters, path } = await playingElsewhere();
  call();
  const banner = page.locator("[data-away]");
  await banner.getByText(/Nar 07.* is yours$/).waitFor(SOON);
  expect(await page.getByRole("alertdialog").count()).toBe(0);
  meters({ inGame: true });
  await banner.getByText(/after this game/).waitFor(SOON);
  meters({ inGame: false });
  await banner.getByRole("button", { name: "Stay here" }).click();
  await banner.waitFor({ state: "detached" });
  expect(backEnd.called()).toContain("POST /v1/player/queue/pass");
  call();
  script("leave", () => ({ ok: { outcome: "done", amount: 482_050 } }));
  await banner.getByRole("button", { name: "Move there" }).click(SOON);
  await expect.poll(path, SOON).toBe("/game/m_1/Nar%2007");
  expect(methods("leave")).toHaveLength(1);
});

const EVERY = [...everyWindow("desk"), ...everyWindow("phone"), ...everyWindow("lying")];

test.each(EVERY)(
  "queues at $width x $height in $language: no axe finding, no overflow, no complaint",
  async (window) => {
    const places = [placeOf(), placeOf({ id: "qp_2", wish: { brand: "Kuzey" }, machines: [], ahead: 3, wait: null })];
    const { page, queue, complaints } = await open("/lobby/nar/Nar", places, { window });
    const whole = async (what: string) => {
      expect(await axeFindings(page), what).toEqual([]);
      expect(await overflowOf(page), what).toBeLessThanOrEqual(0);
    };
    await page.locator("[data-queue-strip]").waitFor({ state: "attached", ...SOON });
    await page.locator("[data-queue-dock]").waitFor({ state: "attached", ...SOON });
    await whole("lobby");
    const isNarrow = window.width <= 960;
    await (isNarrow ? page.locator(`${card("m_5")} h3 a`) : page.locator(`${card("m_5")} [class*=own] button`)).click();
    await page.getByRole("dialog").getByRole("radio").first().waitFor();
    await whole("join");
    queue.push(answerOf([{ ...calledPlace(29_000), misses: 1 }, ...places.slice(1)]));
    await page.getByRole("alertdialog").locator("button:not([aria-disabled])").first().waitFor(SOON);
    await whole("turn");
    expect(complaints).toEqual([]);
  },
);

test.each(EVERY)("places at $width x $height in $language: no axe finding, no overflow", async (window) => {
  const ended = [
    { id: "qp_9", machine: "Pera 01", wish: { machine: "m_4" }, reason: "away", at: "2026-11-29T10:00:00.000Z" },
    { id: "qp_8", machine: "", wish: { denomination: 20 }, reason: "player.on_break", at: "2026-11-29T10:00:00.000Z" },
  ];
  const places = (["waiting", "fault", "closed"] as const).map((state, index) =>
    placeOf({ id: `qp_${index}`, state, wait: state === "waiting" ? { lowS: 0, highS: 100, sittings: 20 } : null }),
  );
  const { page, queue } = await open("/queue", places, { window });
  queue.push(answerOf(places, ended));
  await page.locator("#queue-ended").waitFor(SOON);
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});
