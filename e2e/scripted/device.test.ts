import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueuePlace } from "@longarm/contract/player-queue";
import type { CDPSession, Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, PHONE, setUpGameStage } from "./game-stage.ts";
import { answerOf, placeOf, scriptQueue, withQueues } from "./queue-script.ts";
import type { Scene } from "./scene.ts";
import { openScene } from "./scene.ts";

/* The page as an app of a device: what makes it one, its page without a connection, its updates, and what is pushed to it. */

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

/** A page of a new browser whose worker runs. */
async function openWithWorker(path: string, scene: Scene = {}) {
  const played = await stage.open(path, { fresh: true, ...scene });
  await workerRuns(played.page);
  return played;
}

const stateIn = (page: Page) =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state);
const workerRuns = (page: Page) => expect.poll(() => stateIn(page), SOON).toBe("activated");

test("what browsers want of an app is there: manifest in the player's language, icons of every kind, shortcuts", async () => {
  const { page, complaints } = await openWithWorker("/lobby");
  const devTools = await page.context().newCDPSession(page);
  // Named once the first screen is drawn.
  await expect
    .poll(() => page.locator("link[rel=manifest]").getAttribute("href"), SOON)
    .toBe("/manifest-en.webmanifest");
  const { installabilityErrors } = await devTools.send("Page.getInstallabilityErrors");
  expect(installabilityErrors).toEqual([]);
  const { data, errors } = await devTools.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? "{}");
  expect(manifest).toMatchObject({
    ...{ id: "/", name: "Longarm", start_url: "/lobby", scope: "/", display: "standalone", theme_color: "#100d0b" },
    ...{ lang: "en", shortcuts: [{ url: "/lobby" }, { name: "Your places", url: "/queue" }] },
  });
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate(async (href) => {
      const picture = await createImageBitmap(await (await fetch(href)).blob());
      return `${picture.width}x${picture.height}`;
    }, src);
    expect([src, size]).toEqual([src, sizes]);
  }
  expect(complaints).toEqual([]);
});

test("without a connection a page of the worker says what was last known and what holds; nothing else is ever in a cache", async () => {
  const { page } = await openWithWorker("/lobby", {
    world(world) {
      world.settings["helpList"] = [{ name: { tr: "Yardım", en: "Help", ar: "مساعدة" }, phone: "115" }];
      world.session = { status: true, id: "m_1", name: "Nar 07", machine_status: "playing" };
    },
  });
  await expect
    .poll(() => keptBy(page), SOON)
    .toMatchObject({ language: "en", helpline: "115", seat: { machine: "Nar 07" } });
  await page.context().setOffline(true);
  await page.reload();
  await page.getByRole("heading", { name: "We cannot reach the floor" }).waitFor();
  await page.getByText("You sat at Nar 07").waitFor();
  expect(await page.getByRole("link", { name: "Call 115" }).getAttribute("href")).toBe("tel:115");
  expect(await page.locator("script, img").count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByRole("link", { name: "Try again" }).click();
  await page.locator('[data-machine="m_1"]').waitFor(SOON);
  expect(await page.evaluate(namesInCaches)).toEqual(["longarm-note /offline-note"]);
});

/** The note for the worker, as it is kept. */
const keptBy = (page: Page): Promise<unknown> =>
  page.evaluate(async () => (await (await caches.open("longarm-note")).match("/offline-note"))?.json());

async function namesInCaches(): Promise<string[]> {
  const names: string[] = [];
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) names.push(`${name} ${new URL(url).pathname}`);
  return names;
}

test("a new version waits until no page is open: a page in use is neither taken over nor loaded again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-web-"));
  try {
    await cp(inject("builtWeb"), folder, { recursive: true });
    const place = { ...stage.place(), builtWeb: folder };
    const { page, backEnd } = await openScene(place, "/lobby", { fresh: true });
    await workerRuns(page);
    // From its second load on the worker has the page.
    await page.reload();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.evaluate(() => Object.assign(window, { longarmMark: "the same page" }));
    await writeFile(join(folder, "service-worker.js"), "/* newer */ self.addEventListener('push', () => {});");
    const states = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        await registration?.update().catch(() => undefined);
        const { longarmMark } = window as { longarmMark?: string };
        return [registration?.active?.state, registration?.waiting?.state, longarmMark];
      });
    await expect.poll(states, SOON).toEqual(["activated", "installed", "the same page"]);
    const next = await page.context().newPage();
    await page.close();
    // The next visit has it, once the browser has put the old one away.
    const waits = async () => {
      await next.goto("about:blank");
      await next.goto(new URL("/login", backEnd.url).href);
      return await next.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state);
    };
    await expect.poll(waits, SOON).toBeUndefined();
    await next.context().close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

type Noted = { readonly title: string; readonly body?: string; readonly lang?: string; readonly tag?: string };
type Scope = {
  noted: Noted[];
  opened: string[];
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly clients: { openWindow(href: string): Promise<null> };
  dispatchEvent(event: Event): boolean;
};

/**
 * The worker with what it shows and opens noted: a browser without a screen has no notifications. `push`: what a push service hands to the browser.
 * `click`: a click on what was shown last.
 */
async function workerOf(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  const registrationId = await registrationOf(devTools);
  const origin = new URL(page.url()).origin;
  const [worker] = page.context().serviceWorkers();
  if (worker === undefined) throw new Error("no worker runs");
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope;
    Object.assign(scope, { noted: [], opened: [] });
    scope.registration.showNotification = async (title, options) => void scope.noted.push({ title, ...options });
    scope.clients.openWindow = async (href) => {
      scope.opened.push(href);
      return null;
    };
  });
  return {
    async push(data: unknown): Promise<void> {
      await devTools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(data) });
    },
    noted: () => worker.evaluate(() => (globalThis as unknown as Scope).noted),
    opened: () => worker.evaluate(() => (globalThis as unknown as Scope).opened),
    click: () =>
      worker.evaluate(() => {
        const scope = globalThis as unknown as Scope;
        const notification = { ...scope.noted.at(-1), close: () => undefined };
        const work = { notification, waitUntil: () => undefined };
        scope.dispatchEvent(Object.assign(new Event("notificationclick"), work));
      }),
  };
}

async function registrationOf(devTools: CDPSession): Promise<string> {
  const found = new Promise<string>((resolve) => {
    devTools.on(
      "ServiceWorker.workerRegistrationUpdated",
      ({ registrations: [own] }) => own && resolve(own.registrationId),
    );
  });
  await devTools.send("ServiceWorker.enable");
  return await found;
}

test("a turn is shown in the player's language while no page is seen, and an answer always; a click opens the place", async () => {
  const { page, backEnd } = await openWithWorker("/lobby");
  const { push, noted, opened, click } = await workerOf(page);
  const turn = { type: "queue.called", subject: "place:qp_1", machine: "Nar 11", seconds: 30, language: "tr" };
  // The page that is seen rings by itself.
  await push(turn);
  await push({ type: "question.answered", subject: "dispute:1", machine: null, language: "en" });
  await expect
    .poll(noted, SOON)
    .toMatchObject([{ title: "Your question has an answer", tag: "dispute:1", lang: "en" }]);
  await page.goto("about:blank");
  await push(turn);
  await expect.poll(noted, SOON).toHaveLength(2);
  expect((await noted())[1]).toMatchObject({
    ...{ title: "\u2068Nar 11\u2069 sizin", body: "30 saniye içinde oturun. Dokununca açılır.", lang: "tr" },
    ...{ tag: "place:qp_1", renotify: true, requireInteraction: true },
  });
  await click();
  await expect.poll(opened, SOON).toEqual([new URL("/queue", backEnd.url).href]);
  // What cannot be read says only that there is news.
  for (const data of [{ type: 7 }, "x".repeat(5_000), null, { type: "later.kind", subject: "s", language: "xx" }])
    await push(data);
  await expect
    .poll(async () => (await noted()).slice(2).map(({ title }) => title), SOON)
    .toEqual(Array.from({ length: 4 }, () => "There is news for you"));
});

/** A browser whose push service is there, and whose person says yes or no. */
const subscribes = (page: Page, yes: boolean) =>
  page.addInitScript((says) => {
    let kept: unknown = null;
    const keys = { p256dh: "B".repeat(87), auth: "A".repeat(22) };
    const made = {
      toJSON: () => ({ endpoint: "https://fcm.googleapis.com/x", keys }),
      async unsubscribe() {
        kept = null;
        return true;
      },
    };
    Object.assign(PushManager.prototype, {
      getSubscription: async () => kept,
      async subscribe() {
        if (!says) throw new DOMException("no", "NotAllowedError");
        kept = made;
        return made;
      },
    });
    let permission = "default";
    Object.defineProperty(Notification, "permission", { get: () => permission });
    if (!says) addEventListener("click", () => setTimeout(() => (permission = "denied"), 0), true);
  }, yes);

async function openWaiting(scene: Scene & { readonly yes?: boolean; readonly places?: readonly QueuePlace[] } = {}) {
  const { yes = true, places = [placeOf()] } = scene;
  let on = false;
  const played = await stage.open("/lobby", {
    fresh: true,
    ...scene,
    world: withQueues,
    async before(page, backEnd) {
      await subscribes(page, yes);
      scriptQueue(backEnd, places);
      const answer = (now: boolean) => {
        on = now;
        return ok({ publicKey: "B".repeat(87), on });
      };
      backEnd.script("GET /v1/player/push", () => answer(on));
      backEnd.script("POST /v1/player/push/add", () => answer(true));
      backEnd.script("POST /v1/player/push/end", () => answer(false));
    },
  });
  await expect.poll(() => played.backEnd.listening(), SOON).toBe(1);
  played.backEnd.push("queue", answerOf(places));
  return played;
}

test("who waits switches ringing on after a sheet that says what comes and what never; off again at once", async () => {
  const { page, backEnd, complaints } = await openWaiting();
  const choice = page.getByRole("switch", { name: "Ring me also when this page is closed" });
  await choice.click(SOON);
  const sheet = page.getByRole("dialog", { name: "Shall we ring when your turn comes?" });
  await sheet.getByText("never").waitFor();
  // Nothing was switched on, and the browser was not bothered, before the player said yes here.
  expect(backEnd.called()).not.toContain("POST /v1/player/push/add");
  await sheet.getByRole("button", { name: "No need" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(await choice.isChecked()).toBe(false);
  await choice.click();
  await sheet.getByRole("button", { name: "Ring me" }).click();
  await page.getByText("This device rings when your turn comes, also when the page is closed.").waitFor(SOON);
  expect(await choice.isChecked()).toBe(true);
  const added = backEnd.calls.filter(({ path }) => path === "/v1/player/push/add");
  expect(added.map(({ body }) => body)).toEqual([
    { endpoint: "https://fcm.googleapis.com/x", p256dh: "B".repeat(87), auth: "A".repeat(22), language: "en" },
  ]);
  await choice.click();
  await page.getByText("This device rings only while the page is open.").waitFor();
  expect(backEnd.called()).toContain("POST /v1/player/push/end");
  expect(complaints).toEqual([]);
});

test("the sheet that joins a queue has the switch too, before there is a place", async () => {
  const { page, backEnd, complaints } = await openWaiting({ places: [] });
  await page.getByRole("button", { name: "Wait: Nar 07" }).click(SOON);
  const sheet = page.getByRole("dialog", { name: /Wait for .*Nar 07/ });
  const choice = sheet.getByRole("switch", { name: "Ring me also when this page is closed" });
  await choice.click(SOON);
  await page
    .getByRole("dialog", { name: "Shall we ring when your turn comes?" })
    .getByRole("button", { name: "Ring me" })
    .click();
  await expect.poll(() => choice.isChecked(), SOON).toBe(true);
  expect(backEnd.called()).toContain("POST /v1/player/push/add");
  expect(await axeFindings(page)).toEqual([]);
  await sheet.getByRole("button", { name: "Join the queue" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(backEnd.called()).toContain("POST /v1/player/queue/join");
  expect(complaints).toEqual([]);
});

test("a device whose person forbids it says how to allow it", async () => {
  const { page, backEnd } = await openWaiting({ yes: false });
  const choice = page.getByRole("switch", { name: "Ring me also when this page is closed" });
  await choice.click(SOON);
  await page.getByRole("button", { name: "Ring me", exact: true }).click();
  await page
    .locator("[data-ring-choice]")
    .getByText(/Allow notifications in its settings/)
    .waitFor(SOON);
  expect(await choice.isDisabled()).toBe(true);
  expect(backEnd.called()).not.toContain("POST /v1/player/push/add");
});

test("the profile says how the page becomes an app: by the browser's own question, or by hand on an iPhone", async () => {
  const { page } = await stage.open("/profile", { fresh: true, window: PHONE });
  await page.locator('[data-install="menu"]').waitFor(SOON);
  await page.evaluate(() => {
    const offered = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), {
      prompt: async () => Object.assign(window, { longarmPrompted: offered.defaultPrevented }),
    });
    dispatchEvent(offered);
  });
  await page.getByRole("button", { name: "Install the app" }).click();
  expect(await page.evaluate(() => (window as { longarmPrompted?: boolean }).longarmPrompted)).toBe(true);
  await page.locator('[data-install="menu"]').waitFor();
});

test.each(everyWindow("phone"))("the sheet before ringing, $width by $height in $language", async (window) => {
  const { page } = await openWaiting({ window });
  const choice = page.locator("[data-ring-choice] input");
  if (window.width < 1_000) await page.locator("[data-queue-dock] button").click(SOON);
  await choice.click(SOON);
  await page.getByRole("dialog").locator("li").first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
});

test.each(everyWindow("lying"))("the page without a connection, $width by $height in $language", async (window) => {
  const { page } = await openWithWorker("/lobby", { window });
  await expect.poll(() => keptBy(page), SOON).toMatchObject({ language: window.language });
  await page.context().setOffline(true);
  await page.reload();
  await page.locator("h1").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
});
