import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:55:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const PLAYER = { id: "p_1", username: "kerem" };
const NAR = { id: "nar-03", name: "Nar 03" };
const OWED = {
  machine: NAR,
  handPay: "hp-1",
  kind: "win",
  amount: 1_245_000,
  player: PLAYER,
  since: WHEN,
  state: "owed",
  slip: null,
};
const PAID = {
  ...OWED,
  state: "paid",
  slip: {
    number: 211,
    state: "paid",
    kind: "win",
    machine: NAR,
    player: PLAYER,
    machineAmount: 1_245_000,
    paidAmount: 1_245_000,
    at: WHEN,
    paidBy: { id: "st_m", name: "Mert Demir" },
    signedBy: { id: "st_s", name: "Selin Arslan" },
    voidedBy: null,
    reason: null,
    onePerson: false,
  },
};
const witness = (says: string, amount: number | null) => ({ says, at: WHEN, amount, lines: [] });
const UNKNOWN = {
  id: "tr_1",
  machine: NAR,
  player: PLAYER,
  direction: "cashOut",
  state: "unknown",
  amount: 230_000,
  since: WHEN,
  node: "main",
  queries: 3,
  lastAnswer: null,
  machineRecord: witness("nothing", null),
  agentJournal: witness("done", 230_000),
  ledger: witness("unknown", 230_000),
};
const APART = {
  number: 12,
  kind: "settle",
  machine: NAR,
  session: null,
  player: PLAYER,
  foundAt: WHEN,
  ledgerAmount: 120_000,
  machineAmount: 90_000,
  inSuspense: 30_000,
  lines: [
    { label: "games", ledger: 48, machine: 47 },
    { label: "billsIn", ledger: 0, machine: 2_000 },
  ],
  state: "open",
  explanation: null,
  explainedAt: null,
  explainedBy: null,
};

const supervisor = {
  ...EVA,
  permissions: [
    "handPay.see",
    "handPay.pay",
    "handPay.void",
    "transfer.see",
    "transfer.askAgain",
    "discrepancy.see",
    "discrepancy.explain",
  ] as typeof EVA.permissions,
  limits: { handPay: 1_000_000 },
};
const passkey = { stepUpBegin: () => CEREMONY, stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }) };
const opened = (more: object = {}, me: object = supervisor) =>
  scriptedConsole({
    me: () => me,
    approvals: () => listOf([]),
    handPays: () => listOf([OWED]),
    unresolved: () => listOf([UNKNOWN]),
    discrepancies: () => listOf([APART]),
    ...passkey,
    ...more,
  });
const confirm = async () => fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));

beforeEach(() => history.replaceState(null, "", "/money"));
afterEach(cleanup);

test("a hand pay over the limit says before it that a second person signs, and carries the machine's own amount", async () => {
  const { called } = await opened({
    payHandPay: () => ({ is: "waiting", approval: "ap_1", expiresAt: WHEN }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Pay the hand pay at Nar 03" }));
  const sheet = await screen.findByRole("dialog");
  expect(within(sheet).getByText("A second person signs before money moves.")).toBeDefined();
  fireEvent.click(within(sheet).getByRole("button", { name: "Pay" }));
  await confirm();
  expect(await screen.findByText("Requested. A second person must sign it.")).toBeDefined();
  expect(called.find(({ name }) => name === "payHandPay")?.body).toMatchObject({
    handPay: "hp-1",
    machineAmount: 1_245_000,
    stepUp: "su_1",
  });
});

test("a paid hand pay shows its slip, and its void says what is taken back and waits for a second person", async () => {
  const { called } = await opened({
    handPays: () => listOf([PAID]),
    voidSlip: (body: { dryRun?: boolean }) =>
      body.dryRun === true
        ? { is: "dryRun", result: {}, needsApproval: true }
        : { is: "waiting", approval: "ap_3", expiresAt: WHEN },
  });
  fireEvent.click(await screen.findByRole("button", { name: "Open slip 211" }));
  const sheet = await screen.findByRole("dialog");
  for (const words of ["Mert Demir", "Selin Arslan", "paid"]) expect(within(sheet).getByText(words)).toBeDefined();
  fireEvent.click(within(sheet).getByRole("button", { name: "Void the slip" }));
  const send = await within(sheet).findByRole("button", { name: "Void the slip" });
  expect((send as HTMLButtonElement).disabled).toBe(true);
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "paid twice" } });
  fireEvent.click(within(sheet).getByRole("button", { name: "Check first" }));
  expect(await within(sheet).findByText(/A second person would have to sign/)).toBeDefined();
  fireEvent.click(send);
  await confirm();
  expect(await screen.findByText("Requested. A second person must sign it.")).toBeDefined();
  expect(called.filter(({ name }) => name === "voidSlip").at(-1)?.body).toMatchObject({
    reason: "paid twice",
    stepUp: "su_1",
  });
});

test("a slip that is void says who voided it and why, and cannot be voided again", async () => {
  const slip = { ...PAID.slip, state: "voided", voidedBy: { id: "st_t", name: "Tolga Şen" }, reason: "paid twice" };
  await opened({ handPays: () => listOf([{ ...PAID, state: "voided", slip }]) });
  fireEvent.click(await screen.findByRole("button", { name: "Open slip 211" }));
  const sheet = await screen.findByRole("dialog");
  for (const words of ["Tolga Şen", "paid twice", "void"]) expect(within(sheet).getByText(words)).toBeDefined();
  expect(within(sheet).queryByRole("button", { name: "Void the slip" })).toBeNull();
});

test("another amount than the machine's needs a reason, and cannot be sent without one", async () => {
  await opened();
  fireEvent.click(await screen.findByRole("button", { name: "Pay the hand pay at Nar 03" }));
  const sheet = await screen.findByRole("dialog");
  fireEvent.change(within(sheet).getByLabelText("Another amount than the machine’s"), { target: { value: "12000" } });
  const pay = within(sheet).getByRole("button", { name: "Pay" }) as HTMLButtonElement;
  expect(pay.disabled).toBe(true);
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "display broken" } });
  expect(pay.disabled).toBe(false);
  fireEvent.change(within(sheet).getByLabelText("Another amount than the machine’s"), { target: { value: "12,x" } });
  expect(pay.disabled).toBe(true);
});

test("an unknown transfer shows its three witnesses and has no button that chooses its outcome", async () => {
  const { called } = await opened({ askAgain: () => new Refusal("act.outOfReach", { sentence: "Nar 03 is silent." }) });
  const panel = await screen.findByRole("region", { name: "Transfers with an unknown outcome" });
  for (const words of ["The machine’s record", "The agent’s journal", "The ledger"])
    expect(await within(panel).findByText(words)).toBeDefined();
  expect(
    within(panel)
      .getAllByRole("button")
      .map(({ textContent }) => textContent),
  ).toEqual(["Read the record again"]);
  fireEvent.click(within(panel).getByRole("button"));
  await waitFor(() => expect(called.some(({ name }) => name === "askAgain")).toBe(true));
});

test("a discrepancy shows line by line what is apart, and its explanation waits for two people", async () => {
  const { called } = await opened({
    explainDiscrepancy: () => ({ is: "waiting", approval: "ap_2", expiresAt: WHEN }),
  });
  const panel = await screen.findByRole("region", { name: "Discrepancies" });
  await within(panel).findByText("Discrepancy 12");
  for (const name of [/^Together/, /^Games 48 47$/, /^Bills in .*20\.00$/])
    expect(within(panel).getByRole("row", { name }).hasAttribute("data-apart")).toBe(true);
  fireEvent.click(within(panel).getByRole("button", { name: "Explain" }));
  const sheet = await screen.findByRole("dialog");
  fireEvent.click(within(sheet).getByRole("radio", { name: "the venue’s" }));
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "recall of game 48" } });
  fireEvent.click(within(sheet).getByRole("button", { name: "Explain" }));
  await confirm();
  await waitFor(() =>
    expect(called.find(({ name }) => name === "explainDiscrepancy")?.body).toMatchObject({
      owner: "platform",
      reason: "recall of game 48",
    }),
  );
});

test("an auditor sees the evidence and no button; panels fail alone", async () => {
  const auditor = { ...supervisor, permissions: ["handPay.see", "transfer.see", "discrepancy.see"] };
  await opened({ handPays: undefined }, auditor);
  expect(await screen.findByText("Discrepancy 12")).toBeDefined();
  expect(screen.getByText("This could not be loaded")).toBeDefined();
  for (const words of ["Read the record again", "Explain"])
    expect(screen.queryByRole("button", { name: words })).toBeNull();
});
