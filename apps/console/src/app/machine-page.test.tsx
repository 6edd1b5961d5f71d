import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T20:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const NAR = {
  id: "nar-01",
  name: "Nar 01",
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
  reservedFor: null as { id: string; username: string } | null,
  reservedUntil: null as string | null,
  seatEndsAt: null,
  stillTag: null,
  stillAt: null,
  needs: [],
  delayMs: null,
};
const detailOf = (machine: typeof NAR) => ({
  machine,
  facts: {
    brand: "Nar",
    denomination: 1,
    videoType: "screen",
    sourceDelayMs: 83,
    agent: { id: "ag_1", name: "hall-a", linked: true },
    bands: [],
    theoreticalReturn: null,
  },
  meters: { at: WHEN, credit: 0, bet: null, win: null, gamesPlayed: 7, inGame: false, handPay: null },
  ledgerCredit: 0,
  session: null,
  moneyInFlight: [],
  tasks: [],
  openDiscrepancies: 0,
});
const AGENT = {
  id: "ag_1",
  name: "hall-a",
  machines: ["nar-01"],
  links: 1,
  linked: true,
  node: "main",
  enrolledAt: WHEN,
  revokedAt: null,
  seenAt: WHEN,
  linkedAt: WHEN,
  version: "0.1.0",
  clockOffMs: 12,
  keys: [],
};
const GAME = {
  number: 10_442,
  startedAt: WHEN,
  endedAt: WHEN,
  player: { id: "p_1", username: "deniz" },
  stake: 500,
  win: 1_250,
  handPaid: 0,
  creditBefore: 48_000,
  creditAfter: 48_750,
};
const KEREM = {
  player: { id: "p_2", username: "kerem" },
  name: "Kerem Polat",
  state: "active",
  machine: null,
  addedAt: WHEN,
  lastSeen: null,
  wallet: null,
};
const technician = {
  ...EVA,
  permissions: ["floor.see", "machine.operate", "machine.simulate", "player.find"] as typeof EVA.permissions,
};
const DONE = { is: "done", result: {}, repeated: false };
const opened = (machine: typeof NAR, more: object = {}, me: object = technician) =>
  scriptedConsole({
    me: () => me,
    approvals: () => listOf([]),
    machine: () => detailOf(machine),
    floor: () => listOf([machine]),
    machineEvents: () => listOf([]),
    machineGames: () => listOf([GAME]),
    machineQueue: () => listOf([]),
    players: () => listOf([KEREM]),
    ...more,
  });

beforeEach(() => history.replaceState(null, "", "/floor/nar-01"));
afterEach(cleanup);

test("the link says how the machine is reached, and whether it answers", async () => {
  const { unmount } = await opened(NAR);
  const link = await screen.findByRole("region", { name: "Link" });
  within(link).getByText("Linked, the machine answers");
  within(link).getByText("hall-a");
  unmount();
  const agents = () => listOf([AGENT]);
  const mayAgents = { ...technician, permissions: [...technician.permissions, "agent.see"] };
  await opened({ ...NAR, answers: false, delayMs: 41.6 as never }, { agents }, mayAgents);
  const other = await screen.findByRole("region", { name: "Link" });
  within(other).getByText("Linked, the machine is silent");
  within(other).getByText("42 ms");
  await within(other).findByText("+12 ms · 0.1.0");
  within(other).getByRole("link", { name: "hall-a" });
});

test("a machine is reserved for a player who was found, for a time, with a reason", async () => {
  const { called } = await opened(NAR, { reserve: () => DONE });
  fireEvent.click(await screen.findByRole("button", { name: "Reserve" }));
  const sheet = await screen.findByRole("dialog");
  const send = () => within(sheet).getByRole("button", { name: "Reserve" }) as HTMLButtonElement;
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "a regular" } });
  expect(send().disabled).toBe(true);
  fireEvent.click(await within(sheet).findByRole("button", { name: "Kerem Polat, kerem" }));
  fireEvent.change(within(sheet).getByLabelText("For how long"), { target: { value: "60" } });
  fireEvent.click(send());
  expect(await screen.findByText("Reserved for kerem.")).toBeDefined();
  expect(called.find(({ name }) => name === "reserve")?.body).toEqual({
    id: "act-number-1",
    player: "p_2",
    minutes: 60,
    reason: "a regular",
  });
});

test("a reservation says until when it holds, and is ended", async () => {
  const kept = { ...NAR, reservedFor: { id: "p_2", username: "kerem" }, reservedUntil: "2026-11-26T20:44:00.000Z" };
  const { called } = await opened(kept, { endReservation: () => DONE });
  expect(await screen.findByText("Reserved for kerem. Until 23:44.")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "End the reservation" }));
  expect(await screen.findByText("The reservation has ended.")).toBeDefined();
  expect(called.some(({ name }) => name === "endReservation")).toBe(true);
});

test("the last games are listed with stake, win and credit; what a simulated machine does is made to happen", async () => {
  const { called } = await opened(NAR, {
    simulate: () => new Refusal("act.outOfReach", { sentence: "It is silent." }),
  });
  const games = await screen.findByRole("region", { name: "Games" });
  const row = await within(games).findByRole("row", { name: /10442/ });
  for (const words of ["deniz", "₺5.00", "₺12.50", "₺480.00", "₺487.50"]) expect(row.textContent).toContain(words);
  fireEvent.change(screen.getByLabelText("What"), { target: { value: "tilt" } });
  fireEvent.click(screen.getByRole("button", { name: "Make it happen" }));
  expect(await screen.findByText(/Not sent, nothing was changed. It is silent/)).toBeDefined();
  await waitFor(() => expect(called.find(({ name }) => name === "simulate")?.body).toMatchObject({ what: "tilt" }));
});

test("who only sees the floor, and a real machine, have none of these buttons", async () => {
  await opened({ ...NAR, simulated: false }, {}, { ...technician, permissions: ["floor.see", "machine.simulate"] });
  await screen.findByRole("region", { name: "Games" });
  for (const name of ["Reserve", "Make it happen"]) expect(screen.queryByRole("button", { name })).toBeNull();
});

test("who waits is listed in the order of the queue, and a place is moved with a reason", async () => {
  const place = (id: string, username: string, more: object = {}) => ({
    ...{ id, player: { id: `p_${id}`, username }, joinedAt: WHEN, lets: 0, misses: 0, calledUntil: null, keptBy: null },
    ...{ moved: false, ...more },
  });
  const machineQueue = () => listOf([place("qp_1", "lea", { misses: 1 }), place("qp_2", "max")]);
  const { called } = await opened(NAR, { machineQueue, moveInQueue: () => DONE });
  const queue = await screen.findByRole("region", { name: "Queue" });
  expect(await within(queue).findByText("1 missed call")).toBeDefined();
  expect(within(queue).queryByRole("button", { name: "To the front: lea" })).toBeNull();
  fireEvent.click(within(queue).getByRole("button", { name: "To the front: max" }));
  const sheet = await screen.findByRole("dialog");
  const send = within(sheet).getByRole("button", { name: "To the front" }) as HTMLButtonElement;
  expect(send.disabled).toBe(true);
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "it failed" } });
  fireEvent.click(send);
  await waitFor(() =>
    expect(called.find(({ name }) => name === "moveInQueue")?.body).toMatchObject({
      place: "qp_2",
      to: "first",
      reason: "it failed",
    }),
  );
});
