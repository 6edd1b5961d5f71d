import type { GameClip } from "@longarm/contract/clips";
import type { Dispute, DisputeAnswer } from "@longarm/contract/player-disputes";
import type { PlayedGame } from "@longarm/contract/player-record";
import { expect, test } from "vitest";
import { texts } from "../../rig/page/game-page.ts";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpGameStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";

/* A question about a game, from the history to the verdict. Pictures 50 and 51 of the design. */

const stage = setUpGameStage();

const GAME: PlayedGame = {
  ...{ id: "214.m_1", number: 214, machine: "Nar 07", session: "ps_9" },
  ...{ start: "2026-11-20T19:58:34.000Z", end: "2026-11-20T19:58:41.000Z" },
  ...{ stake: 1_200, win: 0, handPaid: 0, before: 489_200, after: 488_000, freeSpins: 0, bonus: false, addsUp: true },
};
const OPENED: Dispute = {
  ...{ id: "dq_1", number: 1_042, kind: "winNotCounted", state: "received", isNew: false, decision: null },
  ...{ openedAt: "2026-11-20T20:02:00.000Z", dueAt: "2026-11-23T20:02:00.000Z", additionsLeft: 5 },
  steps: [
    {
      ...{ at: "2026-11-20T20:02:00.000Z", kind: "opened", from: null, erased: false },
      text: "The glass said 384, my credit did not grow.",
    },
  ],
};
const TAKEN: Dispute = {
  ...OPENED,
  ...{ state: "lookedAt", isNew: true },
  steps: [
    ...OPENED.steps,
    { at: "2026-11-21T06:40:00.000Z", kind: "taken", from: "Emre T.", text: null, erased: false },
    {
      ...{ at: "2026-11-21T06:45:00.000Z", kind: "question", from: "Emre T.", erased: false },
      text: "Which line was it?",
    },
  ],
};
const DECIDED: Dispute = {
  ...TAKEN,
  ...{ state: "decided", isNew: true, additionsLeft: 0 },
  steps: [
    ...TAKEN.steps,
    {
      ...{ at: "2026-11-21T08:18:00.000Z", kind: "decided", from: "Emre T.", erased: false },
      text: "The recording shows four pomegranates, and the win was never added to your credit.\n\nWe paid it to your wallet today. Thank you for telling us.",
    },
  ],
  decision: {
    ...{ verdict: "houseOwes", sentence: "The win of ₺384.00 is in your wallet" },
    ...{ amount: 38_400, transfer: "dispute:dq_1" },
  },
};
const RIGHT: Dispute = {
  ...DECIDED,
  decision: { verdict: "paidRight", sentence: "This game was paid right", amount: null, transfer: null },
};
const ERASED: Dispute = {
  ...RIGHT,
  steps: RIGHT.steps.map((step) => ({ ...step, text: null, erased: step.kind !== "taken" })),
  decision: { verdict: "paidRight", sentence: null, amount: null, transfer: null },
};

const NO_CLIP: GameClip = {
  ...{ state: "none", reason: null, segments: [], gaps: [], moments: [], skewMs: null, skewWithinMs: null },
  ...{ gameFromMs: Date.parse(GAME.start), gameToMs: Date.parse(GAME.end) },
  ...{ fromMs: Date.parse(GAME.start), toMs: Date.parse(GAME.end) },
};

const open = async (path: string, dispute: Dispute | null, more: Partial<DisputeAnswer> = {}, scene: Scene = {}) => {
  let now = dispute;
  const answer = (): DisputeAnswer => ({
    ...{ game: GAME, booked: { amount: -1_200, at: "2026-11-20T19:58:42.000Z" }, dueDays: 3, independentBodies: [] },
    ...{ mayAsk: now === null, dispute: now },
    ...more,
  });
  return await stage.open(path, {
    ...scene,
    before: (_page, backEnd) => {
      backEnd.script("GET /v1/player/games", () => ok({ games: [GAME] }));
      backEnd.script("GET /v1/player/games/214.m_1", () => ok(GAME));
      backEnd.script("GET /v1/player/sessions", () => ok({ rows: [], total: 0, next: null }));
      backEnd.script("GET /v1/player/disputes/214.m_1", () => ok(answer()));
      backEnd.script("GET /v1/player/clips/214.m_1", () => ok(NO_CLIP));
      backEnd.script("GET /v1/player/disputes", () => {
        if (now === null) return ok({ disputes: [] });
        const { number, kind, state, openedAt, dueAt, isNew } = now;
        const game = { id: GAME.id, number: GAME.number, machine: GAME.machine, end: GAME.end };
        const verdict = now.decision?.verdict ?? null;
        return ok({ disputes: [{ ...{ number, kind, state, openedAt, dueAt, isNew }, verdict, game }] });
      });
      backEnd.script("POST /v1/player/disputes", () => {
        now = OPENED;
        return ok(answer());
      });
      backEnd.script("POST /v1/player/disputes/add", () => {
        const at = "2026-11-21T07:00:00.000Z";
        if (now)
          now = {
            ...now,
            steps: [...now.steps, { at, kind: "addition", from: null, text: "The third.", erased: false }],
          };
        return ok(answer());
      });
      backEnd.script("POST /v1/player/disputes/read", () => {
        if (now) now = { ...now, isNew: false };
        return ok(answer());
      });
    },
  });
};

test("from the history to the question, by keyboard, and no kind is chosen in advance", async () => {
  const { page, path, backEnd, complaints } = await open("/slot-sessions?game=214.m_1", null);
  await page.getByRole("link", { name: "Something was wrong with this game" }).press("Enter");
  await page.getByLabel("What happened?").waitFor();
  expect(path()).toBe("/slot-sessions?question=214.m_1");
  const send = page.getByRole("button", { name: "Send the question" });
  await send.press("Enter");
  await page.getByRole("alert").getByText("Choose what happened.").waitFor();
  expect(await page.getByLabel("What happened?").evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByLabel("What happened?").selectOption({ label: "My win was not counted" });
  await page.getByLabel("In your words, if you like").fill("The glass said 384.");
  await send.press("Enter");
  await page.getByText("Your question is with us").waitFor();
  expect(
    backEnd.calls.find(({ method, path: called }) => method === "POST" && called === "/v1/player/disputes")?.body,
  ).toEqual({ game: "214.m_1", kind: "winNotCounted", words: "The glass said 384." });
  await page.getByText(/Number\W+1042/).waitFor();
  expect(complaints).toEqual([]);
});

test("staff asks back: the lobby says so, the page shows it, and the answer is added", async () => {
  const { page, backEnd } = await open(
    "/lobby",
    TAKEN,
    {},
    {
      world: (world) => Object.assign(world.signIn, { dispute_news: GAME.id }),
    },
  );
  await page.getByText("There is news about your question.").waitFor();
  await page.getByRole("button", { name: "Read it" }).click();
  await page.getByText("Which line was it?").waitFor();
  await expect.poll(() => backEnd.calls.some(({ path }) => path === "/v1/player/disputes/read")).toBe(true);
  await page.getByLabel("Your answer").fill("The third.");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText("The third.").waitFor();
  expect(await page.getByLabel("Add something, if you like").inputValue()).toBe("");
});

test("the answer comes first, whatever it is, with the letter, the facts and the path", async () => {
  for (const [dispute, lamp] of [
    [DECIDED, "Decided: you were right"],
    [RIGHT, "Decided: it was paid right"],
  ] as const) {
    const { page } = await open("/slot-sessions?question=214.m_1", dispute);
    await page.getByRole("heading", { level: 2, name: dispute.decision?.sentence ?? "" }).waitFor();
    await page.getByText(lamp).waitFor();
    await page.getByText("Thank you for telling us.", { exact: false }).waitFor();
    expect(await page.getByRole("complementary").last().locator("dl").last().locator("dt").allInnerTexts()).toEqual([
      "The machine’s record",
      "Its meters",
      "Our books",
    ]);
    const path = page.getByRole("list", { name: "How it goes" });
    expect(await path.getByRole("listitem").count()).toBe(dispute === DECIDED ? 5 : 4);
    expect(await page.getByRole("textbox").count()).toBe(0);
  }
});

test("a verdict names who may be turned to, in the player's language, and nothing where none is", async () => {
  const bodies = [
    {
      name: { en: "Service for disputes", tr: "Kurum" },
      address: "1 High Street\nLondon",
      url: "https://adr.example.org",
    },
  ];
  const { page } = await open("/slot-sessions?question=214.m_1", RIGHT, { independentBodies: bodies });
  const named = page.getByRole("region", { name: "If you are not content" });
  await named.getByText("Service for disputes").waitFor();
  expect(await named.getByText("London").count()).toBe(1);
  expect(await named.getByRole("link").getAttribute("href")).toBe("https://adr.example.org");
  const none = await open("/slot-sessions?question=214.m_1", RIGHT);
  await none.page.getByText("Decided: it was paid right").waitFor();
  expect(await none.page.getByText("If you are not content").count()).toBe(0);
});

test("words that were erased are said to be, and the verdict stays", async () => {
  const { page } = await open("/slot-sessions?question=214.m_1", ERASED);
  await page.getByText("Decided: it was paid right").waitFor();
  await page.getByRole("heading", { level: 2, name: "The words were erased with your personal data." }).waitFor();
  await page.getByText("The letter was erased with your personal data. What was decided stays.").waitFor();
  expect(await page.getByRole("list", { name: "How it goes" }).getByText("The words were erased").count()).toBe(2);
});

test("a game that is not the player's, one of long ago, a failure, and the list", async () => {
  const { page } = await stage.open("/slot-sessions?question=7.m_9", {
    before: (_page, backEnd) => backEnd.script("GET /v1/player/disputes/7.m_9", () => refused(404, 40000)),
  });
  await page.getByText("This game could not be found").waitFor();
  const old = await open("/slot-sessions?question=214.m_1", null, { mayAsk: false });
  await old.page.getByText("This game was too long ago", { exact: false }).waitFor();
  expect(await old.page.getByRole("button", { name: "Send the question" }).count()).toBe(0);
  const list = await open("/slot-sessions", DECIDED);
  await list.page.getByRole("link", { name: "Your questions" }).click();
  await list.page.getByRole("link", { name: /Game\W+214\W+on\W+Nar 07/ }).click();
  await list.page.getByRole("heading", { level: 2 }).waitFor();
  const none = await open("/slot-sessions?question=all", null);
  await none.page.getByText("No question yet").waitFor();
});

test.each(everyWindow("phone"))("form, answer and list in $language, $width × $height", async (window) => {
  for (const [path, dispute, seen] of [
    ["/slot-sessions?question=214.m_1", null, "form"],
    ["/slot-sessions?question=214.m_1", DECIDED, "ol"],
    ["/slot-sessions?question=all", DECIDED, "ol"],
  ] as const) {
    const { page } = await open(path, dispute, {}, { window });
    await page.locator(`main ${seen}`).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  }
});

test.each([...everyWindow("desk"), ...everyWindow("phone")])(
  "a question from the game's side bar at $width x $height in $language: the seat and the video stay, and what is written",
  async (window) => {
    let opened: Dispute | null = null;
    const answer = (): DisputeAnswer => ({
      ...{ game: GAME, booked: null, dueDays: 3, independentBodies: [], mayAsk: opened === null, dispute: opened },
    });
    const { page, playing, backEnd } = await stage.openGame({
      window,
      before: (_page, { script }) => {
        script("GET /v1/player/games", () => ok({ games: [GAME] }));
        script("GET /v1/player/disputes/214.m_1", () => ok(answer()));
        script("POST /v1/player/disputes", () => {
          opened = OPENED;
          return ok(answer());
        });
      },
    });
    await playing();
    const [play, disputes] = [texts(window.language, "play"), texts(window.language, "disputes")];
    const button = (name: string | undefined) => page.getByRole("button", { name: name ?? "-", exact: true });
    const ask = button(play["ask"]);
    if ((await ask.count()) === 0) await button(play["sideBar"]).click();
    await ask.click();
    await page.getByRole("button", { name: GAME.machine }).click();
    const words = page.getByLabel(disputes["words"] ?? "-");
    await words.fill("It froze.");
    await page.getByLabel(disputes["whatHappened"] ?? "-").selectOption("pictureStopped");
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await button(texts(window.language, "app")["close"]).click();
    await button(play["sideBar"]).click();
    expect(await words.inputValue()).toBe("It froze.");
    await button(disputes["send"]).click();
    await page.getByText(disputes["inWork"] ?? "-").waitFor();
    expect(backEnd.calls.find(({ method, path }) => method === "POST" && path === "/v1/player/disputes")?.body).toEqual(
      { game: GAME.id, kind: "pictureStopped", words: "It froze." },
    );
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.locator("main[data-phase=playing][data-live=true]").waitFor();
  },
);
