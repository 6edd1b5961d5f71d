import { defaultSettings } from "@longarm/contract/settings";
import { limitFields } from "@longarm/contract/venue-settings";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const admin = { ...EVA, permissions: ["settings.see", "settings.change"] as typeof EVA.permissions };
const base = {
  ...defaultSettings(),
  ...Object.fromEntries(Object.entries(limitFields).map(([key, { fallback }]) => [key, fallback])),
};
const settings = (more: object = {}) => ({
  number: 3,
  holds: 3,
  content: { hotFlagLimit: 25_000 },
  base,
  file: [{ name: "iceServers", value: null, isSet: true }],
  environment: [{ name: "PORT", value: "8080", isSet: false }],
  asOf: WHEN,
  ...more,
});
const version = (number: number, more: object = {}) => ({
  ...{ number, at: WHEN, by: "tolga", signedBy: null, reason: "busy evening", rolledBackTo: null },
  changes: [{ key: "hotFlagLimit", before: null, after: 25_000 }],
  ...{ hash: "a", proven: true, usable: true, ...more },
});
const opened = (more: object = {}, me: object = admin) =>
  scriptedConsole({
    me: () => me,
    approvals: () => listOf([]),
    settings: () => settings(),
    settingsVersions: () => listOf([version(3), version(2)]),
    stepUpBegin: () => CEREMONY,
    stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }),
    ...more,
  });
const write = async (label: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(label), { target: { value } });
const key = (name: string | RegExp) => screen.findByRole("button", { name }) as Promise<HTMLButtonElement>;
const group = async (name: string | RegExp) =>
  fireEvent.click(within(await screen.findByRole("navigation", { name: "Groups" })).getByRole("button", { name }));

beforeEach(() => history.replaceState(null, "", "/settings"));
afterEach(cleanup);

test("a change is compared, checked by the platform, confirmed with a reason, and sent with the version that was seen", async () => {
  const preview = { number: 4, changes: [{ key: "hotFlagLimit", before: 25_000, after: 30_000 }], twoPeople: [] };
  const { called } = await opened({
    changeSettings: (body: { dryRun?: boolean }) =>
      body.dryRun === true
        ? { is: "dryRun", result: preview, needsApproval: false }
        : { is: "done", result: preview, repeated: false },
  });
  await write("hotFlagLimit", "30000");
  expect(await screen.findByText("was 25000")).toBeDefined();
  fireEvent.click(await key("Save 1 change"));
  const sheet = await screen.findByRole("dialog");
  expect(await within(sheet).findByText(/The platform checked it/)).toBeDefined();
  const send = within(sheet).getByRole("button", { name: "Save" }) as HTMLButtonElement;
  expect(send.disabled).toBe(true);
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "larger jackpots" } });
  fireEvent.click(send);
  fireEvent.click(await key("Use your passkey"));
  await waitFor(() =>
    expect(called.findLast(({ name }) => name === "changeSettings")?.body).toEqual({
      ...{ id: "act-number-1", stepUp: "su_1", reason: "larger jackpots" },
      ...{ expected: 3, changes: { hotFlagLimit: 30_000 } },
    }),
  );
  expect(await screen.findByText("Nothing is changed yet")).toBeDefined();
});

test("what breaks its schema is named, and cannot be saved", async () => {
  await opened();
  await write("currency", "TR");
  expect(await screen.findByText("It is not written as it must be.")).toBeDefined();
  expect((await key("Save 1 change")).disabled).toBe(true);
  await write("currency", "USD");
  expect((await key("Save 1 change")).disabled).toBe(false);
  expect(await screen.findByText("A second administrator signs this: currency.")).toBeDefined();
  await group(/^Limits/);
  await write("watchedMax", "0");
  expect(await screen.findByText("1 at least.")).toBeDefined();
  fireEvent.click(await key("Put back"));
  expect(await screen.findByText("Nothing is changed yet")).toBeDefined();
});

test("a version that somebody saved meanwhile is shown, and what was written stays", async () => {
  let newest = settings();
  const { called } = await opened({
    settings: () => newest,
    changeSettings: () => new Refusal("settings.changed"),
  });
  await write("maxAllIn", "5");
  newest = settings({ number: 4, holds: 4 });
  fireEvent.click(await key("Save 1 change"));
  const sheet = await screen.findByRole("dialog");
  expect(await within(sheet).findByText(/Somebody changed the settings meanwhile/)).toBeDefined();
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "x" } });
  fireEvent.click(within(sheet).getByRole("button", { name: "Save" }));
  fireEvent.click(await key("Use your passkey"));
  await waitFor(() => expect(called.filter(({ name }) => name === "settings").length).toBeGreaterThan(1));
  fireEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Cancel" }));
  expect((await key("Save 1 change")).disabled).toBe(true);
  fireEvent.click(await key("Continue with version 4"));
  expect((await key("Save 1 change")).disabled).toBe(false);
  expect((screen.getByLabelText("maxAllIn") as HTMLInputElement).value).toBe("5");
});

test("quick amounts are written with commas, and shown as players see them", async () => {
  await opened();
  await write("hotCoins", "500, 25000");
  expect(await screen.findByText("25.000")).toBeDefined();
  await write("hotCoins", "500, 5000, 10000, 50000, 100000");
  expect(await screen.findByText("Nothing is changed yet")).toBeDefined();
});

test("a group is written as JSON too, with the same checks", async () => {
  await opened();
  fireEvent.click(await screen.findByRole("radio", { name: "JSON" }));
  await write("The settings of this group as JSON", "{");
  expect(await screen.findByText("This is not JSON yet.")).toBeDefined();
  await write(
    "The settings of this group as JSON",
    '{"autoBonus": false, "currency": 7, "apiUrl": "https://evil.example"}',
  );
  expect(await key("Save 2 changes")).toBeDefined();
  expect(await screen.findByText(/currency: correct this first/)).toBeDefined();
});

test("an old version is rolled back to, and one that cannot be used is marked and has no such button", async () => {
  const { called } = await opened({
    settingsVersions: () => listOf([version(3), version(2), version(1, { usable: false, proven: false })]),
    rollBackSettings: () => ({
      ...{ is: "dryRun", needsApproval: true },
      result: { number: 4, changes: [{ key: "largeWin", before: 5, after: null }], twoPeople: ["largeWin"] },
    }),
  });
  expect(await screen.findByText(/The chain is broken: version 1/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Roll back to version 1" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Roll back to version 3" })).toBeNull();
  fireEvent.click(await key("Roll back to version 2"));
  expect(await screen.findByText("A second administrator signs this: largeWin.")).toBeDefined();
  expect(called.findLast(({ name }) => name === "rollBackSettings")?.body).toMatchObject({
    ...{ dryRun: true, expected: 3, to: 2 },
  });
});

test("who may only see changes nothing; the server's own is shown without secrets", async () => {
  await opened({ settingsVersions: () => listOf([]) }, { ...admin, permissions: ["settings.see"] });
  expect((await screen.findByLabelText("hotFlagLimit")) as HTMLInputElement).toHaveProperty("readOnly", true);
  expect(await screen.findByText("Only an administrator changes settings.")).toBeDefined();
  expect(await screen.findByText("No version yet")).toBeDefined();
  await group("Server");
  expect(await screen.findByText("set, not shown")).toBeDefined();
});

test("what cannot be loaded says so", async () => {
  await opened({ settings: () => new Refusal("request.failed") });
  expect(await screen.findByRole("button", { name: "Try again" })).toBeDefined();
});

test("a setting is found by its name or by what it does", async () => {
  await opened();
  fireEvent.change(await screen.findByRole("searchbox", { name: "Find a setting" }), {
    target: { value: "spectators" },
  });
  expect(await screen.findByLabelText("spectatorsMax")).toBeDefined();
  expect(screen.queryByLabelText("hotFlagLimit")).toBeNull();
});
