import { expect, test } from "vitest";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const WORDS = {
  en: { title: "This machine is open in another tab", here: "Play here", support: "Contact support", close: "Close" },
  tr: { title: "Bu makine başka bir sekmede açık", here: "Burada oyna", support: "Desteğe yaz", close: "Kapat" },
  ar: {
    ...{ title: "هذه الماكينة مفتوحة في علامة تبويب أخرى", here: "العب هنا" },
    ...{ support: "التواصل مع الدعم", close: "إغلاق" },
  },
};

// player 9
test.each(everyWindow("lying"))(
  "a second tab says that the machine is open in another tab, accuses no player, and plays here; support is offered, $width in $language",
  async (window) => {
    const words = WORDS[window.language];
    const { page, backEnd, playing } = await stage.openGame({ window });
    await playing();
    const called: unknown[] = [];
    backEnd.script("POST /v1/player/kick", ({ body }) => {
      called.push(body);
      return ok({ code: 20000 });
    });
    backEnd.world.session = { status: true, id: "m_3", name: "Nar 03", machine_status: "playing" };
    const other = await page.context().newPage();
    await other.goto(`${backEnd.url}/lobby`);
    const dialog = other.getByRole("dialog", { name: words.title });
    await dialog.waitFor();
    const keys = (await dialog.locator("button:visible, a:visible").allTextContents()).map((text) => text.trim());
    expect(keys).toEqual([words.here, words.support, words.close]);
    expect(await axeFindings(other)).toEqual([]);
    expect(await overflowOf(other)).toBeLessThanOrEqual(0);
    await dialog.getByRole("button", { name: words.here }).click();
    await other.waitForURL("**/game/m_3/**");
    expect(called).toEqual([{ machineId: "m_3" }]);
  },
);

test("player 9: once the tab that played is closed, the open session is another device's again", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, playing } = await stage.openGame();
  await playing();
  const other = await page.context().newPage();
  await page.close();
  backEnd.world.session = { status: true, id: "m_3", name: "Nar 03", machine_status: "playing" };
  await other.goto(`${backEnd.url}/lobby`);
  await other.getByRole("dialog", { name: "This session may be someone else’s" }).waitFor();
  await other.getByRole("button", { name: "Kick the player" }).waitFor();
});
