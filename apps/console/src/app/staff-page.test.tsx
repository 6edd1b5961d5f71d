import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CEREMONY, EVA, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:55:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const CAN = {
  id: "st_can",
  username: "can",
  name: "Can Demir",
  roles: ["attendant"],
  state: "active",
  addedAt: WHEN,
  addedBy: "eva",
  lastSignIn: null,
  passkeys: 1,
  hasPassword: false,
  directory: null,
  invitationExpiresAt: null,
};
const ATTENDANT = {
  role: "attendant",
  permissions: ["floor.see", "bonus.grant"],
  limits: { bonus: 50_000 },
  people: 2,
};
const opened = (more: object = {}, me: object = EVA) =>
  scriptedConsole({
    me: () => me,
    approvals: () => listOf([]),
    staff: () => listOf([CAN, { ...CAN, id: "st_eva", username: "eva", name: "Eva Kaya" }]),
    roles: () => listOf([ATTENDANT]),
    signIns: () => listOf([]),
    stepUpBegin: () => CEREMONY,
    stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }),
    ...more,
  });
const confirm = async () => fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const type = (sheet: HTMLElement, label: string, value: string) =>
  fireEvent.change(within(sheet).getByLabelText(label), { target: { value } });

beforeEach(() => history.replaceState(null, "", "/staff"));
afterEach(cleanup);

test("an invitation is renewed with a reason, and its link is shown once; no person renews their own", async () => {
  const { called } = await opened({
    renewInvitation: () => ({
      is: "done",
      repeated: false,
      result: { link: "https://desk/invitation#abc", expiresAt: WHEN, approval: "ap_1" },
    }),
  });
  await press("Renew the invitation of Can Demir");
  expect(screen.queryByRole("button", { name: "Renew the invitation of Eva Kaya" })).toBeNull();
  const sheet = await screen.findByRole("dialog");
  expect(within(sheet).getByText(/Passkeys, password and recovery codes of Can Demir end/)).toBeDefined();
  type(sheet, "Reason", "a stolen phone");
  fireEvent.click(within(sheet).getByRole("button", { name: "Renew the invitation" }));
  await confirm();
  expect(await screen.findByText("https://desk/invitation#abc")).toBeDefined();
  expect(screen.getByText("The roles wait for another administrator.")).toBeDefined();
  expect(called.find(({ name }) => name === "renewInvitation")?.body).toMatchObject({ reason: "a stolen phone" });
  await press("Done");
  await waitFor(() => expect(screen.queryByText("https://desk/invitation#abc")).toBeNull());
});

test("a role gains and loses rights and limits, is checked first, and waits for another administrator", async () => {
  const { called } = await opened({
    changeRole: (body: { dryRun?: boolean }) =>
      body.dryRun === true
        ? { is: "dryRun", result: {}, needsApproval: true }
        : { is: "waiting", approval: "ap_1", expiresAt: WHEN },
  });
  await press("Change what a role may do: Attendant");
  const sheet = await screen.findByRole("dialog");
  const send = within(sheet).getByRole("button", { name: "Request the change" }) as HTMLButtonElement;
  type(sheet, "Reason", "a new rule of the venue");
  expect(send.disabled).toBe(true);
  expect((within(sheet).getByLabelText("Invite staff, change roles, end sign-ins") as HTMLInputElement).disabled).toBe(
    true,
  );
  fireEvent.click(within(sheet).getByLabelText("Pay a hand pay"));
  fireEvent.click(within(sheet).getByLabelText("Grant one player a bonus"));
  type(sheet, "Hand pays alone up to", "5000");
  type(sheet, "Bonus alone up to, a day", "");
  fireEvent.click(within(sheet).getByRole("button", { name: "Check first" }));
  expect(await within(sheet).findByText(/A second person would have to sign/)).toBeDefined();
  fireEvent.click(send);
  await confirm();
  expect(await screen.findByText("Requested. A second person must sign it.")).toBeDefined();
  expect(called.filter(({ name }) => name === "changeRole").at(-1)?.body).toMatchObject({
    permissions: ["floor.see", "handPay.pay"],
    limits: { handPay: 500_000 },
    reason: "a new rule of the venue",
  });
});

test("who is linked with the directory is shown as it is named there, and unlinked with a reason", async () => {
  const { called } = await opened({
    staff: () => listOf([{ ...CAN, passkeys: 0, directory: "can@levent.example" }]),
    unlinkDirectory: () => ({ is: "done", repeated: false, result: {} }),
  });
  expect(await screen.findByText("directory: can@levent.example")).toBeDefined();
  await press("Unlink Can Demir from the directory");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Reason", "left the team");
  fireEvent.click(within(sheet).getByRole("button", { name: "Unlink from the directory" }));
  await confirm();
  await waitFor(() =>
    expect(called.find(({ name }) => name === "unlinkDirectory")?.body).toMatchObject({
      reason: "left the team",
      stepUp: "su_1",
    }),
  );
});

test("who only sees staff has no button", async () => {
  await opened({}, { ...EVA, permissions: ["staff.see"] });
  await screen.findByText("Can Demir");
  for (const name of [/Renew the invitation/, /Change what a role/])
    expect(screen.queryByRole("button", { name })).toBeNull();
});
