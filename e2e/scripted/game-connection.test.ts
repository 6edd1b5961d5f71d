import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

async function played(scene: Parameters<typeof stage.openGame>[0] = {}) {
  const game = await stage.openGame(scene);
  await game.playing();
  const { page } = game;
  return { ...game, line: page.locator("[data-missing]"), spin: page.locator("[data-spin]") };
}

test("R-4.4-12: a lost game socket shows 'Connection Lost, please wait.', and the page takes the seat again by itself", async () => {
  const { page, line, close, script, methods } = await played();
  // Until it is let in again.
  script("init", () => undefined);
  close(1012, "restart");
  await line.getByText("Connection Lost, please wait.", { exact: true }).waitFor(SOON);
  await expect.poll(() => page.locator("main").getAttribute("data-online")).toBe("false");
  await expect.poll(() => methods("init").length, SOON).toBeGreaterThan(1);
});

test("R-4.4-12: after a close that is not final the game goes on at the same machine", async () => {
  const { page, line, spin, close, presses, methods } = await played();
  close(1013, "");
  await expect.poll(() => methods("init").length, SOON).toBe(2);
  await line.waitFor({ state: "detached", ...SOON });
  await page.locator('main[data-online="true"][data-live="true"]').waitFor(SOON);
  await spin.click();
  await expect.poll(() => presses.length, SOON).toBe(1);
});

test("R-4.4-11, R-7-32: a game socket that is closed with a reason shows it: for good in the lobby, otherwise over the video", async () => {
  const { page, line, close, script } = await played();
  script("init", () => undefined);
  close(1013, "The floor is being cleaned.");
  await line.getByText("The floor is being cleaned.").waitFor(SOON);
  await line.getByText("Connection Lost, please wait.").waitFor(SOON);
  await expect.poll(() => page.locator("main").getAttribute("data-online"), SOON).toBe("false");
  const other = await played();
  other.close(4000, "The floor closes early today.");
  await other.page.getByText("The floor closes early today.").waitFor(SOON);
  await expect.poll(() => other.path()).toContain("/lobby");
});

test("missing video is shown within a moment, SPIN waits, and both recover with it", { tags: ["long"] }, async () => {
  const { page, line, spin, camera, presses } = await played();
  await camera.hush(true);
  await line.waitFor(SOON);
  await page.locator('[data-spin][data-state="unfair"]').waitFor(SOON);
  await expect.poll(() => spin.getAttribute("aria-disabled")).toBe("true");
  await expect.poll(() => spin.textContent()).toContain("Poor link");
  await page.keyboard.press("Space");
  await line.getByText("Connection Lost, please wait.").waitFor(SOON);
  await camera.hush(false);
  await line.waitFor({ state: "detached", ...SOON });
  await page.locator('[data-spin][data-state="ready"]').waitFor(SOON);
  expect(presses).toEqual([]);
  await spin.click();
  await expect.poll(() => presses.length, SOON).toBe(1);
});

test("connections that die are made anew, with another offer for the same seat", { tags: ["long"] }, async () => {
  const { page, line, camera, methods, answer } = await played();
  const { credit } = answer.meters;
  await camera.cut();
  await line.waitFor(SOON);
  await expect.poll(() => methods("offer").length, SOON).toBeGreaterThan(0);
  await line.waitFor({ state: "detached", ...SOON });
  await page.locator('main[data-live="true"]').waitFor(SOON);
  await expect.poll(() => methods("init")).toHaveLength(1);
  await expect.poll(() => page.locator("main").getAttribute("data-credit")).toBe(String(credit));
});

test("the link readout opens what is measured, and saves it for support without anything of the player's", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await played();
  await page.locator("main[data-delay-ms]").waitFor(SOON);
  await page.locator("button[aria-haspopup=dialog][data-quality]").click();
  const sheet = page.getByRole("dialog", { name: "Connection" });
  await sheet.getByText("Picture delay", { exact: true }).first().waitFor(SOON);
  await sheet.getByText(/^(UDP|TCP)$/).waitFor(SOON);
  // A browser that has too much to do sends it smaller than 640 × 360.
  await sheet.getByText(/\d{2,4} × \d{2,4}/).waitFor(SOON);
  await sheet.getByRole("img", { name: /^Pictures a second, last minute: now \d+ fps/ }).waitFor(SOON);
  await sheet.getByRole("radio", { name: "Evenly" }).check();
  await sheet.getByText("A picture may wait up to 50 ms").waitFor(SOON);
  expect(await page.evaluate(() => localStorage.getItem("longarm.smooth"))).toBe("on");
  // They go on while one looks.
  const curve = sheet.getByRole("figure").last().locator("path").last();
  const drawn = await curve.getAttribute("d");
  await expect.poll(() => curve.getAttribute("d"), SOON).not.toBe(drawn);
  const [download] = await Promise.all([
    page.waitForEvent("download", SOON),
    sheet.getByRole("button", { name: "Save for support" }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  expect(JSON.parse(text)).toMatchObject({
    machineId: "m_3",
    path: { width: expect.any(Number) },
    readout: { estimated: false },
  });
  expect(text).not.toContain(backEnd.token);
  expect(text).not.toMatch(/candidate:|127\.0\.0\.1|ufrag/);
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached", ...SOON });
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-haspopup")), SOON)
    .toBe("dialog");
});

test("the self-test names the machine's video as the part that fails, and nothing else", {
  tags: ["long"],
}, async () => {
  const { page, line, camera } = await played();
  await camera.hush(true);
  await line.getByRole("button", { name: "Why no picture?" }).click(SOON);
  const sheet = page.getByRole("dialog", { name: "Connection" });
  await sheet.getByText("The part that fails: Picture.").waitFor({ timeout: 60_000 });
  const found = (part: string) => sheet.locator(`[data-part=${part}]`).getAttribute("data-found");
  await expect.poll(() => found("browser")).toBe("ok");
  await expect.poll(() => found("permission")).toBe("ok");
  await expect.poll(() => found("agent")).toBe("ok");
  await expect.poll(() => found("udp")).toBe("ok");
  await expect.poll(() => found("turn")).toBe("skipped");
  await sheet.getByText("The connection stands, but the machine sends no picture.").waitFor(SOON);
});

test("the self-test of a working game disturbs nothing and shows that everything works", {
  tags: ["long"],
}, async () => {
  const { page, methods } = await played();
  await page.locator("button[aria-haspopup=dialog][data-quality]").click();
  const sheet = page.getByRole("dialog", { name: "Connection" });
  await sheet.getByRole("radio", { name: "Why no picture?" }).click();
  await sheet.getByRole("button", { name: "Test the connection" }).click();
  await sheet.getByText("Everything works.").waitFor({ timeout: 60_000 });
  expect(methods("offer")).toEqual([]);
});

test("without a machine's computer the self-test names it, and tries no transport", { tags: ["long"] }, async () => {
  const { page, notify, methods } = await played();
  notify("agent", { connected: false });
  await page.locator("button[aria-haspopup=dialog][data-quality]").click();
  const sheet = page.getByRole("dialog", { name: "Connection" });
  await sheet.getByRole("radio", { name: "Why no picture?" }).click();
  await sheet.getByRole("button", { name: "Test the connection" }).click();
  await sheet.getByText("The part that fails: Machine’s computer.").waitFor({ timeout: 60_000 });
  expect(methods("offer")).toEqual([]);
});
