import type { ClipMoment, GameClip } from "@longarm/contract/clips";
import type { PlayedGame } from "@longarm/contract/player-record";
import { timeCodeDistance } from "@longarm/reels/picture/reading/time-code";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { timeInPicture } from "../../rig/page/machine-frame.ts";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import type { RecordedPart } from "./clip-file.ts";
import { recordPicture } from "./clip-file.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

/* The recording of a game on the player's page: what the agent's own encoder and recorder made, frame by frame. Components 45 of the design. */

const stage = setUpStage();

const FROM = Date.UTC(2026, 10, 20, 19, 58, 34);
const GAME: PlayedGame = {
  ...{ id: "214.m_1", number: 214, machine: "Nar 07", session: "ps_9" },
  ...{ start: new Date(FROM + 1_000).toISOString(), end: new Date(FROM + 3_000).toISOString() },
  ...{ stake: 1_200, win: 0, handPaid: 0, before: 489_200, after: 488_000, freeSpins: 0, bonus: false, addsUp: true },
};
const MOMENTS: ClipMoment[] = [
  { ...{ is: "press", at: FROM + 950, doneAt: FROM + 990, button: "spin" }, ...{ outcome: "started", reason: null } },
  {
    ...{ is: "game", at: FROM + 1_000, phase: "started", number: 214 },
    ...{ stake: 1_200, win: null, credit: 488_000 },
  },
  {
    ...{ is: "press", at: FROM + 2_100, doneAt: FROM + 2_120, button: "x9" },
    ...{ outcome: "refused", reason: "inGame" },
  },
  { is: "event", at: FROM + 2_500, kind: "doorOpened", amount: null, credit: 488_000 },
  { ...{ is: "game", at: FROM + 3_000, phase: "ended", number: 214 }, ...{ stake: 1_200, win: 0, credit: 488_000 } },
];

const clipOf = (parts: readonly RecordedPart[], more: Partial<GameClip> = {}): GameClip => ({
  ...{ state: "ready", reason: null, gameFromMs: FROM + 1_000, gameToMs: FROM + 3_000 },
  ...{ fromMs: FROM, toMs: FROM + 6_000, gaps: [], skewMs: -12.4, skewWithinMs: 2.1, moments: MOMENTS },
  segments: parts.map(({ n, bytes, from, to, frames }) => ({
    ...{ name: `${String(n).padStart(7, "0")}.mp4`, bytes, frames },
    ...{ fromMs: from, toMs: to },
  })),
  ...more,
});
const NONE: GameClip = { ...clipOf([]), state: "none", fromMs: FROM, toMs: FROM + 6_000, moments: [] };

type Served = {
  readonly parts?: readonly RecordedPart[];
  readonly clips: readonly GameClip[];
  readonly posted?: GameClip;
};

async function open(path: string, { parts = [], clips, posted }: Served, scene: Scene = {}) {
  const left = [...clips];
  return await stage.open(path, {
    ...scene,
    before: (_page, backEnd) => {
      backEnd.script("GET /v1/player/games/214.m_1", () => ok(GAME));
      backEnd.script("GET /v1/player/sessions", () => ok({ rows: [], total: 0, next: null }));
      backEnd.script("GET /v1/player/disputes/214.m_1", () =>
        ok({ game: GAME, booked: null, mayAsk: true, dueDays: 3, dispute: null, independentBodies: [] }),
      );
      backEnd.script("GET /v1/player/clips/214.m_1", () => ok(left.length > 1 ? left.shift() : left[0]));
      backEnd.script("POST /v1/player/clips", () => ok(posted ?? left[0]));
      for (const { n, mp4 } of parts)
        backEnd.script(`GET /v1/player/clips/214.m_1/parts/${String(n).padStart(7, "0")}.mp4`, () => ({
          ...{ httpStatus: 200, body: mp4 },
          headers: { "content-type": "video/mp4" },
        }));
    },
  });
}

const PAGE = "/slot-sessions?recording=214.m_1";
const place = (page: Page) => page.getByRole("slider", { name: "Place in the recording" });
/** What the page says is shown, ms, and what the picture itself says. */
async function shown(page: Page) {
  const text = (await place(page).getAttribute("aria-valuetext")) ?? "";
  const [, time = ""] = /(\d\d:\d\d:\d\d\.\d{3})/.exec(text) ?? [];
  const said = Date.parse(`2026-11-20T${time}Z`);
  const code = await timeInPicture(page);
  const late = await page.locator("[data-late]").count();
  return { said, off: code === null ? null : timeCodeDistance(code, said), late };
}

describe.each(["h264", "vp8"] as const)("a recording in %s", (codec) => {
  let parts: RecordedPart[];
  beforeAll(async () => {
    parts = await recordPicture(codec, FROM);
  });

  test("is shown from the game's begin on, frame by frame, and each frame is the one that the page says", async () => {
    const { page, complaints } = await open(PAGE, { parts, clips: [clipOf(parts)] });
    await page.getByText("Recording", { exact: true }).waitFor();
    const settled = async (at: number) =>
      await expect
        .poll(async () => await shown(page), { timeout: 20_000 })
        .toEqual({ said: FROM + at, off: 0, late: 0 });
    await settled(1_000);
    await page.getByRole("button", { name: "One frame on" }).click();
    await settled(1_100);
    await place(page).press("ArrowLeft");
    await place(page).press("ArrowLeft");
    await settled(900);
    await place(page).press("Shift+ArrowRight");
    await settled(1_900);
    // Over the border of two segments.
    await place(page).press("ArrowRight");
    await settled(2_000);
    await page.getByRole("button", { name: /Game\W+214\W+ends/ }).click();
    await settled(3_000);
    await place(page).press("End");
    await settled(5_900);
    await place(page).press("Home");
    await settled(0);
    await page.getByRole("radio", { name: "×0.5" }).check({ force: true });
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(async () => (await shown(page)).said, { timeout: 20_000 }).toBeGreaterThan(FROM + 500);
    await place(page).press(" ");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("a recording with a gap", () => {
  let parts: RecordedPart[];
  beforeAll(async () => {
    parts = await recordPicture("h264", FROM, { gap: [2, 3] });
  });

  test("stops where there is no picture, says so, and plays on behind it", async () => {
    const gaps = [{ fromMs: FROM + 2_000, toMs: FROM + 4_000, why: "the disk was full" }];
    const { page } = await open(PAGE, { parts, clips: [clipOf(parts, { gaps })] });
    const list = page.getByRole("region", { name: "What happened" });
    await list.getByText("No picture was recorded from 19:58:36 to 19:58:38").waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("status").getByText("No picture was recorded from 19:58:36 to 19:58:38").waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(async () => (await shown(page)).said, { timeout: 20_000 }).toBeGreaterThan(FROM + 4_000);
  });
});

test("it is fetched by opening its page, and each state is a sentence", async () => {
  const parts = await recordPicture("h264", FROM, { seconds: 2 });
  const { page, backEnd } = await open(PAGE, {
    parts,
    clips: [NONE, { ...NONE, state: "fetching" }, clipOf(parts)],
    posted: { ...NONE, state: "wanted" },
  });
  await page.getByText("The machine has been called for the recording…").waitFor();
  expect(backEnd.calls.find(({ method, path }) => method === "POST" && path === "/v1/player/clips")?.body).toEqual({
    game: "214.m_1",
  });
  await page.getByText("The recording is on its way.", { exact: false }).waitFor();
  await page.getByRole("button", { name: "One frame on" }).waitFor();
  for (const [reason, text] of [
    ["notRecorded", "There is no recording of this game"],
    ["deleted", "This recording is not kept any more"],
    ["failed", "The recording could not be fetched"],
  ] as const) {
    const missing = await open(PAGE, {
      clips: [{ ...NONE, state: "missing", reason }],
      posted: { ...NONE, state: "wanted", reason: "agentAway" },
    });
    await missing.page.getByText(text, { exact: false }).waitFor();
    await missing.page.getByRole("button", { name: "Try again" }).click();
    await missing.page.getByText("cannot be reached now", { exact: false }).waitFor();
  }
});

test("the ways to it, a game of long ago, one of somebody else, and bytes that are damaged", async () => {
  const { page, path } = await open("/slot-sessions?game=214.m_1", { clips: [NONE] });
  await page.getByRole("link", { name: "Watch the recording" }).press("Enter");
  await page.getByRole("heading", { level: 1, name: "Recording of a game" }).waitFor();
  expect(path()).toBe(PAGE);
  await page.getByRole("link", { name: "Something was wrong with this game" }).click();
  await page.getByRole("button", { name: "Watch the recording" }).waitFor();
  const refuse = async (httpStatus: number) =>
    await stage.open(PAGE, {
      before: (_page, backEnd) => backEnd.script("GET /v1/player/clips/214.m_1", () => refused(httpStatus, 40000)),
    });
  await (await refuse(409)).page.getByText("Recordings are shown of your last ten games", { exact: false }).waitFor();
  await (await refuse(404)).page.getByText("There is no recording of this game here.").waitFor();
  const [part] = await recordPicture("h264", FROM, { seconds: 2 });
  if (part === undefined) throw new Error("Nothing was recorded.");
  const torn = [{ ...part, mp4: part.mp4.subarray(0, 700) }];
  await (await open(PAGE, { parts: torn, clips: [clipOf(torn)] })).page
    .getByText("came damaged", { exact: false })
    .waitFor();
});

describe("its page", () => {
  let parts: RecordedPart[];
  beforeAll(async () => {
    parts = await recordPicture("h264", FROM, { seconds: 4 });
  });
  test.each(everyWindow("phone"))("in $language, $width × $height", async (window) => {
    for (const path of [PAGE, "/slot-sessions?question=214.m_1"]) {
      const { page } = await open(path, { parts, clips: [clipOf(parts)] }, { window });
      await page.locator("main video").waitFor();
      await page.locator("main input[type=range]:enabled").waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
