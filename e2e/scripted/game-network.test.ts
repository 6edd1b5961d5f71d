import { expect, test } from "vitest";
import { setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

test("sheets that were never opened are there when the network is not: the game stays", {
  tags: ["long"],
}, async () => {
  const { page, playing } = await stage.openGame();
  await playing();
  const fetched = () =>
    page.evaluate(() =>
      ["sheet-frame-", "late-sheets-", "connection-"].every((part) =>
        performance.getEntriesByType("resource").some(({ name }) => name.includes(`/${part}`) && name.endsWith(".js")),
      ),
    );
  await expect.poll(fetched, SOON).toBe(true);
  await page.route("**/assets/**", (route) => route.abort("internetdisconnected"));
  await page.getByRole("button", { name: "Autoplay", exact: true }).click();
  await page.getByRole("dialog", { name: "Autoplay" }).waitFor(SOON);
  await page.keyboard.press("Escape");
  await page.locator("button[data-quality]").click();
  await page.getByRole("dialog", { name: "Connection" }).waitFor(SOON);
  await page.locator("main[data-phase=playing]").waitFor({ ...SOON, state: "attached" });
});
