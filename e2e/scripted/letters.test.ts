import type { CareLetter, LettersAnswer } from "@longarm/contract/player-care";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

/* Letters of staff: one that waits is shown after the sign-in, and Safer play has them all with their reasons. */

const stage = setUpStage();

const LETTER: CareLetter = {
  id: "le_1",
  sentAt: "2026-11-26T16:20:00.000Z",
  readAt: null,
  from: "Selin Kaya",
  text: "Hello Deniz. You have played on nine days in a row, and a little longer each day. If that feels right to you, there is nothing to do.\n\nIf it does not, these are yours to use:",
  advice: { key: "loss.week", value: 50_000 },
  why: [
    { measure: "time", level: "watch", value: 1_300, limit: 1_200, at: "2026-11-26T10:00:00.000Z" },
    { measure: "netLoss", level: "strong", value: 120, limit: 100, at: "2026-11-26T09:00:00.000Z" },
    { measure: "chasing", level: "watch", value: 5, limit: 4, at: "2026-11-26T08:00:00.000Z" },
  ],
};

const open = async (path: string, letters: readonly CareLetter[] | undefined, scene: Scene = {}) => {
  let now: readonly CareLetter[] = letters ?? [];
  const answer = (): LettersAnswer => ({ letters: [...now] });
  const played = await stage.open(path, {
    ...scene,
    world: (world) =>
      now.some(({ readAt }) => readAt === null) ? Object.assign(world.signIn, { letter_waits: true }) : undefined,
    before: (_page, backEnd) => {
      backEnd.script("GET /v1/player/letters", () => (letters === undefined ? refused(404, 40000) : ok(answer())));
      backEnd.script("POST /v1/player/letters/read", () => {
        now = now.map((one) => ({ ...one, readAt: "2026-11-27T10:00:00.000Z" }));
        return ok(answer());
      });
    },
  });
  const isRead = () => played.backEnd.calls.some(({ path: called }) => called === "/v1/player/letters/read");
  return { ...played, isRead };
};

test("a letter that waits is shown after the sign-in; not now puts it away and nothing else", async () => {
  const { page, isRead, complaints } = await open("/lobby", [LETTER]);
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Selin Kaya").waitFor();
  await sheet.getByText(/nine days in a row/).waitFor();
  expect(await sheet.getByRole("listitem").count()).toBe(4);
  expect(isRead()).toBe(false);
  await sheet.getByRole("button", { name: "Not now" }).click();
  await sheet.waitFor({ state: "detached" });
  await expect.poll(isRead).toBe(true);
  expect(new URL(page.url()).pathname).toBe("/lobby");
  expect(complaints).toEqual([]);
});

test("its ways lead to limits, breaks, help and the reasons, by keyboard too", async () => {
  const { page, isRead } = await open("/lobby", [LETTER]);
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Why did I get this?" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/safer-play\?tab=letters/);
  await expect.poll(isRead).toBe(true);
  await page.getByText("Why did I get this?").click();
  await page.getByText("21 h 40 min").waitFor();
  await page.getByText(/120%.*looked at from.*100%/).waitFor();
  await page.getByText(/5×.*looked at from.*4×/).waitFor();
});

test("no letter says so, a platform without letters too, and what is looked at is explained either way", async () => {
  for (const letters of [[], undefined]) {
    const { page } = await open("/safer-play?tab=letters", letters);
    await page.getByText("No letter", { exact: true }).waitFor();
    expect(
      await page.getByRole("region", { name: "Letters" }).or(page.getByRole("tabpanel")).locator("dt").count(),
    ).toBe(9);
  }
});

test.each([...everyWindow("desk"), ...everyWindow("phone")])(
  "letters at $width x $height in $language: no axe finding, no overflow, no complaint",
  async (window) => {
    const sheet = await open("/lobby", [LETTER], { window });
    await sheet.page.getByRole("dialog").getByText("Selin Kaya").waitFor();
    expect(await axeFindings(sheet.page)).toEqual([]);
    expect(await overflowOf(sheet.page)).toBeLessThanOrEqual(0);
    const tab = await open("/safer-play?tab=letters", [{ ...LETTER, readAt: LETTER.sentAt }], { window });
    await tab.page.locator("summary").click();
    expect(await axeFindings(tab.page)).toEqual([]);
    expect(await overflowOf(tab.page)).toBeLessThanOrEqual(0);
    expect([...sheet.complaints, ...tab.complaints]).toEqual([]);
  },
);
