import { codeOf } from "@longarm/contract/payments";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const SHIFT = {
  id: "cs_1",
  cashier: { id: "st_eva", name: "Eva Kaya" },
  desk: "Desk 2",
  openedAt: WHEN,
  closedAt: null,
  float: 500_000,
  cashIn: null,
  cashOut: null,
  expected: null,
  counted: null,
  difference: null,
  note: null,
};
const DENIZ = {
  player: { id: "p_1", username: "deniz" },
  name: "Deniz Aydın",
  state: "active",
  machine: null,
  addedAt: WHEN,
  lastSeen: null,
  wallet: { available: 120_000, onMachine: 5_000, beingChecked: 0 },
};
const cashier = {
  ...EVA,
  permissions: ["shift.own", "wallet.move", "player.find"] as typeof EVA.permissions,
  limits: { wallet: 1_000_000 },
};
const opened = (more: object = {}) =>
  scriptedConsole({
    me: () => cashier,
    approvals: () => listOf([]),
    myShift: () => ({ shift: SHIFT }),
    players: () => listOf([DENIZ]),
    payments: () => ({ ...listOf([]), ways: ["desk"] }),
    stepUpBegin: () => CEREMONY,
    stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }),
    ...more,
  });
const confirm = async () => fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));

beforeEach(() => history.replaceState(null, "", "/cashier"));
afterEach(cleanup);

test("with the operator's own wallet the desk says where money is added and withdrawn, and offers neither", async () => {
  await opened({ me: () => ({ ...cashier, venue: { ...cashier.venue, operatorWallet: true } }) });
  expect(await screen.findByText(/it is added and withdrawn there, not at this desk/)).toBeDefined();
  expect(await screen.findByText("Drawer")).toBeDefined();
  expect(screen.queryByRole("searchbox")).toBeNull();
  expect(screen.queryByLabelText("Code")).toBeNull();
});

test("without a shift nothing but its opening is offered, with a float that may be nothing", async () => {
  let shift: unknown = null;
  const { called } = await opened({
    myShift: () => ({ shift }),
    openShift: () => {
      shift = SHIFT;
      return { is: "done", result: SHIFT, repeated: false };
    },
  });
  const open = (await screen.findByRole("button", { name: "Open the shift" })) as HTMLButtonElement;
  expect(screen.queryByRole("searchbox")).toBeNull();
  expect(open.disabled).toBe(true);
  fireEvent.change(screen.getByLabelText("Desk"), { target: { value: " Desk 2 " } });
  fireEvent.change(screen.getByLabelText("Float"), { target: { value: "0" } });
  fireEvent.click(open);
  expect(await screen.findByRole("searchbox")).toBeDefined();
  expect(called.find(({ name }) => name === "openShift")?.body).toMatchObject({ desk: "Desk 2", float: 0 });
});

test("a deposit is confirmed with its amount, and ends with wallet before and after and a receipt to print", async () => {
  const receipt = {
    number: 4_411,
    kind: "deposit",
    at: WHEN,
    player: DENIZ.player,
    amount: 25_050,
    balance: 145_050,
    cashier: SHIFT.cashier,
    signedBy: null,
    shift: SHIFT.id,
    reason: "Cash at the desk",
    onePerson: false,
  };
  const { called } = await opened({
    deposit: () => ({ is: "done", result: { before: 120_000, after: 145_050, receipt }, repeated: false }),
  });
  fireEvent.click(await screen.findByRole("button", { name: /Deniz Aydın/ }));
  fireEvent.change(await screen.findByLabelText("Amount"), { target: { value: "250,50" } });
  const panel = screen.getByRole("region", { name: "Deniz Aydın" });
  fireEvent.click(within(panel).getByRole("button", { name: "Deposit" }));
  const sheet = await screen.findByRole("dialog");
  expect(sheet.textContent).toContain("250");
  await confirm();
  const done = await screen.findByRole("region", { name: "Done" });
  expect(done.textContent).toMatch(/4411/);
  expect(called.find(({ name }) => name === "deposit")?.body).toMatchObject({ amount: 25_050, stepUp: "su_1" });
});

test("an amount above the limit says that a second person signs; a refusal is read in words and moves nothing", async () => {
  await opened({ withdraw: () => new Refusal("wallet.insufficient", { available: 120_000 }) });
  fireEvent.click(await screen.findByRole("button", { name: /Deniz Aydın/ }));
  fireEvent.click(await screen.findByRole("radio", { name: "Withdrawal" }));
  fireEvent.change(screen.getByLabelText("Amount"), { target: { value: "12000" } });
  expect(screen.getByText("Above your limit: a second person signs before money moves.")).toBeDefined();
  fireEvent.click(
    within(screen.getByRole("region", { name: "Deniz Aydın" })).getByRole("button", { name: "Withdrawal" }),
  );
  await confirm();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.getByLabelText("Amount")).toBeDefined();
});

test("the count is blind: nothing on the page says what should be in the drawer before it is counted", async () => {
  const { called, container } = await opened({
    closeShift: () => ({
      is: "done",
      result: { ...SHIFT, closedAt: WHEN, expected: 777_777, counted: 500_000, difference: -277_777 },
      repeated: false,
    }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Count and close" }));
  const sheet = await screen.findByRole("dialog");
  expect(container.ownerDocument.body.textContent).not.toMatch(/7,777/);
  fireEvent.change(within(sheet).getByLabelText("Counted"), { target: { value: "5000" } });
  fireEvent.click(within(sheet).getByRole("button", { name: "Close the shift" }));
  expect(await screen.findByText(/The count differs: a supervisor looks at it/)).toBeDefined();
  expect(called.find(({ name }) => name === "closeShift")?.body).toMatchObject({ counted: 500_000 });
});

const CODE = codeOf([16, 7, 4, 8, 2]);
const REQUESTED = {
  ...{ trouble: null, owed: 0 },
  ...{
    id: "pm_1",
    player: DENIZ.player,
    name: DENIZ.name,
    kind: "withdrawal",
    way: "desk",
    amount: 60_000,
    moved: null,
  },
  ...{ state: "requested", madeAt: WHEN, at: WHEN, until: WHEN, waits: "desk", reason: null, by: "player:p_1" },
};
const WAYS = { ways: ["desk", "acme", "bank"] };
const SENT = {
  ...REQUESTED,
  ...{ id: "pm_2", way: "acme", state: "sent", waits: "silent", until: null, by: "provider:acme" },
};
const WHOLE = {
  ...SENT,
  steps: [
    { state: "requested", at: WHEN, by: "player:p_1", reason: null },
    { state: "approved", at: WHEN, by: "staff:selin", reason: "known to us" },
    { state: "sent", at: WHEN, by: "provider:acme", reason: null },
  ],
  ...{ transfer: null, approval: null },
  provider: {
    ...{
      configured: true,

      wants: "watch",

      tries: 7,
      nextAt: WHEN,
      silentSince: WHEN,
    },
    ...{ lastAnswer: "no answer in time", looked: null },
  },
};
const typeCode = async (text: string) =>
  void fireEvent.change(await screen.findByLabelText("Code of a player"), { target: { value: text } });

test("a player's code brings the player and the amount with it, and no other amount can be typed", async () => {
  const { called } = await opened({
    paymentOfCode: () => REQUESTED,
    withdraw: () => new Refusal("act.refused", { sentence: "This code is used." }),
  });
  await typeCode(` ${CODE.slice(0, 3).toLowerCase()} ${CODE.slice(3)}`);
  const found = await screen.findByRole("button", { name: /Deniz Aydın · Withdrawal/ });
  expect(found.textContent).toContain("600");
  fireEvent.click(found);
  const panel = await screen.findByRole("region", { name: "Deniz Aydın" });
  expect(within(panel).queryByLabelText("Amount")).toBeNull();
  fireEvent.click(within(panel).getByRole("button", { name: "Withdrawal" }));
  await confirm();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(called.find(({ name }) => name === "withdraw")?.body).toMatchObject({ amount: 60_000, payment: "pm_1" });
});

test("a mistyped code is said without a call, an old one after it, and a lost connection is neither", async () => {
  let answer: unknown = new Refusal("thing.unknown", { kind: "code" });
  const { called } = await opened({ paymentOfCode: () => answer });
  await typeCode(CODE.slice(0, 5));
  expect(screen.queryByRole("alert")).toBeNull();
  await typeCode(`${CODE.slice(0, 4)}${CODE[5]}${CODE[4]}`);
  expect((await screen.findByRole("alert")).textContent).toBe("This is no code that can be paid now.");
  expect(called.some(({ name }) => name === "paymentOfCode")).toBe(false);
  await typeCode(CODE);
  await waitFor(() => expect(called.some(({ name }) => name === "paymentOfCode")).toBe(true));
  expect((await screen.findByRole("alert")).textContent).toBe("This is no code that can be paid now.");
  answer = new Refusal("request.failed");
  await typeCode(codeOf([1, 2, 3, 4, 5]));
  expect(await screen.findByRole("button", { name: "Try again" })).toBeDefined();
  expect(screen.queryByText("This is no code that can be paid now.")).toBeNull();
});

test("what players requested is listed, and a refusal needs a reason that the player reads", async () => {
  const { called } = await opened({
    payments: () => ({ ...listOf([REQUESTED]), ...WAYS }),
    refusePayment: () => ({ is: "done", result: {}, repeated: false }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Refuse: Deniz Aydın" }));
  const sheet = await screen.findByRole("dialog");
  const send = within(sheet).getByRole("button", { name: "Refuse" }) as HTMLButtonElement;
  expect(send.disabled).toBe(true);
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "bring your card" } });
  fireEvent.click(send);
  expect(await screen.findByText("Refused.")).toBeDefined();
  expect(called.find(({ name }) => name === "refusePayment")?.body).toMatchObject({ reason: "bring your card" });
});

test("one under way is opened: what it waits for, what to do, its steps with times, and what its provider said", async () => {
  await opened({ payments: () => ({ ...listOf([SENT]), ...WAYS }), payment: () => WHOLE });
  const row = (await screen.findByRole("button", { name: "Open: Deniz Aydın" })).closest("tr");
  expect(row?.textContent).toContain("the provider does not answer");
  expect(row?.textContent).toContain("1 hour ago");
  fireEvent.click(screen.getByRole("button", { name: "Open: Deniz Aydın" }));
  const sheet = await screen.findByRole("dialog", { name: "Payment" });
  await within(sheet).findByText("pm_2");
  const text = sheet.textContent ?? "";
  for (const part of [
    "Id, also at the provider",
    "never pay by hand meanwhile",
    "no answer in time",
    "say how far it is",
  ])
    expect(text).toContain(part);
  const steps = within(sheet).getAllByRole("listitem");
  expect(steps.map((step) => step.textContent)).toEqual([
    expect.stringMatching(/Requested.*the player/),
    expect.stringMatching(/Approved.*selin · known to us/),
    expect.stringMatching(/Sent.*acme/),
  ]);
  // A withdrawal that was sent is out of our hands.
  expect(within(sheet).queryByRole("button", { name: "Refuse" })).toBeNull();
});

test("the list is filtered by state, provider and kind", async () => {
  const queries: string[] = [];
  const started = await opened({ payments: () => ({ ...listOf([SENT]), ...WAYS }) });
  const { api } = started.console;
  const call = api.call.bind(api);
  api.call = ((name: string, given: { query?: object }) => {
    if (name === "payments") queries.push(JSON.stringify(given.query));
    return (call as (name: string, given: object) => unknown)(name, given);
  }) as typeof api.call;
  fireEvent.click(await screen.findByRole("radio", { name: "All" }));
  fireEvent.change(screen.getByLabelText("Through"), { target: { value: "bank" } });
  fireEvent.change(screen.getByLabelText("Kind"), { target: { value: "withdrawal" } });
  await waitFor(() => expect(queries).toContain('{"state":"all","way":"bank","kind":"withdrawal"}'));
});

test("a charge-back is named with what to do, and only who may lock a player settles it", async () => {
  const back = {
    ...{ ...SENT, kind: "deposit", state: "chargedBack", trouble: "wentBack", waits: "person", owed: 40_000 },
  };
  const more = { payments: () => ({ ...listOf([back]), ...WAYS }), payment: () => ({ ...WHOLE, ...back }) };
  const { unmount } = await opened(more);
  expect(await screen.findByText("1 to look at")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Settle: Deniz Aydın" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Open: Deniz Aydın" }));
  const sheet = await screen.findByRole("dialog", { name: "Payment" });
  expect(await within(sheet).findByText(/Speak with the player, then settle it/)).toBeDefined();
  expect((within(sheet).getByRole("button", { name: "Settle" }) as HTMLButtonElement).disabled).toBe(true);
  unmount();
  history.replaceState(null, "", "/cashier");
  await opened({ ...more, me: () => ({ ...cashier, permissions: [...cashier.permissions, "player.lock"] }) });
  expect(await screen.findByRole("button", { name: "Settle: Deniz Aydın" })).toBeDefined();
});

test("who sees shifts and has no drawer reads the payments and the sums of the providers, and is offered no act", async () => {
  await opened({
    me: () => ({ ...cashier, permissions: ["shift.see", "report.see"] }),
    payments: () => ({ ...listOf([REQUESTED]), ...WAYS }),
    reportProviders: () => ({ from: "2026-11-01", to: "2026-11-30", asOf: WHEN, rows: [] }),
  });
  expect(await screen.findByRole("button", { name: "Open: Deniz Aydın" })).toBeDefined();
  expect(screen.queryByRole("button", { name: "Refuse: Deniz Aydın" })).toBeNull();
  expect(screen.queryByText("Open your shift")).toBeNull();
  expect(await screen.findByText("Payments by provider")).toBeDefined();
});
