import type { FloorMachine } from "@longarm/contract/staff-floor";
import type { Task } from "@longarm/contract/staff-tasks";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T20:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });

const machine = (id: string, more: Partial<FloorMachine> = {}): FloorMachine => ({
  id,
  name: `Nar ${id.slice(-2)}`,
  brand: "Nar",
  group: null,
  simulated: true,
  lamp: "available",
  state: "free",
  mode: "open",
  lockup: null,
  answers: true,
  player: null,
  credit: 0,
  lastWin: null,
  lastGameAt: null,
  watchers: 0,
  reservedFor: null,
  reservedUntil: null,
  seatEndsAt: null,
  stillTag: null,
  stillAt: WHEN,
  needs: [],
  delayMs: null,
  ...more,
});
const HAND_PAY: Task = {
  id: "handPay:nar-03:hp",
  number: 1,
  kind: "handPay",
  group: "now",
  subject: "machine:nar-03",
  machine: { id: "nar-03", name: "Nar 03" },
  player: { id: "p_1", username: "kerem" },
  amount: 1_245_000,
  facts: {},
  since: "2026-11-26T19:55:48.000Z",
  target: "2026-11-26T20:00:48.000Z",
  owner: null,
  role: "attendant",
  escalated: false,
  escalatesAt: null,
  snoozedUntil: null,
  mayAct: true,
  ends: "cause",
};
const FLOOR = [
  machine("nar-01", { lamp: "playing", player: { id: "p_2", username: "deniz" }, credit: 482_050, watchers: 3 }),
  machine("nar-02", { group: "Bank A" }),
  machine("nar-03", { lamp: "playing", lockup: "handPay", player: HAND_PAY.player, needs: [HAND_PAY.id] }),
  machine("nar-04", { answers: false, lamp: "notAvailable", stillTag: "t", stillAt: "2026-11-26T18:41:44.000Z" }),
];

const supervisor = {
  ...EVA,
  permissions: ["floor.see", "machine.operate", "wall.admit"] as typeof EVA.permissions,
};
const opened = (more: object = {}) =>
  scriptedConsole({
    me: () => supervisor,
    approvals: () => listOf([]),
    floor: () => listOf(FLOOR),
    tasks: () => listOf([HAND_PAY]),
    stops: () => listOf([]),
    views: () => listOf([]),
    ...more,
  });
const tile = (name: string) => screen.findByRole("link", { name: new RegExp(name) });

beforeEach(() => {
  history.replaceState(null, "", "/floor");
  // A desk's window, which the page's environment here does not know.
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }));
});
afterEach(cleanup);

test("times run by the venue's clock while a page is open", async () => {
  const waiting = machine("nar-05", { lamp: "waiting", seatEndsAt: "2026-11-26T20:01:02.000Z" });
  const { pass } = await scriptedConsole({
    me: () => supervisor,
    approvals: () => listOf([]),
    floor: () => listOf([waiting]),
    tasks: () => listOf([]),
    stops: () => listOf([]),
    views: () => listOf([]),
  });
  await screen.findByText(/1:02/);
  pass(10_000);
  await screen.findByText(/0:52/);
});

test("shows each machine with its lamp in words, who plays, and what needs a person with its age and owner", async () => {
  await opened();
  expect((await tile("Nar 01")).textContent).toMatch(/Playing.*deniz.*4,820/);
  const hurt = await tile("Nar 03");
  expect(hurt.textContent).toMatch(/Hand pay.*12,450.*4:12 · Unassigned/);
  expect(hurt.hasAttribute("data-needs")).toBe(true);
  expect(screen.getByText(/2 of 4 seated, 3 watching/)).toBeDefined();
});

test("a still that is old carries its time, and a machine that does not answer never looks as if it were now", async () => {
  await opened();
  const away = await tile("Nar 04");
  expect(away.textContent).toMatch(/still of 21:41.*Does not answer/);
  expect(away.querySelector("[data-old]")).not.toBeNull();
  expect((await tile("Nar 01")).querySelector("[data-old]")).toBeNull();
});

test("filters by lamp, need, group and words, and the address says the view", async () => {
  await opened();
  await tile("Nar 01");
  fireEvent.click(screen.getByRole("radio", { name: /Needs a person/ }));
  await waitFor(() => expect(screen.queryByRole("link", { name: /Nar 01/ })).toBeNull());
  await waitFor(() => expect(location.search).toBe("?show=needs"));
  fireEvent.click(screen.getByRole("radio", { name: /^All/ }));
  await tile("Nar 01");
  fireEvent.change(screen.getByRole("combobox", { name: "Group" }), { target: { value: "Bank A" } });
  await waitFor(() => expect(screen.queryByRole("link", { name: /Nar 01/ })).toBeNull());
  expect(await tile("Nar 02")).toBeDefined();
  fireEvent.change(screen.getByRole("searchbox"), { target: { value: "nothing like it" } });
  expect(await screen.findByText("No machine fits")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Show all machines" }));
  expect(await tile("Nar 04")).toBeDefined();
});

test("a kept view is a tab, and what is shown now can be kept under a name", async () => {
  const kept: unknown[] = [];
  await opened({
    views: () => listOf([{ id: "sv_1", name: "Playing", search: "show=playing" }]),
    keepView: (body: object) => {
      kept.push(body);
      return { is: "done", result: { view: "sv_2" }, repeated: false };
    },
  });
  fireEvent.click(await screen.findByRole("button", { name: "Playing" }));
  await waitFor(() => expect(location.search).toBe("?show=playing"));
  expect(screen.queryByRole("button", { name: "Save view" })).toBeNull();
  fireEvent.click(screen.getByRole("radio", { name: "Plan" }));
  fireEvent.click(await screen.findByRole("button", { name: "Save view" }));
  fireEvent.change(await screen.findByLabelText("Name of the view"), { target: { value: "Plan of players" } });
  const sheet = await screen.findByRole("dialog");
  fireEvent.click(within(sheet).getByRole("button", { name: "Save view" }));
  await waitFor(() => expect(kept).toMatchObject([{ name: "Plan of players", search: "show=playing&zoom=plan" }]));
});

test("a floor of two hundred is a plan of islands by itself, and the arrows move from machine to machine", async () => {
  const many = Array.from({ length: 200 }, (_, at) =>
    machine(`m-${String(at).padStart(3, "0")}`, { name: `M ${at}`, group: `Bank ${Math.floor(at / 8)}` }),
  );
  await opened({ floor: () => listOf(many) });
  expect(await screen.findByRole("region", { name: "Bank 24" })).toBeDefined();
  expect((screen.getByRole("radio", { name: "Plan" }) as HTMLInputElement).checked).toBe(true);
  const first = document.querySelector<HTMLElement>("[data-machine=m-000]");
  first?.focus();
  for (const [key, at] of [
    ["ArrowRight", "m-001"],
    ["End", "m-199"],
    ["ArrowLeft", "m-198"],
    ["Home", "m-000"],
  ] as const) {
    fireEvent.keyDown(document.activeElement ?? document.body, { key });
    expect((document.activeElement as HTMLElement).dataset["machine"]).toBe(at);
  }
});

test("an empty floor and one that cannot be read say so", async () => {
  await opened({ floor: () => listOf([]) });
  expect(await screen.findByText("There is no machine yet")).toBeDefined();
  cleanup();
  history.replaceState(null, "", "/floor");
  await scriptedConsole({ me: () => supervisor, approvals: () => listOf([]) });
  expect(await screen.findByText("This could not be loaded")).toBeDefined();
});

test("the palette finds machines and what the role may do with them, and opens the sheet of an act", async () => {
  const detail = {
    machine: FLOOR[1],
    facts: {
      brand: "Nar",
      denomination: 1,
      videoType: "lcd",
      sourceDelayMs: 0,
      agent: { id: "ag_1", name: "hall-1", linked: true },
      bands: [],
      theoreticalReturn: null,
    },
    meters: { at: WHEN, credit: 0, bet: null, win: null, gamesPlayed: 0, inGame: false, handPay: null },
    ledgerCredit: 0,
    session: null,
    moneyInFlight: [],
    tasks: [],
    openDiscrepancies: 0,
  };
  const { called } = await opened({
    machine: () => detail,
    machineEvents: () => listOf([]),
    machineLife: () => new Refusal("thing.unknown", { kind: "machine" }),
    drain: () => ({ is: "done", result: {}, repeated: false }),
  });
  await tile("Nar 01");
  fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  const field = await screen.findByRole("combobox", { name: "Find or do" });
  fireEvent.change(field, { target: { value: "nar 2 drain" } });
  const found = await screen.findByRole("option", { name: /Drain Nar 02/ });
  expect(screen.queryByRole("option", { name: /Let play/ })).toBeNull();
  expect(field.getAttribute("aria-activedescendant")).toBe(found.id);
  fireEvent.keyDown(field, { key: "Enter" });
  expect(await screen.findByRole("heading", { name: "Drain: Nar 02" })).toBeDefined();
  expect(called.some(({ name }) => name === "drain")).toBe(false);
  // The role sees stills, and no video is requested.
  expect(screen.getByText("Your role sees stills, not live video")).toBeDefined();
  fireEvent.change(screen.getByLabelText("Reason"), { target: { value: "belt" } });
  fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Drain" }));
  await waitFor(() => expect(called.find(({ name }) => name === "drain")?.body).toMatchObject({ reason: "belt" }));
});

test("letters lead to pages and to the list of keys, and not from within a field", async () => {
  await opened();
  await tile("Nar 01");
  fireEvent.keyDown(document.body, { key: "?" });
  const sheet = await screen.findByRole("dialog");
  expect(within(sheet).getByText("Floor")).toBeDefined();
  fireEvent.click(within(sheet).getByRole("switch"));
  fireEvent.keyDown(sheet, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  fireEvent.keyDown(document.body, { key: "g" });
  fireEvent.keyDown(document.body, { key: "a" });
  expect(location.pathname).toBe("/floor");
});
