import { expect, test } from "vitest";
import { texts } from "../../rig/page/game-page.ts";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpGameStage } from "./game-stage.ts";

/* The panic key beside the game: one press, no question, and reached with the keyboard alone. */

const stage = setUpGameStage();
const OFFERED = { closed: null, timeOutHours: [24], exclusionMonths: [6], panicHours: 24 };

test.each([...everyWindow("desk"), ...everyWindow("phone")])(
  "the panic key at $width x $height in $language: one press by keyboard begins the break",
  async (window) => {
    const { page, playing, backEnd } = await stage.openGame({
      window,
      before: (_page, { script }) => {
        script("GET /v1/player/breaks", () => ok(OFFERED));
        script("POST /v1/player/breaks", () => ok({ ...OFFERED, closed: null }));
      },
    });
    await playing();
    const words = texts(window.language, "play");
    const panic = page.getByRole("button", { name: (words["panic"] ?? "-").replace("{hours}", "24") });
    if ((await panic.count()) === 0)
      await page.getByRole("button", { name: words["sideBar"] ?? "-", exact: true }).click();
    await panic.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await panic.scrollIntoViewIfNeeded();
    await panic.focus();
    await page.keyboard.press("Enter");
    await page.getByText(words["panicBegun"] ?? "-").waitFor();
    const begun = backEnd.calls.filter(({ method, path }) => method === "POST" && path === "/v1/player/breaks");
    expect(begun.map(({ body }) => body)).toEqual([{ kind: "panic" }]);
  },
);

test("a platform without breaks has no such key", async () => {
  const { page, playing } = await stage.openGame({});
  await playing();
  const sideBar = page.getByRole("button", { name: "Side bar", exact: true });
  if ((await sideBar.getAttribute("aria-expanded")) !== "true") await sideBar.click();
  await page.getByRole("button", { name: "Leave" }).first().waitFor();
  expect(await page.getByRole("button", { name: /^Pause for/ }).count()).toBe(0);
});
