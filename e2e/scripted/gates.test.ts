import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Answered } from "./answers.ts";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

const stage = setUpStage();

/** The address check is on, and answers so. */
function checked(answer: Answered | Promise<Answered>, more: Scene = {}): Scene {
  return {
    ...more,
    world: (world) => {
      world.settings["ipCheck"] = true;
      more.world?.(world);
    },
    async before(page, backEnd) {
      backEnd.script("GET /check", () => answer);
      await more.before?.(page, backEnd);
    },
  };
}
const blocked = ok({ status: false, code: 10703, ip: "1.2.3.4", country: "X" });
const BLOCKED =
  "We see that you are connecting from X with 1.2.3.4 address. Unfortunately, you are not among the permitted countries.";
const heldBack = () => Promise.withResolvers<Answered>();
const noWebRtc = async (page: Page) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, "RTCPeerConnection");
  });
};

test("R-4.6-01, R-2.9-07, R-3-04, R-7-25: while the address is checked the page says so and nothing else is asked; allowed, it opens", async () => {
  const held = heldBack();
  const { page, backEnd } = await stage.open("/lobby/nar/Nar", checked(held.promise));
  await page.getByText("Your IP address is being checked", { exact: true }).waitFor();
  await expect.poll(() => backEnd.called()).toEqual(["GET /check"]);
  held.resolve(ok({ status: true, code: 20000, ip: "1.2.3.4", country: "X" }));
  await page.locator("article").first().waitFor();
  await page.waitForURL("**/lobby/nar/Nar");
});

test.each(someOf(1, ["allowed", 1]))("R-3-21, R-7-26: a status of %j is an allowed one", async (status) => {
  const { page } = await stage.open("/lobby", checked(ok({ status, code: 20000, ip: "1.2.3.4", country: "X" })));
  await page.locator("article").first().waitFor();
});

test.each([false, 0, "blocked", "true"])(
  "R-7-26: a status of %j is a blocked one",
  { tags: ["long"] },
  async (status) => {
    const { page } = await stage.open("/lobby", checked(ok({ status, code: 1, ip: "1.2.3.4", country: "X" })));
    await page.getByText(BLOCKED, { exact: true }).waitFor();
  },
);

test("R-4.6-01, R-2.9-08, R-3-05, R-8-24: blocked names country and address to guests too, and a second look may open", async () => {
  const { page, backEnd } = await stage.open("/game/m_3/Mercan", checked(blocked, { guest: true }));
  await page.getByText(BLOCKED, { exact: true }).waitFor();
  expect(await page.locator("article, form, video").count()).toBe(0);
  await expect.poll(() => backEnd.called()).toEqual(["GET /check"]);
  await page.reload();
  await page.getByText(BLOCKED, { exact: true }).waitFor();
  backEnd.script("GET /check", () => ok({ status: true, ip: "1.2.3.4", country: "Y" }));
  await page.getByRole("button", { name: "Check again" }).press("Enter");
  await page.waitForURL("**/login");
});

test.each(
  someOf(1, [
    ["500", { httpStatus: 500, body: {} }],
    ["403", { httpStatus: 403, body: { status: true } }],
    ["201", { httpStatus: 201, body: { status: true } }],
    ["an answer that is none", { httpStatus: 200, body: "<html>" }],
  ] as const),
)("R-7-27, R-8-23: %s is told by the browser's own alert, to the letter, and the way stays shut", async (_, answer) => {
  const alerts: string[] = [];
  const { page, backEnd } = await stage.open(
    "/lobby",
    checked(answer, {
      before: (opened) => {
        opened.on("dialog", (dialog) => {
          alerts.push(`${dialog.type()}: ${dialog.message()}`);
          void dialog.accept();
        });
      },
    }),
  );
  await page.getByRole("button", { name: "Check again" }).waitFor();
  expect(alerts).toEqual(["alert: error on network connection please reflesh your page"]);
  expect(await page.locator("article").count()).toBe(0);
  backEnd.script("GET /check", () => ok({ status: true }));
  await page.getByRole("button", { name: "Check again" }).click();
  await page.locator("article").first().waitFor();
});

test("R-4.6-02, R-9-21: the check is off by default, and nothing asks for it", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  expect(backEnd.called()).not.toContain("GET /check");
});

test("R-7-25: the check stands beside an API base of the operator's own", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", {
    ...checked(blocked),
    world: (world) => Object.assign(world.settings, { ipCheck: true, apiUrl: "/deep/api" }),
    before: (_, backEnd) => backEnd.script("GET /deep/check", () => blocked),
  });
  const requested = page.waitForRequest("**/deep/check");
  await page.reload();
  await requested;
});

test("hostile words in the answer are text", async () => {
  const country = "<img src=x onerror=alert(1)>";
  const { page } = await stage.open("/lobby", checked(ok({ status: false, ip: "::1", country })));
  await page.getByText(`connecting from ${country} with ::1 address`).waitFor();
  expect(await page.locator("img").count()).toBe(0);
});

test("R-2.9-09, R-2.9-10, R-8-24: without WebRTC the game route names VPN and browsers, and leads back to the lobby", async () => {
  const { page, backEnd } = await stage.open("/game/m_3/Mercan", { before: noWebRtc });
  await page.getByRole("heading", { level: 1 }).waitFor();
  const text = (await page.textContent("main")) ?? "";
  for (const word of ["VPN", "Chrome", "Safari"]) expect(text).toContain(word);
  expect(backEnd.opened.game).toEqual([]);
  await page.getByRole("button", { name: "Back to lobby" }).press("Enter");
  await page.locator("article").first().waitFor();
});

test("R-2.9-09: without WebRTC the login is as always", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/login", { before: noWebRtc, guest: true });
  await page.locator("main button").first().waitFor();
  expect(await page.textContent("body")).not.toContain("VPN");
});

test("R-2.9-10: a browser too old for the page is told in three languages, before anything runs", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", {
    before: (opened) =>
      opened.addInitScript(() => {
        Reflect.deleteProperty(Array.prototype, "toSorted");
      }),
  });
  await page.getByText("Chrome").first().waitFor();
  for (const language of ["tr", "en", "ar"]) {
    const words = (await page.locator(`.unsupported p[lang=${language}]`).textContent()) ?? "";
    expect(words).toMatch(/Chrome.*Safari/);
  }
  expect(await page.locator("#root > *").count()).toBe(0);
  expect(backEnd.calls).toEqual([]);
  expect(await axeFindings(page)).toEqual([]);
});

test.each(everyWindow("lying"))(
  "the gates at $width x $height in $language: whole, named, without a complaint",
  { tags: ["long"] },
  async (window) => {
    const held = heldBack();
    const { page, complaints, backEnd } = await stage.open("/lobby", checked(held.promise, { window }));
    await page.locator("main[aria-busy] h1").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    held.resolve(blocked);
    await page.locator("main:not([aria-busy]) h1").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    backEnd.world.settings["ipCheck"] = false;
    await noWebRtc(page);
    await page.goto(`${backEnd.url}/game/m_3/Mercan`);
    await page.locator("main ol").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);
