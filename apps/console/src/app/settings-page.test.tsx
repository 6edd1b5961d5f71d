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

const RULES = [
  { name: "minCycleMs", value: 0, source: null },
  { name: "ageMin", value: 18, source: { clause: "LCCP 17.1.1", version: "2025-01-17", seen: "unchecked" } },
];
const MARKETS = {
  markets: [
    { id: "none", name: "No market", currency: null, rules: RULES },
    { id: "gb", name: "Great Britain", currency: "GBP", rules: RULES },
  ],
  choices: [],
  asOf: WHEN,
};

test("a market shows its rules with clause and date, and is chosen after the platform has said what would change", async () => {
  history.replaceState(null, "", "/settings?group=market");
  const changes = [
    { name: "minCycleMs", before: 0, after: 2_500, becomes: "stricter" },
    { name: "newerRule", before: true, after: false, becomes: "looser" },
  ];
  const amounts = { currency: "GBP", rules: ["stakeCaps"] };
  const result = { scope: "venue", subject: "", changes, amounts };
  const { called } = await opened({
    markets: () => MARKETS,
    chooseMarket: (body: { dryRun?: boolean }) =>
      body.dryRun === true ? { is: "dryRun", result, needsApproval: true } : { is: "done", result, repeated: false },
  });
  expect(await screen.findByText("No market was chosen: no rules of a regulator hold.")).toBeDefined();
  expect(await screen.findByText("17/01/2025")).toBeDefined();
  expect(screen.getByText("not checked")).toBeDefined();
  fireEvent.change(screen.getByLabelText("Look at"), { target: { value: "gb" } });
  fireEvent.click(await key("Choose Great Britain"));
  const sheet = await screen.findByRole("dialog");
  expect(await within(sheet).findByText("stricter")).toBeDefined();
  expect(within(sheet).getByText("A rule becomes looser: a second person must sign.")).toBeDefined();
  expect(within(sheet).getByText(/amounts in GBP; the venue plays in TRY/)).toBeDefined();
  // A rule of a newer platform has its name.
  expect(within(sheet).getByText("newerRule")).toBeDefined();
  fireEvent.change(within(sheet).getByLabelText("Reason"), { target: { value: "licence of 2026" } });
  fireEvent.click(within(sheet).getByRole("button", { name: "Choose Great Britain" }));
  fireEvent.click(await key("Use your passkey"));
  await waitFor(() =>
    expect(called.filter(({ name }) => name === "chooseMarket").at(-1)?.body).toMatchObject({
      ...{ scope: "venue", market: "gb", expected: null, amountsIn: "TRY", reason: "licence of 2026", stepUp: "su_1" },
    }),
  );
});

test.each<[string, unknown, string]>([
  ["minCycleMs", 2_500, "2.5 seconds"],
  ["pictureMsMax", null, "none"],
  ["autoplay", false, "no"],
  ["looserAskAgain", true, "yes"],
  ["stakeCaps", { under25: 200, from25: null }, "below 25: £2, from 25 on: none"],
  ["realityCheckMin", 60, "60 minutes"],
  ["limitsOffered", "registration", "at registration"],
  ["limitsRequired", ["deposit.day", "loss.month"], "deposits in 24 hours, loss in 30 days"],
  ["limitsOfAll", {}, "none"],
  ["limitsOfAll", { "deposit.month": 100_000 }, "deposits in 30 days: £1,000"],
  ["timeOutHours", { least: 24, most: 2_160 }, "shortest: 24 hours, longest: 2,160 hours"],
  ["exclusionMonthsMin", 6, "6 months"],
  ["forcedBreak", { afterMin: 60, forMin: 5 }, "after: 60 minutes, for: 5 minutes"],
  ["identityBefore", ["play", "withdrawal"], "play, withdrawals"],
  ["ageMin", 1, "1 year"],
  ["registers", ["gamstop"], "gamstop"],
  [
    "careAt",
    { time: { watch: 1_200, strong: 90 }, netLoss: { watch: 80, strong: 100 }, sessions: { watch: 1, strong: 2 } },
    "time at machines: opens a case: 20 hours, calls staff: 90 minutes; loss of what can be lost: opens a case: 80%, calls staff: 100%; play sessions a day: opens a case: 1×, calls staff: 2×",
  ],
  ["newerRule", { constructor: ["toString", 3] }, "constructor: toString, 3"],
])("the value of %s is said in words: %j", async (name, value, words) => {
  history.replaceState(null, "", "/settings?group=market");
  const rules = [{ name, value, source: null }];
  const markets = [{ id: "gb", name: "Great Britain", currency: "GBP", rules }];
  await opened({ markets: () => ({ ...MARKETS, markets: [{ ...markets[0], id: "none" }] }) });
  const rule = (await screen.findAllByText(name))[0]?.closest("tr");
  expect(rule?.querySelector("td")?.textContent.replaceAll(/[\u2066-\u2069]/g, "")).toBe(words);
});

test("terms are written by language, and what is begun and not whole is not sent", async () => {
  history.replaceState(null, "", "/settings?group=terms");
  const row = {
    ...{ number: 3, validFrom: WHEN, state: "holds", title: "Terms of use", languages: ["tr", "en"] },
    ...{ by: "tolga", at: WHEN, reason: "opening", accepted: 41 },
  };
  const { called } = await opened({
    termsVersions: () => listOf([row]),
    termsVersion: () => ({ ...row, texts: { en: { title: "Terms of use", changes: ["new"], body: "All of it." } } }),
    addTerms: () => ({ is: "done", result: { number: 4, validFrom: WHEN }, repeated: false }),
  });
  expect(await screen.findByText(/41 players accepted/)).toBeDefined();
  fireEvent.click(await key("Read: 3"));
  expect(await screen.findByText("All of it.")).toBeDefined();
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
  await waitFor(() => expect(screen.queryByText("All of it.")).toBeNull());
  fireEvent.click(await key("Add a version"));
  const sheet = await screen.findByRole("dialog");
  const send = within(sheet).getByRole("button", { name: "Add a version" }) as HTMLButtonElement;
  const type = (label: string, value: string) =>
    fireEvent.change(within(sheet).getByLabelText(label), { target: { value } });
  type("Title", "Terms of use");
  type("Reason", "rules of the queue");
  expect(within(sheet).getByText("Title and text belong together: EN")).toBeDefined();
  expect(send.disabled).toBe(true);
  type("The whole text", "# Money\n\nYours.");
  type("What is new", "The queue\n\n  30 seconds ");
  fireEvent.click(send);
  fireEvent.click(await key("Use your passkey"));
  await waitFor(() =>
    expect(called.find(({ name }) => name === "addTerms")?.body).toMatchObject({
      expected: 3,
      texts: { en: { title: "Terms of use", changes: ["The queue", "30 seconds"], body: "# Money\n\nYours." } },
      reason: "rules of the queue",
    }),
  );
});
