import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EVA, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:00:00.000Z";
const listOf = (rows: readonly unknown[], more: object = {}) => ({ rows, next: null, asOf: WHEN, ...more });
const DEAD = {
  id: "7",
  channel: "webhook",
  fact: "evt_aaaaaaaaaaaa",
  type: "task.opened",
  subject: "task:17",
  state: "dead",
  attempts: 10,
  madeAt: WHEN,
  triedAt: WHEN,
  dueAt: null,
  endedAt: WHEN,
  lastAnswer: "401",
};
const WHOLE = {
  ...DEAD,
  endpoint: "https://ops.example.org/longarm",
  seq: 4_711,
  data: '{\n  "kind": "handPay"\n}',
  failures: [
    { at: WHEN, answer: "503" },
    { at: "2026-11-26T19:00:05.000Z", answer: null },
    { at: "2026-11-26T19:00:09.000Z", answer: "401" },
  ],
  overtakenBy: 2,
};
const deliveries = (dead: number) => () =>
  listOf([DEAD], { configured: true, waiting: 0, dead, deadSince: dead > 0 ? WHEN : null });
const permissions = ["settings.see", "settings.change", "floor.see"] as typeof EVA.permissions;
const opened = (more: object = {}) =>
  scriptedConsole({
    me: () => ({ ...EVA, permissions }),
    approvals: () => listOf([]),
    taskTimes: () => listOf([]),
    deliveries: deliveries(3),
    delivery: () => WHOLE,
    resendDelivery: () => ({ is: "done", result: {}, repeated: false }),
    dropDelivery: () => ({ is: "done", result: {}, repeated: false }),
    resendDeliveries: () => ({ is: "done", result: { sent: 3, left: 0 }, repeated: false }),
    ...more,
  });
const open = async () => {
  fireEvent.click(await screen.findByRole("button", { name: "Open: task.opened, task:17" }));
  return await screen.findByRole("dialog", { name: "task.opened" });
};

beforeEach(() => history.replaceState(null, "", "/alerts"));
afterEach(cleanup);

test("one that was given up is read: where it goes, what is sent, each try, what to do, and that newer ones came before it", async () => {
  await opened();
  expect(await screen.findByText(/^3 given up since /)).toBeDefined();
  const text = (await open()).textContent ?? "";
  for (const part of ["https://ops.example.org/longarm", "4711", "evt_aaaaaaaaaaaa", '"kind": "handPay"'])
    expect(text).toContain(part);
  expect(text).toContain("Compare its secret with WEBHOOK_SECRETS");
  expect(text).toContain("2 newer reports about the same have arrived");
  const tries = within(screen.getByRole("dialog")).getAllByRole("listitem");
  expect(tries.map((row) => row.textContent)).toEqual([
    expect.stringContaining("503"),
    expect.stringContaining("sent again by a person"),
    expect.stringContaining("401"),
  ]);
});

test("it is sent again from there, or dropped with a reason", async () => {
  const { called } = await opened();
  const sheet = await open();
  fireEvent.click(within(sheet).getByRole("button", { name: "Send again" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(called.some(({ name }) => name === "resendDelivery")).toBe(true);
  fireEvent.click(within(await open()).getByRole("button", { name: "Drop" }));
  const dropping = await screen.findByRole("dialog", { name: "Drop this report" });
  const drop = within(dropping).getByRole("button", { name: "Drop" }) as HTMLButtonElement;
  expect(drop.disabled).toBe(true);
  fireEvent.change(within(dropping).getByRole("textbox"), { target: { value: "no use any more" } });
  fireEvent.click(drop);
  await waitFor(() =>
    expect(called.find(({ name }) => name === "dropDelivery")?.body).toMatchObject({ reason: "no use any more" }),
  );
});

test("all of them are sent again by one act that says first what it does", async () => {
  const { called } = await opened();
  fireEvent.click(await screen.findByRole("button", { name: "Send all again" }));
  const sheet = await screen.findByRole("dialog");
  expect(sheet.textContent).toContain("3 that were given up are sent again, the oldest first.");
  expect(called.some(({ name }) => name === "resendDeliveries")).toBe(false);
  fireEvent.click(within(sheet).getByRole("button", { name: "Send all again" }));
  expect(await screen.findByText("3 are on their way again")).toBeDefined();
});

test("who may not change settings reads all of it and is offered no act", async () => {
  await opened({ me: () => ({ ...EVA, permissions: ["settings.see", "floor.see"] }) });
  const sheet = await open();
  expect(within(sheet).queryByRole("button", { name: "Send again" })).toBeNull();
  expect(within(sheet).queryByRole("button", { name: "Drop" })).toBeNull();
  fireEvent.click(within(sheet).getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.queryByRole("button", { name: "Send again" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Send all again" })).toBeNull();
});

test("of an e-mail no content is shown", async () => {
  const mail = { channel: "mail", type: "mail.newPassword", subject: "mail:ml_1", lastAnswer: "EAUTH 535" };
  await opened({
    deliveries: () => listOf([{ ...DEAD, ...mail }], { configured: true, waiting: 0, dead: 1, deadSince: WHEN }),
    delivery: () => ({ ...WHOLE, ...mail, endpoint: "smtps://smtp.example.org", data: null, overtakenBy: 0 }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Open: mail.newPassword, mail:ml_1" }));
  const sheet = await screen.findByRole("dialog");
  expect(await within(sheet).findByText("smtps://smtp.example.org")).toBeDefined();
  expect(sheet.textContent).toContain("Check SMTP_URL");
  expect(within(sheet).queryByText("What is sent")).toBeNull();
});
