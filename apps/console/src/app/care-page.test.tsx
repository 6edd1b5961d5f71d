import { CARE_MEASURES } from "@longarm/contract/player-care";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

/* Cases of players who may need care: the list, one case with its acts, and the panel of a player. */

const WHEN = "2026-11-26T19:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const ME = EVA.person;
const CASE = {
  id: "cc_1",
  player: { id: "p_1", username: "deniz" },
  openedAt: WHEN,
  level: "strong",
  owner: null as { id: string; name: string } | null,
  signs: [
    { measure: "night", level: "strong", value: 800, limit: 720, at: WHEN },
    { measure: "chasing", level: "watch", value: 5, limit: 4, at: WHEN },
  ],
  closedAt: null,
  closedBy: null,
  outcome: null,
};
const DETAIL = {
  ...CASE,
  steps: [{ at: WHEN, kind: "opened", person: null, text: null, advice: null, until: null, readAt: null }],
  letterFrom: null as string | null,
  drafts: { en: "Hello.", tr: "Merhaba.", ar: "مرحبًا." },
};
const MINE = { ...DETAIL, owner: { id: ME.id, name: ME.name } };
const supervisor = { ...EVA, permissions: ["player.find", "care.see", "care.act"] as typeof EVA.permissions };
const DONE = { is: "done", result: {}, repeated: false };

const opened = (more: object = {}, language: "en" | "tr" | "ar" = "en", me: object = supervisor) =>
  scriptedConsole(
    {
      me: () => me,
      approvals: () => listOf([]),
      careCases: () => listOf([CASE]),
      careCase: () => DETAIL,
      ...more,
    },
    language,
  );
const at = (path: string) => history.replaceState(null, "", path);
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const type = async (label: string, value: string) =>
  fireEvent.change(within(await screen.findByRole("dialog")).getByLabelText(label), { target: { value } });
const bodyOf = (called: Awaited<ReturnType<typeof opened>>["called"], call: string) =>
  called.filter(({ name }) => name === call).at(-1)?.body;
/** The key of the open sheet. */
const keyOf = async (name: string) =>
  within(await screen.findByRole("dialog")).getByRole<HTMLButtonElement>("button", { name });

afterEach(cleanup);

test("the list leads to a case with its evidence; who has none of it takes it, and says whose it was", async () => {
  at("/care");
  const { called } = await opened({ takeCareCase: () => DONE });
  fireEvent.click(await screen.findByRole("link", { name: "deniz" }));
  expect(await screen.findByText(/13 h 20 min/)).toBeDefined();
  expect(screen.getByText(/from .*12 h.* on/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Close the case" })).toBeNull();
  await press("Take the case");
  fireEvent.click(await keyOf("Take the case"));
  await waitFor(() => expect(bodyOf(called, "takeCareCase")).toMatchObject({ expected: null }));
});

test("a case that somebody else has taken meanwhile says so", async () => {
  at("/care/cc_1");
  const sentence = "Somebody else has taken the case meanwhile: look again.";
  await opened({
    careCase: () => ({ ...DETAIL, owner: { id: "st_okan", name: "Okan Er" } }),
    takeCareCase: () => new Refusal("act.refused", { sentence }),
  });
  await press("Take it from Okan Er");
  fireEvent.click(await keyOf("Take the case"));
  expect(await screen.findByText(new RegExp(sentence))).toBeDefined();
});

test("a letter begins with the draft of its language, and a suggested limit is whole or not sent", async () => {
  at("/care/cc_1");
  const { called } = await opened({
    careCase: () => MINE,
    writeCareLetter: () => ({ is: "done", result: { letter: "le_1" }, repeated: false }),
  });
  await press("Write to the player");
  expect((within(await screen.findByRole("dialog")).getByLabelText("Letter") as HTMLTextAreaElement).value).toBe(
    "Hello.",
  );
  fireEvent.click(within(screen.getByRole("dialog")).getByText("Turkish"));
  await type("Letter", "Merhaba Deniz.");
  await type("Suggest a limit", "loss.week");
  expect((await keyOf("Write to the player")).disabled).toBe(true);
  await type("Amount", "500,00");
  fireEvent.click(await keyOf("Write to the player"));
  await waitFor(() =>
    expect(bodyOf(called, "writeCareLetter")).toMatchObject({
      text: "Merhaba Deniz.",
      advice: { key: "loss.week", value: 50_000 },
    }),
  );
});

test("no case is closed without an outcome and a reason", async () => {
  at("/care/cc_1");
  const { called } = await opened({ careCase: () => MINE, closeCareCase: () => DONE });
  await press("Close the case");
  expect((await keyOf("Close the case")).disabled).toBe(true);
  await type("What came of it", "talked");
  expect((await keyOf("Close the case")).disabled).toBe(true);
  await type("Reason", "sets 200 a week");
  fireEvent.click(await keyOf("Close the case"));
  await waitFor(() =>
    expect(bodyOf(called, "closeCareCase")).toMatchObject({ outcome: "talked", reason: "sets 200 a week" }),
  );
});

test("a time-out says until when, and a letter that is too soon says from when", async () => {
  at("/care/cc_1");
  const { called } = await opened({
    careCase: () => ({ ...MINE, letterFrom: "2026-12-03T19:00:00.000Z" }),
    careTimeOut: () => ({ is: "done", result: { until: "2026-12-10T19:00:00.000Z" }, repeated: false }),
  });
  expect(await screen.findByText(/the next from 03\/12\/2026/)).toBeDefined();
  expect((screen.getByRole("button", { name: "Write to the player" }) as HTMLButtonElement).disabled).toBe(true);
  await press("Begin a time-out");
  await type("For how long", "14");
  await type("Reason", "agreed");
  fireEvent.click(await keyOf("Begin a time-out"));
  expect(await screen.findByText(/Play is closed until 10\/12\/2026/)).toBeDefined();
  expect(bodyOf(called, "careTimeOut")).toMatchObject({ days: 14, reason: "agreed" });
});

test("who may only see is offered no act", async () => {
  at("/care/cc_1");
  await opened({}, "en", { ...supervisor, permissions: ["care.see"] });
  expect(await screen.findByText(/13 h 20 min/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Take the case" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Write a note" })).toBeNull();
});

test.each(["en", "tr", "ar"] as const)("every measure, step and outcome has its words in %s", async (language) => {
  at("/care/cc_1");
  const kinds = ["opened", "taken", "note", "letter", "timeOut", "closed"];
  await opened(
    {
      careCase: () => ({
        ...MINE,
        signs: CARE_MEASURES.map((measure) => ({ measure, level: "watch", value: 90, limit: 60, at: WHEN })),
        steps: kinds.map((kind, number) => ({
          ...DETAIL.steps[0],
          at: new Date(Date.parse(WHEN) + number).toISOString(),
          kind,
          text: "text",
          advice: kind === "letter" ? { key: "time.day", value: 90 } : null,
          until: kind === "timeOut" ? WHEN : null,
        })),
      }),
    },
    language,
  );
  await waitFor(() => expect(document.querySelectorAll("ol li")).toHaveLength(kinds.length));
  expect(document.querySelectorAll("main li")).toHaveLength(kinds.length + CARE_MEASURES.length);
  expect(document.querySelector("main")?.textContent).not.toMatch(/care\.|\{/);
});
