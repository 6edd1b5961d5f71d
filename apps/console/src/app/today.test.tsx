import type { Me } from "@longarm/contract/staff-sign-in";
import type { Notice, Task, TaskKind } from "@longarm/contract/staff-tasks";
import { TASK_KINDS } from "@longarm/contract/staff-tasks";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { EVA, scriptedConsole } from "./testing/scripted-console.tsx";

const NOW = Date.parse("2026-11-26T20:00:00.000Z");
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const listed = <Row,>(rows: readonly Row[]) => ({ rows, next: null, asOf: at(0) });

/** Okan, a supervisor. */
const OKAN: Me = {
  ...EVA,
  person: { id: "st_okan", username: "okan", name: "Okan Yılmaz", roles: ["supervisor"] },
  permissions: ["floor.see", "task.take", "handPay.see", "handPay.pay", "machine.operate", "settings.see"],
};

function task(kind: TaskKind, more: Partial<Task> = {}): Task {
  return {
    id: `${kind}:one`,
    number: 1,
    kind,
    group: "now",
    subject: "machine:nar-03",
    machine: { id: "nar-03", name: "Nar 03" },
    player: null,
    amount: null,
    facts: {},
    since: at(-4),
    target: at(1),
    owner: null,
    role: "attendant",
    escalated: false,
    escalatesAt: at(0.5),
    snoozedUntil: null,
    mayAct: true,
    ends: "cause",
    ...more,
  };
}

const pulse = {
  seated: 1,
  watching: 0,
  machines: 2,
  gamesPerMinute: Array.from({ length: 60 }, () => 0),
  equation: {
    ontoMachines: 0,
    homeToWallets: 0,
    onMachines: 0,
    owed: 0,
    inSuspense: 0,
    platformKeeps: 0,
    provedAt: null,
    holds: null,
  },
  onShift: [
    { person: { id: "st_okan", name: "Okan Yılmaz" }, tasks: 0, since: at(-60) },
    { person: { id: "st_mert", name: "Mert Demir" }, tasks: 2, since: at(-60) },
  ],
};

const answers = (tasks: readonly Task[], notices: readonly Notice[] = []) => ({
  me: () => OKAN,
  tasks: () => listed(tasks),
  pulse: () => pulse,
  approvals: () => listed([]),
  stops: () => listed([]),
  notices: () => ({ ...listed(notices), unread: notices.filter(({ read }) => !read).length }),
  pushDevices: () => ({ ...listed([]), publicKey: "key" }),
  readNotices: () => ({}),
  claimTask: () => ({ is: "done", result: {}, repeated: false }),
  escalateTask: () => ({ is: "done", result: {}, repeated: false }),
  assignTask: () => ({ is: "done", result: {}, repeated: false }),
  closeTask: () => ({ is: "done", result: {}, repeated: false }),
});

// A busy computer takes its time to compile the page; what is tested begins when it is there.
beforeAll(() => import("../features/today/today-page.tsx").then(() => undefined), 240_000);
beforeEach(() => history.replaceState(null, "", "/today"));
afterEach(cleanup);

const row = async (name: RegExp): Promise<HTMLElement> => {
  const found = (await screen.findAllByText(name)).map((one) => one.closest("li")).find((one) => one !== null);
  if (!found) throw new Error(`${name} is in no row`);
  return found;
};

test("tasks are in their groups, the most urgent first, with age, target, owner and next step", async () => {
  await scriptedConsole(
    answers([
      task("discrepancy", {
        id: "discrepancy:12",
        group: "hour",
        target: at(60),
        facts: { number: 12 },
        amount: 30_000,
      }),
      task("machineLocked", { id: "b", target: at(11), facts: { lockup: "door" } }),
      task("handPay", {
        id: "a",
        amount: 1_245_000,
        player: { id: "p_1", username: "kerem" },
        owner: { id: "st_mert", name: "Mert Demir" },
      }),
    ]),
  );
  const now = within(await screen.findByRole("region", { name: "Now" }));
  const first = now.getAllByRole("listitem");
  expect(first.map((one) => one.textContent)).toMatchObject([
    expect.stringContaining("Hand pay · Nar 03"),
    expect.stringContaining("The machine is locked · Nar 03"),
  ]);
  expect(first[0]?.textContent).toContain("4:00");
  expect(first[0]?.textContent).toContain("of 5:00");
  expect(first[0]?.textContent).toContain("Mert Demir");
  expect(first[1]?.textContent).toContain("A door is open.");
  expect(first[1]?.textContent).toContain("to the role above in 0:30");
  expect(
    within(first[0] as HTMLElement)
      .getByRole("link", { name: "Pay" })
      .getAttribute("href"),
  ).toBe("/money");
  expect(
    within(first[1] as HTMLElement)
      .getByRole("link")
      .getAttribute("href"),
  ).toBe("/floor/nar-03");
  expect(screen.getByRole("region", { name: "Within the hour" }).textContent).toContain("Discrepancy");
  expect(screen.queryByRole("region", { name: "This shift" })).toBeNull();
});

test("a task is taken with one press, and one that is over its target says so", async () => {
  const { called } = await scriptedConsole(answers([task("call", { since: at(-9), target: at(-7) })]));
  const call = within(await row(/A player calls/));
  expect(call.getByText("over 2:00")).toBeDefined();
  fireEvent.click(call.getByRole("button", { name: "Take" }));
  await waitFor(() => expect(called.some(({ name }) => name === "claimTask")).toBe(true));
});

test("it goes to the role above with a reason, and to a colleague who is on shift", async () => {
  const { called } = await scriptedConsole(answers([task("handPay")]));
  const more = async () =>
    fireEvent.click(within(await row(/Hand pay/)).getByRole("button", { name: /^More about Hand pay/ }));
  await more();
  fireEvent.click(await screen.findByRole("button", { name: "Escalate…" }));
  expect(((await screen.findByRole("button", { name: "Escalate" })) as HTMLButtonElement).disabled).toBe(true);
  fireEvent.change(screen.getByLabelText("Reason"), { target: { value: " the display is dark " } });
  fireEvent.click(screen.getByRole("button", { name: "Escalate" }));
  await waitFor(() =>
    expect(called.find(({ name }) => name === "escalateTask")?.body).toMatchObject({ reason: "the display is dark" }),
  );
  await waitFor(() => expect(screen.queryByLabelText("Reason")).toBeNull());
  await more();
  fireEvent.click(await screen.findByRole("button", { name: "Give to…" }));
  expect(screen.queryByRole("radio", { name: /Okan/ })).toBeNull();
  fireEvent.click(await screen.findByRole("radio", { name: /Mert Demir/ }));
  fireEvent.click(screen.getByRole("button", { name: "Give" }));
  await waitFor(() =>
    expect(called.find(({ name }) => name === "assignTask")?.body).toMatchObject({ person: "st_mert" }),
  );
});

test("only what a person ends is settled by hand, by who may act", async () => {
  await scriptedConsole(
    answers([
      task("machineMoved", { id: "m", ends: "person" }),
      task("audit", { id: "n", ends: "person", mayAct: false }),
    ]),
  );
  fireEvent.click(within(await row(/Another agent brings/)).getByRole("button", { name: /^More about/ }));
  expect(await screen.findByRole("button", { name: "Settled…" })).toBeDefined();
  expect(screen.getByRole("link", { name: "What to do" }).getAttribute("href")).toBe("/runbooks/machineMoved");
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Settled…" })).toBeNull());
  fireEvent.click(within(await row(/audit log is not whole/)).getByRole("button", { name: /^More about/ }));
  await screen.findByRole("link", { name: "What to do" });
  expect(screen.queryByRole("button", { name: "Settled…" })).toBeNull();
});

test("J and K move between the rows, T takes the one that has the focus", async () => {
  const { called } = await scriptedConsole(
    answers([task("handPay", { id: "a" }), task("call", { id: "b", target: at(2) })]),
  );
  const first = await row(/Hand pay/);
  fireEvent.keyDown(first, { key: "j" });
  expect(document.activeElement).toBe(first);
  fireEvent.keyDown(first, { key: "j" });
  expect(document.activeElement?.textContent).toContain("A player calls");
  fireEvent.keyDown(document.activeElement as HTMLElement, { key: "t" });
  await waitFor(() => expect(called.filter(({ name }) => name === "claimTask")).toHaveLength(1));
});

test.each(["en", "tr", "ar"] as const)("every kind has its words, its step and its page in %s", async (language) => {
  await scriptedConsole(answers(TASK_KINDS.map((kind, number) => task(kind, { id: kind, number }))), language);
  await waitFor(() => expect(document.querySelectorAll("[data-task]")).toHaveLength(TASK_KINDS.length));
  for (const kind of TASK_KINDS) {
    const text = document.querySelector(`[data-task="${kind}"]`)?.textContent ?? "";
    expect(text).not.toMatch(/tasks\.|today\.|\{/);
  }
});

const notice = (seq: number, more: Partial<Notice> = {}): Notice => ({
  seq,
  at: at(-1),
  event: "opened",
  task: "handPay:nar-03:hp",
  number: seq,
  kind: "handPay",
  group: "now",
  tone: "urgent",
  machine: { id: "nar-03", name: "Nar 03" },
  amount: 1_245_000,
  facts: {},
  owner: null,
  open: true,
  rings: true,
  read: false,
  ...more,
});

test("a new notification rings once, is a banner and a count on the tab, and is read when the list is opened", async () => {
  const known = [notice(7, { read: true, rings: false, owner: { id: "st_mert", name: "Mert Demir" } })];
  const now = { rows: known };
  const { called, play, queries } = await scriptedConsole({
    ...answers([]),
    notices: () => ({ ...listed(now.rows), unread: now.rows.filter(({ read }) => !read).length }),
  });
  await screen.findByRole("button", { name: "Notifications" });
  await waitFor(() => expect(queries.getQueryData(["notices", {}, {}])).toBeDefined());
  expect(play).not.toHaveBeenCalled();
  now.rows = [notice(9), ...known];
  await act(() => queries.invalidateQueries({ queryKey: ["notices"] }));
  const banners = within(screen.getByRole("region", { name: "Notifications" }));
  expect((await banners.findByRole("status")).textContent).toContain("Hand pay · Nar 03");
  expect(play.mock.calls).toEqual([["urgent"]]);
  expect(document.title).toMatch(/^\(1\) /);
  // Somebody else took it: it is silent everywhere.
  now.rows = [notice(9, { rings: false, owner: { id: "st_mert", name: "Mert Demir" } }), ...known];
  await act(() => queries.invalidateQueries({ queryKey: ["notices"] }));
  await waitFor(() => expect(banners.queryByRole("status")).toBeNull());
  fireEvent.click(screen.getByRole("button", { name: "Notifications, 1 unread" }));
  await waitFor(() => expect(called.find(({ name }) => name === "readNotices")?.body).toMatchObject({ upTo: 9 }));
  expect((await screen.findByRole("dialog")).textContent).toContain("Mert Demir has it");
});

test("a stop is an alert, and sounds although the person muted the rest", async () => {
  const now = { rows: [notice(1, { rings: false, read: true })] };
  const {
    console: started,
    play,
    queries,
  } = await scriptedConsole({
    ...answers([]),
    notices: () => ({ ...listed(now.rows), unread: 0 }),
  });
  await screen.findByRole("button", { name: "Notifications" });
  await waitFor(() => expect(queries.getQueryData(["notices", {}, {}])).toBeDefined());
  await act(async () => started.tones.mute(true));
  now.rows = [notice(2, { kind: "stopRelease", tone: "stop", machine: null }), ...now.rows];
  await act(() => queries.invalidateQueries({ queryKey: ["notices"] }));
  expect((await screen.findByRole("alert")).textContent).toContain("An emergency stop holds");
  expect(play.mock.calls).toEqual([["stop"]]);
});
