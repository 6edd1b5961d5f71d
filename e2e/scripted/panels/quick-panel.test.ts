import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok } from "../answers.ts";
import type { ScriptedBackEnd } from "../back-end.ts";
import { axeFindings, overflowOf } from "../browser.ts";
import { DESK, everyWindow, setUpTemplateStage } from "../game-stage.ts";
import type { Scene } from "../scene.ts";

const stage = setUpTemplateStage();
const DATA = {
  events: [
    { id: "2", title: "Jackpot night", detail: "Friday 21:00, hall 2" },
    { id: "1", title: "New machines", detail: "" },
  ],
  notes: [{ id: "3", title: "Cash desk", detail: "Open until 02:00" }],
};
/** Long before any token ends. */
const FRIDAY = new Date("2020-03-13T10:00:00Z");

async function open(more: Omit<Scene, "before" | "world"> = {}, data: unknown = DATA) {
  const played = await stage.open("/profile", {
    ...more,
    world(world) {
      world.settings["layout"] = "layout1";
    },
    before: async (page: Page, backEnd: ScriptedBackEnd) => {
      await page.clock.setFixedTime(FRIDAY);
      if (data !== undefined) backEnd.script("GET /api/quick-panel/data", () => ok(data));
    },
  });
  const { page } = played;
  const key = page.locator("[data-quick-key]");
  const panel = page.getByRole("dialog");
  const pressKey = async () => {
    await key.click();
    await panel.getByRole("heading", { level: 3 }).first().waitFor();
  };
  return { ...played, key, panel, pressKey };
}

test("R-4.7-14: its key, the page beside it and Escape open and close the quick panel", async () => {
  const { page, key, panel, pressKey } = await open();
  for (const close of [
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(500, 600),
    () => panel.getByRole("button", { name: "Close" }).click(),
  ]) {
    await pressKey();
    await expect.poll(async () => (await panel.boundingBox())?.width).toBe(280);
    await close();
    await panel.waitFor({ state: "detached" });
    await expect.poll(() => key.evaluate((node) => node === document.activeElement)).toBe(true);
  }
});

test("R-2.10-60, R-2.10-61, R-2.10-62, R-7-24, R-3-28: it shows today as the language writes it, and the events and notes of the venue", async () => {
  const { page, panel, pressKey, backEnd, complaints } = await open();
  await pressKey();
  await panel.getByText("Friday", { exact: true }).waitFor();
  await panel.getByText("13 March", { exact: true }).waitFor();
  const section = (title: string) => panel.locator("section", { has: page.getByRole("heading", { name: title }) });
  await section("Events").getByText("Jackpot night").waitFor();
  await expect
    .poll(() => section("Events").getByRole("listitem").allInnerTexts())
    .toEqual(["Jackpot night\nFriday 21:00, hall 2", "New machines"]);
  await expect
    .poll(() => section("Notes").getByRole("listitem").allInnerTexts())
    .toEqual(["Cash desk\nOpen until 02:00"]);
  const requested = backEnd.calls.filter(({ path }) => path === "/api/quick-panel/data");
  expect(requested.map(({ headers }) => headers["authorization"])).toEqual([`Bearer ${backEnd.token}`]);
  expect(complaints).toEqual([]);
});

test("R-2.10-63, R-2.10-64, R-2.10-65: three switches are turned for this page alone", async () => {
  const { panel, page, pressKey, backEnd } = await open();
  await pressKey();
  const states = () =>
    panel.getByRole("switch").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked));
  await expect.poll(states).toEqual([true, false, false]);
  const before = backEnd.calls.length;
  for (const name of ["Notifications", "Cloud Sync", "Retro Thrusters"])
    await panel.getByRole("switch", { name, exact: true }).click();
  await expect.poll(() => states()).toEqual([false, true, true]);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(backEnd.calls.slice(before).filter(({ method }) => method === "POST")).toEqual([]);
  await pressKey();
  await expect.poll(() => states()).toEqual([false, true, true]);
});

test("a failed request is shown and repeated; an empty panel says so", { tags: ["long"] }, async () => {
  const { panel, pressKey, backEnd } = await open({}, { events: [], notes: [] });
  backEnd.failNext("/api/quick-panel/data", 500);
  await pressKey();
  await panel.getByText("Events and notes could not be loaded.").waitFor();
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByText("No events.").waitFor();
  await panel.getByText("No notes.").waitFor();
});

test("a guest sees nothing, and nothing is requested", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/pages/coming-soon", {
    guest: true,
    window: DESK,
    world(world) {
      world.settings["layout"] = "layout1";
    },
  });
  await page.locator("[data-quick-key]").click();
  await page.getByText("No events.").waitFor();
  expect(backEnd.called().filter((call) => call.includes("quick-panel"))).toEqual([]);
});

test.each(everyWindow("phone"))(
  "at $width x $height in $language: no axe finding, no overflow, no complaint",
  { tags: ["long"] },
  async (window) => {
    const { page, pressKey, panel, complaints } = await open({ window });
    await pressKey();
    await panel.getByText("Jackpot night").waitFor();
    await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"));
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
  },
);
