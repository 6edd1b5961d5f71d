import { LimitSubject } from "@longarm/contract/player-protection";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:00:00.000Z";
const LATER = "2026-12-20T20:00:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const DENIZ = {
  player: { id: "p_1", username: "deniz" },
  name: "Deniz Aydın",
  state: "active",
  machine: null,
  addedAt: WHEN,
  lastSeen: null,
  wallet: { available: 120_000, onMachine: 5_000, beingChecked: 0 },
  email: "d…@ornek.com",
  limits: {
    counted: LimitSubject.options.map((key) => ({
      key,
      value: key === "cashIn.day" ? 2_000_000 : null,
      owner: key === "cashIn.day" ? "player" : null,
      used: key === "cashIn.day" ? 500_000 : 0,
      later: null,
    })),
    ...{ cashIn24h: 2_000_000, loss24h: null, sessionMinutes: null, excludedUntil: null, later: null },
  },
  used: { cashIn24h: 500_000, loss24h: -1_000 },
  operatorWallet: null,
  signIns: [{ id: "s_1", address: "85.104.12.7", since: WHEN }],
  passkeys: 2,
  recoveryCodes: 7,
  hasApp: true,
  notes: [],
};
const PROVED = {
  ...{ state: "verified", validUntil: "2031-02-01", age: 20, document: "passport", hasPersonalNumber: false },
  ...{ ageMin: 18, before: ["play", "deposit"], closed: [], hasCorrection: false, others: null, held: false },
  decisions: [{ state: "verified", at: WHEN, by: "eva", reason: "seen at the desk", validUntil: "2031-02-01" }],
};
const FIGURES = {
  ...{
    deposits: 250_000,
    withdrawals: 0,
    bonuses: 0,
    discounts: 0,
    fees: 0,
    toMachines: 100_000,
    fromMachines: 90_000,
  },
  ...{ handPays: 0, corrections: -500, games: 20, wagered: 24_000, won: 14_000, opening: 0, closing: 239_500 },
};
const statementOf = (year: number) => ({
  ...{ timeZone: "Europe/Istanbul", asOf: WHEN, year, years: [2026, 2025], total: FIGURES },
  months: [
    { ...FIGURES, month: 1 },
    { ...Object.fromEntries(Object.keys(FIGURES).map((key) => [key, 0])), closing: 239_500, month: 2 },
  ],
});
const GAMES = [
  {
    ...{ id: "9.nar-13", number: 9, machine: "Nar 13", session: "ps_1", start: WHEN, end: WHEN, stake: 100, win: 350 },
    ...{ handPaid: 0, before: null, after: 2_450, freeSpins: null, bonus: null, addsUp: false },
  },
];
const EXCLUDED = { ...DENIZ, state: "excluded", limits: { ...DENIZ.limits, excludedUntil: LATER } };
const supervisor = {
  ...EVA,
  permissions: [
    "player.find",
    "player.see",
    "player.lock",
    "limit.stricter",
    "limit.looser",
    "bonus.grant",
  ] as typeof EVA.permissions,
  limits: { bonus: 100_000 },
};
const DONE = { is: "done", result: {}, repeated: false };
const WAITING = { is: "waiting", approval: "ap_1", expiresAt: LATER };
const opened = (more: object = {}, me: object = supervisor) =>
  scriptedConsole({
    me: () => me,
    approvals: () => listOf([]),
    player: () => DENIZ,
    players: () => listOf([DENIZ]),
    playerWallet: () => listOf([]),
    playerSessions: () => listOf([]),
    playerStatement: () => statementOf(2026),
    playerGames: () => ({ games: GAMES }),
    playerIdentity: () => PROVED,
    stepUpBegin: () => CEREMONY,
    stepUpFinish: () => ({ stepUp: "su_1", expiresAt: LATER }),
    ...more,
  });
const confirm = async () => fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const type = (sheet: HTMLElement, label: string, value: string) =>
  fireEvent.change(within(sheet).getByLabelText(label), { target: { value } });
const bodyOf = (called: Awaited<ReturnType<typeof opened>>["called"], call: string) =>
  called.filter(({ name }) => name === call).at(-1)?.body;

beforeEach(() => history.replaceState(null, "", "/players/p_1"));
afterEach(cleanup);

test("a player is excluded for the chosen time, with a reason, at the venue's own clock", async () => {
  const { called } = await opened({ stricterLimits: () => DONE });
  await press("Exclude the player");
  const sheet = await screen.findByRole("dialog");
  const send = within(sheet).getByRole("button", { name: "Exclude the player" }) as HTMLButtonElement;
  expect(send.disabled).toBe(true);
  fireEvent.change(within(sheet).getByLabelText("For how long"), { target: { value: "7" } });
  type(sheet, "Reason", "at the player's wish");
  fireEvent.click(send);
  expect(await screen.findByText(/The player is excluded until 03\/12\/2026 23:00/)).toBeDefined();
  expect(bodyOf(called, "stricterLimits")).toEqual({
    id: "act-number-1",
    excludeUntil: "2026-12-03T20:00:00.000Z",
    reason: "at the player's wish",
  });
});

test("with the operator's own wallet the page says whose it is, what it said last and when, and what moved", async () => {
  const move = (id: string, direction: string, state: string) => ({ id, at: WHEN, direction, amount: 4_000, state });
  const moves = [move("rc_2", "back", "unknown"), move("rw:1", "out", "booked")];
  await opened({ player: () => ({ ...DENIZ, operatorWallet: { said: { balance: 77_700, at: WHEN }, moves } }) });
  const panel = within(await screen.findByRole("region", { name: "The operator’s wallet" }));
  expect(panel.getByText(/777/)).toBeDefined();
  expect(panel.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/into the operator’s wallet.*answer unknown.*40/),
    expect.stringMatching(/out of the operator’s wallet.*booked.*40/),
  ]);
  expect(screen.getByText("In Longarm")).toBeDefined();
  cleanup();
  await opened({ player: () => ({ ...DENIZ, operatorWallet: { said: null, moves: [] } }) });
  expect(await screen.findByText("not known yet")).toBeDefined();
  cleanup();
  await opened();
  expect(await screen.findByText("In the wallet")).toBeDefined();
  expect(screen.queryByText("The operator’s wallet")).toBeNull();
});

test("an exclusion is lifted in the player's words, with a passkey, and waits for a second person", async () => {
  const { called } = await opened({ player: () => EXCLUDED, looserLimits: () => WAITING });
  expect(await screen.findByText(/Excluded until/)).toBeDefined();
  await press("Lift the exclusion");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "The player’s wish, in their own words", "I have calmed down");
  fireEvent.click(within(sheet).getByRole("button", { name: "Lift the exclusion" }));
  await confirm();
  expect(await screen.findByText("Requested. A second person must sign it.")).toBeDefined();
  expect(bodyOf(called, "looserLimits")).toMatchObject({ liftExclusion: true, reason: "I have calmed down" });
});

test("a longer exclusion alone is offered to who is excluded, and a ban beside it can be set and lifted", async () => {
  const { called } = await opened({
    player: () => ({ ...EXCLUDED, state: "banned" }),
    unbanPlayer: () => DONE,
  });
  await press("Exclude the player");
  const times = within(await screen.findByLabelText("For how long"))
    .getAllByRole("option")
    .map(({ textContent }) => textContent);
  expect(times).toEqual(["30 days", "90 days", "180 days", "365 days", "1825 days"]);
  await press("Cancel");
  await press("Lift the ban");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Reason", "a mistake");
  fireEvent.click(within(sheet).getByRole("button", { name: "Lift the ban" }));
  await confirm();
  await waitFor(() => expect(bodyOf(called, "unbanPlayer")).toMatchObject({ reason: "a mistake" }));
});

test("limits become stricter at once: only what was written is sent, and a looser one is refused on the page", async () => {
  const { called } = await opened({
    stricterLimits: (body: { dryRun?: boolean }) =>
      body.dryRun === true ? { is: "dryRun", result: {}, needsApproval: false } : DONE,
  });
  await press("Make limits stricter");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Reason", "on request");
  type(sheet, "Onto machines, 24 hours", "30000");
  expect(within(sheet).getByText("This is not stricter than the limit of now.")).toBeDefined();
  type(sheet, "Onto machines, 24 hours", "");
  type(sheet, "One play session, minutes", "90");
  type(sheet, "Another limit", "loss.week");
  type(sheet, "Lost, 7 days", "150,00");
  fireEvent.click(within(sheet).getByRole("button", { name: "Check first" }));
  expect(await within(sheet).findByText(/Nothing was changed. It would be done at once/)).toBeDefined();
  fireEvent.click(within(sheet).getByRole("button", { name: "Make limits stricter" }));
  await waitFor(() =>
    expect(bodyOf(called, "stricterLimits")).toEqual({
      id: "act-number-1",
      limits: { "loss.week": 15_000, session: 90 },
      reason: "on request",
    }),
  );
});

test("a limit is taken away at the player's wish, after a day", async () => {
  const { called } = await opened({ looserLimits: () => DONE });
  await press("Make limits looser");
  const sheet = await screen.findByRole("dialog");
  expect(within(sheet).queryByLabelText("Lost, 24 hours")).toBeNull();
  fireEvent.click(within(sheet).getByLabelText("No limit: Onto machines, 24 hours"));
  type(sheet, "The player’s wish, in their own words", "I want more");
  fireEvent.click(within(sheet).getByRole("button", { name: "Make limits looser" }));
  await confirm();
  expect(await screen.findByText("Written down. It begins after 24 hours.")).toBeDefined();
  expect(bodyOf(called, "looserLimits")).toMatchObject({ limits: { "cashIn.day": null }, reason: "I want more" });
});

test("a new password is shown once; the whole e-mail after a reason", async () => {
  await opened({
    newPlayerPassword: () => ({ is: "done", result: { password: "amber-river-41" }, repeated: false }),
    revealContact: () => ({ is: "done", result: { email: "deniz@ornek.com" }, repeated: false }),
  });
  await press("New password");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Reason", "forgotten");
  fireEvent.click(within(sheet).getByRole("button", { name: "New password" }));
  await confirm();
  expect(await screen.findByText("amber-river-41")).toBeDefined();
  await press("Done");
  await waitFor(() => expect(screen.queryByText("amber-river-41")).toBeNull());
  await press("Show the whole e-mail");
  const asks = await screen.findByRole("dialog");
  type(asks, "Reason", "to send a receipt");
  fireEvent.click(within(asks).getByRole("button", { name: "Show the whole e-mail" }));
  expect(await screen.findByText("deniz@ornek.com")).toBeDefined();
});

test("a bonus says what one may grant alone, and its dry run that a second person would sign", async () => {
  const { called } = await opened({
    grantBonus: (body: { dryRun?: boolean }) =>
      body.dryRun === true ? { is: "dryRun", result: {}, needsApproval: true } : WAITING,
  });
  await press("Grant a bonus");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Amount", "2000");
  type(sheet, "Reason", "a birthday");
  expect(within(sheet).getByText(/You may grant ₺1,000 a day alone/)).toBeDefined();
  fireEvent.click(within(sheet).getByRole("button", { name: "Check first" }));
  expect(await within(sheet).findByText(/A second person would have to sign/)).toBeDefined();
  fireEvent.click(within(sheet).getByRole("button", { name: "Grant a bonus" }));
  await confirm();
  expect(await screen.findByText("Requested. A second person must sign it.")).toBeDefined();
  expect(bodyOf(called, "grantBonus")).toMatchObject({
    amount: 200_000,
    expiresAt: "2026-12-03T19:59:00.000Z",
    reason: "a birthday",
  });
});

test("sign-ins are ended with a reason, and a refusal keeps the sheet", async () => {
  await opened({ endPlayerSignIns: () => new Refusal("act.outOfReach", { sentence: "Try again." }) });
  await press("End sign-ins");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Reason", "a lost phone");
  fireEvent.click(within(sheet).getByRole("button", { name: "End sign-ins" }));
  expect(await screen.findByText(/Not sent, nothing was changed/)).toBeDefined();
  expect((within(sheet).getByLabelText("Reason") as HTMLInputElement).value).toBe("a lost phone");
});

test("passkeys are shown in number and removed with a reason", async () => {
  const { called } = await opened({ removePlayerKeys: () => DONE });
  expect(await screen.findByText("Passkeys: 2. Recovery codes left: 7.")).toBeDefined();
  await press("Remove passkeys and app");
  const sheet = await screen.findByRole("dialog");
  type(sheet, "Reason", "a lost phone");
  fireEvent.click(within(sheet).getByRole("button", { name: "Remove passkeys and app" }));
  await confirm();
  await waitFor(() => expect(bodyOf(called, "removePlayerKeys")).toMatchObject({ reason: "a lost phone" }));
});

test("an auditor reads and has no button; an attendant acts from the list without seeing wallets", async () => {
  const auditor = { ...supervisor, permissions: ["player.find", "player.see"] };
  const first = await opened({}, auditor);
  await screen.findByText("Limits and exclusion");
  expect(screen.queryByText("What you can do")).toBeNull();
  first.unmount();
  history.replaceState(null, "", "/players");
  const attendant = { ...supervisor, permissions: ["player.find", "limit.stricter"] };
  await opened({ players: () => listOf([{ ...DENIZ, wallet: null }]) }, attendant);
  fireEvent.click(await screen.findByRole("button", { name: /Deniz Aydın/ }));
  const sheet = await screen.findByRole("dialog");
  expect(
    within(sheet)
      .getAllByRole("button")
      .map(({ textContent }) => textContent)
      .filter((text) => text !== ""),
  ).toEqual(["Make limits stricter", "Exclude the player"]);
});

test("a proof of identity is declared over, confirmed with a passkey, and personal data are shown to who says why", async () => {
  const { called } = await opened(
    {
      decideIdentity: () => ({ is: "done", result: { state: "expired" }, repeated: false }),
      revealIdentity: () => ({
        is: "done",
        result: { birthDate: "2006-03-01", personalNumber: null, correction: null },
        repeated: false,
      }),
    },
    { ...supervisor, permissions: [...supervisor.permissions, "player.add"] },
  );
  expect(await screen.findByText("20 years")).toBeDefined();
  await press("Decide");
  const sheet = await screen.findByRole("dialog");
  fireEvent.change(within(sheet).getByLabelText("Decision"), { target: { value: "expired" } });
  expect(within(sheet).queryByLabelText("Valid until")).toBeNull();
  type(sheet, "Reason", "reported lost");
  fireEvent.click(within(sheet).getByRole("button", { name: "Decide" }));
  await confirm();
  await waitFor(() =>
    expect(bodyOf(called, "decideIdentity")).toMatchObject({ state: "expired", reason: "reported lost" }),
  );
  expect(bodyOf(called, "decideIdentity")).not.toHaveProperty("birthDate");
  await press("Show birth date and number");
  const reveal = await screen.findByRole("dialog");
  type(reveal, "Reason", "the player asks");
  fireEvent.click(within(reveal).getByRole("button", { name: "Show birth date and number" }));
  expect(await screen.findByText("01/03/2006")).toBeDefined();
});

test("another account of the same person is named, and a decision says what it is", async () => {
  const other = { player: { id: "p_2", username: "deniz.second" }, is: "same", excluded: true };
  const alike = { player: { id: "p_3", username: "deniz.alike" }, is: "alike", excluded: false };
  const { called } = await opened(
    {
      playerIdentity: () => ({ ...PROVED, state: "pending", held: true, others: [other, alike] }),
      decideIdentity: () => ({ is: "done", result: { state: "verified" }, repeated: false }),
    },
    { ...supervisor, permissions: [...supervisor.permissions, "player.add"] },
  );
  const others = await screen.findByRole("list", { name: "Other accounts" });
  expect(within(others).getByRole("link", { name: "deniz.second" }).getAttribute("href")).toBe("/players/p_2");
  expect(others.textContent).toMatch(/same number or document.*kept from play.*perhaps somebody else/);
  expect(screen.getByText(/Not verified: another account has this number/)).toBeDefined();
  await press("Decide");
  const sheet = await screen.findByRole("dialog");
  const send = within(sheet).getByRole("button", { name: "Decide" }) as HTMLButtonElement;
  type(sheet, "Reason", "seen at the desk");
  type(sheet, "Number of the document", "U 123-456");
  expect(within(sheet).getByText(/A number goes with its country/)).toBeDefined();
  expect(send.disabled).toBe(true);
  type(sheet, "Issued by, country code", "tr");
  type(sheet, "Kind of document", "passport");
  type(sheet, "Other accounts with this number", "same");
  expect(send.disabled).toBe(false);
  fireEvent.click(send);
  await confirm();
  await waitFor(() =>
    expect(bodyOf(called, "decideIdentity")).toMatchObject({
      ...{ country: "TR", documentKind: "passport", documentNumber: "U 123-456", others: "same" },
    }),
  );
});

test("who has no birth date is not verified without one, and a wrong number is not sent", async () => {
  const nothing = { ...PROVED, ...{ state: "none", age: null, document: null, validUntil: null, decisions: [] } };
  await opened(
    { playerIdentity: () => ({ ...nothing, closed: ["play", "deposit"] }) },
    { ...supervisor, permissions: [...supervisor.permissions, "player.add"] },
  );
  expect(await screen.findByText("Closed now: play, deposits")).toBeDefined();
  await press("Decide");
  const sheet = await screen.findByRole("dialog");
  const send = within(sheet).getByRole("button", { name: "Decide" }) as HTMLButtonElement;
  type(sheet, "Reason", "seen at the desk");
  expect(send.disabled).toBe(true);
  type(sheet, "Birth date", "1988-02-14");
  expect(send.disabled).toBe(false);
  type(sheet, "Personal number", "12a");
  expect(within(sheet).getByText("Write 6 to 20 digits.")).toBeDefined();
  expect(send.disabled).toBe(true);
});

test("the statement of a year and the last games are those of the player's own page; what is unknown is a dash", async () => {
  const { called } = await opened();
  const statement = await screen.findByRole("region", { name: "Statement" });
  const january = await within(statement).findByRole("row", { name: /^Jan/ });
  expect(
    within(january)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent),
  ).toEqual([...["₺2,500", "₺0", "₺240", "₺140", "−₺100", "₺1,000", "₺900", "₺0", "₺0", "₺0", "₺0", "−₺5", "₺2,395"]]);
  // A month without anything has no row.
  expect(within(statement).getAllByRole("row")).toHaveLength(3);
  const games = await screen.findByRole("region", { name: "Last ten games" });
  const [, game] = await within(games).findAllByRole("row");
  expect(game?.textContent).toMatch(/^Nar 13 9.*the figures do not agree/);
  expect(game?.querySelectorAll("[data-unsaid]")).toHaveLength(1);
  const reads = () => called.filter(({ name }) => name === "playerStatement").length;
  const before = reads();
  fireEvent.change(screen.getByLabelText("Year"), { target: { value: "2025" } });
  await waitFor(() => expect(reads()).toBeGreaterThan(before));
});
