import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { CEREMONY, EVA, scriptedConsole } from "./testing/scripted-console.tsx";

/* Questions of players about a game: the list, one with its facts side by side, and its acts. */

const WHEN = "2026-11-20T20:02:00.000Z";
/** The clock of the scripted console. */
const NOW = "2026-11-26T20:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const ROW = {
  ...{ id: "dq_1", number: 1_042, player: { id: "p_1", username: "deniz" }, machine: { id: "nar-07", name: "Nar 07" } },
  ...{ gameNumber: 214, kind: "winNotCounted", state: "received", openedAt: WHEN, dueAt: "2026-11-23T20:02:00.000Z" },
  ...{
    owner: null as { id: string; name: string } | null,
    decidedAt: null,
    verdict: null,
    amount: null,
    transfer: null,
  },
};
const GAME = {
  ...{ id: "214.nar-07", number: 214, machine: "Nar 07", session: "ps_1", start: WHEN, end: WHEN },
  ...{ stake: 1_200, win: 0, handPaid: 0, before: 489_200, after: 488_000, freeSpins: 0, bonus: false, addsUp: true },
};
const DETAIL = {
  ...ROW,
  steps: [{ at: WHEN, kind: "opened", person: null, text: "The glass said 384.", sentence: null, erased: false }],
  game: GAME,
  gameBefore: null,
  gameAfter: null,
  facts: {
    ...{ from: WHEN, to: WHEN, events: [], audit: [] as unknown[] | null },
    booked: [
      {
        id: "game:nar-07:214",
        kind: "game",
        from: "machine:nar-07",
        to: "house",
        amount: 1_200,
        at: WHEN,
        isOfGame: true,
      },
    ],
  },
};
const MS = Date.parse(WHEN);
const NO_CLIP = {
  ...{ state: "none", reason: null as string | null, gameFromMs: MS, gameToMs: MS + 3_000, fromMs: MS - 2_000 },
  ...{ toMs: MS + 8_000, segments: [], gaps: [], skewMs: null, skewWithinMs: null, moments: [], picture: [] },
};
const MINE = { ...DETAIL, state: "lookedAt", owner: { id: EVA.person.id, name: EVA.person.name } };
const supervisor = { ...EVA, permissions: ["player.find", "dispute.see", "dispute.decide"] as typeof EVA.permissions };
const DONE = { is: "done", result: { transfer: null }, repeated: false };

const passkey = { stepUpBegin: () => CEREMONY, stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }) };

const opened = (more: object = {}, language: "en" | "tr" | "ar" = "en", me: object = supervisor) =>
  scriptedConsole(
    {
      me: () => me,
      clip: () => NO_CLIP,
      approvals: () => listOf([]),
      disputes: () => listOf([ROW]),
      dispute: () => DETAIL,
      ...more,
    },
    language,
  );
const at = (path: string) => history.replaceState(null, "", path);
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const type = async (label: string, value: string) =>
  fireEvent.change(within(await screen.findByRole("dialog")).getByLabelText(label), { target: { value } });
const keyOf = async (name: string) =>
  within(await screen.findByRole("dialog")).getByRole<HTMLButtonElement>("button", { name });

afterEach(cleanup);

test("the list leads to a question; who takes it says whose it was", async () => {
  at("/questions");
  const { called } = await opened({ takeDispute: () => DONE });
  fireEvent.click(await screen.findByRole("link", { name: "1042" }));
  await screen.findByText("The glass said 384.");
  await press("Take the question");
  fireEvent.click(await keyOf("Take the question"));
  await waitFor(() =>
    expect(called.find(({ name }) => name === "takeDispute")?.body).toMatchObject({ expected: null }),
  );
});

test("machine and ledger are side by side, and a gap is said", async () => {
  at("/questions/dq_1");
  await opened();
  await screen.findByText("It adds up");
  await screen.findByText("The recording was not fetched yet");
  const result = (await screen.findByRole("row", { name: /^Result/ })).textContent;
  expect(result?.match(/12\.00/g)).toHaveLength(2);
  cleanup();
  at("/questions/dq_1");
  await opened({ dispute: () => ({ ...DETAIL, facts: { ...DETAIL.facts, booked: [], audit: null } }) });
  await screen.findByText("It does not add up");
  await screen.findByText("Entries of the audit log are not shown to your role.");
});

test("a verdict is chosen, has a sentence and a letter, and an amount only when money is owed", async () => {
  at("/questions/dq_1");
  const { called } = await opened({ dispute: () => MINE, decideDispute: () => DONE, ...passkey });
  await press("Decide");
  expect((await keyOf("Decide")).disabled).toBe(true);
  await type("Verdict", "houseOwes");
  await type("Sentence", "The win is in your wallet");
  await type("Letter", "You were right.");
  expect((await keyOf("Decide")).disabled).toBe(true);
  await type("What the casino owes", "384");
  fireEvent.click(await keyOf("Decide"));
  fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
  await waitFor(() =>
    expect(called.find(({ name }) => name === "decideDispute")?.body).toMatchObject({
      ...{ verdict: "houseOwes", amount: 38_400 },
      ...{ sentence: "The win is in your wallet", letter: "You were right." },
    }),
  );
});

test("drawn games have their result in words, what differs comes first, and each leads to its replay", async () => {
  at("/questions");
  const drawn = (gameNumber: number, state: string, why: string[] = []) => ({
    ...{ day: "2026-11-19", machine: { id: "nar-07", name: "Nar 07" }, gameNumber, state, why, decidedAt: WHEN },
  });
  await opened({
    sampledGames: () =>
      listOf([drawn(1, "agrees"), drawn(2, "differs", ["meters: The win is 550."]), drawn(3, "waiting")]),
  });
  fireEvent.click(await screen.findByRole("radio", { name: "Drawn games" }));
  await screen.findByText("Everything agrees");
  const links = screen.getAllByRole("link", { name: /^Nar 07/ });
  expect(links.map((link) => link.getAttribute("href"))).toEqual([2, 1, 3].map((n) => `/games/nar-07/${n}`));
  await screen.findByText("meters: The win is 550.");
});

test("the list shows what is overdue and due soon alone, and sorts by number, person and day", async () => {
  at("/questions");
  const due = (number: number, hours: number) => ({
    ...{ ...ROW, id: `dq_${number}`, number },
    dueAt: new Date(Date.parse(NOW) + hours * 3_600_000).toISOString(),
  });
  await opened({ disputes: () => listOf([due(3, -2), due(1, 5), due(2, 90)]) });
  await screen.findByRole("link", { name: "3" });
  const numbers = () => screen.getAllByRole("link", { name: /^\d$/ }).map(({ textContent }) => textContent);
  expect(numbers()).toEqual(["3", "1", "2"]);
  fireEvent.click(screen.getByRole("button", { name: "Number" }));
  expect(numbers()).toEqual(["1", "2", "3"]);
  fireEvent.click(screen.getByRole("button", { name: "Number" }));
  expect(numbers()).toEqual(["3", "2", "1"]);
  expect(screen.getByRole("columnheader", { name: "Number" }).getAttribute("aria-sort")).toBe("descending");
  fireEvent.click(screen.getByRole("button", { name: "Number" }));
  fireEvent.click(screen.getByRole("radio", { name: "Overdue" }));
  expect(numbers()).toEqual(["3"]);
  fireEvent.click(screen.getByRole("radio", { name: "Due soon" }));
  expect(numbers()).toEqual(["1"]);
});

test("the player gets one question, and who may only see has no keys", async () => {
  at("/questions/dq_1");
  const question = {
    at: WHEN,
    kind: "question",
    person: MINE.owner,
    text: "Which line?",
    sentence: null,
    erased: false,
  };
  await opened({ dispute: () => ({ ...MINE, steps: [...MINE.steps, question] }) });
  await screen.findByText("Which line?");
  expect(screen.queryByRole("button", { name: "Ask the player back" })).toBeNull();
  cleanup();
  at("/questions/dq_1");
  await opened({}, "tr", { ...supervisor, permissions: ["dispute.see"] });
  await screen.findByText("The glass said 384.");
  expect(screen.queryByRole("button", { name: "Soruyu al" })).toBeNull();
});

test("a recording is fetched on request, and why there is none is said in words", async () => {
  at("/questions/dq_1");
  const { called } = await opened({ requestClip: () => ({ ...NO_CLIP, state: "missing", reason: "deleted" }) });
  await press("Fetch the recording");
  await screen.findByText("It was removed when its time was over.");
  expect(called.map(({ name }) => name)).toContain("requestClip");
  await screen.findByRole("button", { name: "Try again" });
  cleanup();
  at("/games/nar-07/214");
  const { game, gameBefore, gameAfter, facts } = DETAIL;
  await opened({
    gameOfClip: () => ({ machine: ROW.machine, player: null, game, gameBefore, gameAfter, facts }),
    clip: () => ({ ...NO_CLIP, state: "wanted", reason: "agentAway" }),
  });
  await screen.findByText(/tried again by itself/);
});

test("a game beside it with another credit says that money came or went in between", async () => {
  at("/questions/dq_1");
  const beside = { number: 213, startedAt: WHEN, endedAt: WHEN, player: null, stake: 100, win: 0, handPaid: 0 };
  const gameBefore = { ...beside, creditBefore: 1_700, creditAfter: 1_600 };
  await opened({ dispute: () => ({ ...DETAIL, gameBefore }) });
  await screen.findByText(/Between this game and the one beside it the credit changed/);
  await screen.findByText("It adds up");
  cleanup();
  at("/questions/dq_1");
  await opened({ dispute: () => ({ ...DETAIL, gameBefore: { ...gameBefore, creditAfter: GAME.before } }) });
  await screen.findByText("It adds up");
  expect(screen.queryByText(/Between this game and the one beside it/)).toBeNull();
});

test("a person without a role reads why there is no page yet", async () => {
  at("/approvals");
  await opened({}, "en", { ...EVA, permissions: [], person: { ...EVA.person, roles: [] } });
  await screen.findByText("You have no role yet");
});
