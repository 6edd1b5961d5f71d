import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CEREMONY, EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T20:00:00.000Z";
const listOf = (rows: readonly unknown[], next: string | null = null) => ({ rows, next, asOf: WHEN });
const REACH = { matching: 48, keptOut: 2, given: 0, players: 40, amount: 200_000, beyondBudget: 6 };
const ROW = {
  id: "ca_1",
  name: "Friday night",
  state: "running",
  amount: 5_000,
  budget: 200_000,
  startsAt: "2026-11-20T17:00:00.000Z",
  endsAt: "2026-11-28T17:00:00.000Z",
  players: 30,
  granted: 150_000,
  claims: 12,
  claimed: 60_000,
  open: 90_000,
};
const DETAIL = {
  ...ROW,
  claimDays: 7,
  audience: { is: "played", from: "2026-11-20T17:00:00Z", until: "2026-11-26T17:00:00Z", brand: "Nar" },
  mark: "m".repeat(64),
  addedAt: WHEN,
  addedBy: "okan",
  startedAt: WHEN,
  startedBy: "okan",
  signedBy: "chief",
  endedAt: null,
  endReason: null,
  reach: REACH,
};
const GRANT = {
  id: "bg_1",
  player: { id: "p_1", username: "ece.yalcin" },
  amount: 5_000,
  grantedAt: WHEN,
  expiresAt: "2026-12-03T20:00:00.000Z",
  claimedAt: null,
  state: "open",
};
const SUPERVISOR = {
  ...EVA,
  permissions: ["floor.see", "promotion.see", "promotion.run", "player.see"] as typeof EVA.permissions,
  limits: { bonus: 1_000_000 },
};
const AUDITOR = { ...EVA, permissions: ["promotion.see"] as typeof EVA.permissions };
const DONE = { is: "done", result: {}, repeated: false };
const opened = (path: string, more: object = {}, me: object = SUPERVISOR) => {
  history.replaceState(null, "", path);
  return scriptedConsole({
    me: () => me,
    approvals: () => listOf([]),
    tasks: () => listOf([]),
    notices: () => ({ ...listOf([]), unread: 0 }),
    floor: () => listOf([]),
    stepUpBegin: () => CEREMONY,
    stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }),
    campaigns: () => listOf([ROW]),
    campaign: () => DETAIL,
    campaignGrants: () => listOf([GRANT]),
    ...more,
  });
};
const type = (label: string, value: string, within_: HTMLElement = document.body) =>
  fireEvent.change(within(within_).getByLabelText(label), { target: { value } });
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));

beforeEach(() => history.replaceState(null, "", "/"));
afterEach(cleanup);

describe("the list", () => {
  test("shows each campaign with its state, what it has granted of its budget, and its cost", async () => {
    await opened("/promotions");
    const link = await screen.findByRole("link", { name: "Friday night" });
    const row = link.closest("tr") as HTMLElement;
    for (const words of ["₺50 each", "until 28/11/2026 20:00", "30", "12", "₺600.00", "₺1,500.00", "of ₺2,000"])
      expect(row.textContent).toContain(words);
    expect(link.getAttribute("href")).toBe("/promotions/ca_1");
    expect(screen.getByText("1 campaign runs")).toBeDefined();
    expect(screen.getByRole("link", { name: "Promotions" }).getAttribute("aria-current")).toBe("page");
  });

  test("says when there is none, and why it could not be loaded, with a way to try again", async () => {
    const empty = await opened("/promotions", { campaigns: () => listOf([]) });
    expect(await screen.findByText("No campaign yet")).toBeDefined();
    empty.unmount();
    let calls = 0;
    await opened("/promotions", {
      campaigns: () => {
        calls += 1;
        return calls === 1 ? new Refusal("request.failed") : listOf([ROW]);
      },
    });
    await press("Try again");
    expect(await screen.findByRole("link", { name: "Friday night" })).toBeDefined();
  });

  test("offers nothing to a person who may only see", async () => {
    await opened("/promotions", {}, AUDITOR);
    await screen.findByRole("link", { name: "Friday night" });
    expect(screen.queryByRole("button", { name: "New campaign" })).toBeNull();
  });
});

describe("a new campaign", () => {
  test("is written in a sheet that the key N opens, tried first, and then saved as it was tried", async () => {
    const { called } = await opened("/promotions", {
      addCampaign: (body: Record<string, unknown>) =>
        body["dryRun"] === true
          ? { is: "dryRun", result: { id: "ca_2", reach: REACH }, needsApproval: false }
          : { is: "done", result: { id: "ca_2", reach: REACH }, repeated: false },
    });
    await screen.findByRole("link", { name: "Friday night" });
    fireEvent.keyDown(document.body, { key: "n" });
    const sheet = await screen.findByRole("dialog", { name: "New campaign" });
    const save = within(sheet).getByRole("button", { name: "Save the draft" }) as HTMLButtonElement;
    expect(save.disabled).toBe(true);
    type("Name", "Saturday", sheet);
    type("Each gets", "50.00", sheet);
    type("Never more than", "40.00", sheet);
    expect(within(sheet).getByText("The budget is at least what one player gets.")).toBeDefined();
    type("Never more than", "2000.00", sheet);
    fireEvent.click(within(sheet).getByLabelText("Named players"));
    type("Usernames", "ece.yalcin, deniz\n mert ", sheet);
    type("Reason", "slow week", sheet);
    fireEvent.click(within(sheet).getByRole("button", { name: "Whom would it reach?" }));
    const reach = await within(sheet).findByRole("region", { name: "If it ran now" });
    for (const words of ["40", "₺2,000.00", "Beyond the budget"]) expect(reach.textContent).toContain(words);
    // What was tried is no longer said of other fields.
    type("Name", "Sunday", sheet);
    expect(within(sheet).queryByRole("region", { name: "If it ran now" })).toBeNull();
    type("Name", "Saturday", sheet);
    fireEvent.click(save);
    await waitFor(() => expect(location.pathname).toBe("/promotions/ca_2"));
    const bodies = called.filter(({ name }) => name === "addCampaign").map(({ body }) => body);
    expect(bodies).toEqual([
      expect.objectContaining({ dryRun: true }),
      {
        id: "act-number-1",
        name: "Saturday",
        amount: 5_000,
        claimDays: 7,
        audience: { is: "list", players: ["ece.yalcin", "deniz", "mert"] },
        budget: 200_000,
        startsAt: "2026-11-26T20:00:00.000Z",
        endsAt: "2026-12-03T20:00:00.000Z",
        reason: "slow week",
      },
    ]);
  });

  test("names the players whom the platform does not know", async () => {
    await opened("/promotions?act=add", { addCampaign: () => new Refusal("player.unknown", { names: "nope" }) });
    const sheet = await screen.findByRole("dialog");
    type("Name", "Saturday", sheet);
    type("Each gets", "50.00", sheet);
    type("Never more than", "2000.00", sheet);
    fireEvent.click(within(sheet).getByRole("button", { name: "Whom would it reach?" }));
    expect(await within(sheet).findByText("No player is called nope.")).toBeDefined();
  });
});

describe("a campaign", () => {
  test("shows whom it is for, who answers for it, and who received it", async () => {
    await opened("/promotions/ca_1");
    const page = await screen.findByText(/Played Nar from 20\/11\/2026 20:00 to/);
    expect(page).toBeDefined();
    for (const words of ["okan", "chief", "7 days"]) expect(screen.getAllByText(words).length).toBeGreaterThan(0);
    expect((await screen.findByRole("link", { name: "ece.yalcin" })).getAttribute("href")).toBe("/players/p_1");
    expect(screen.getByText(/can be claimed until/)).toBeDefined();
  });

  test.each([
    ["running", "Pause", "Pause the campaign", "pauseCampaign"],
    ["paused", "Resume", "Resume the campaign", "resumeCampaign"],
    ["running", "End", "End the campaign", "endCampaign"],
    ["draft", "Discard", "Discard the draft", "endCampaign"],
  ] as const)("that is %s has %s, with a reason", async (state, key, send, call) => {
    const { called } = await opened("/promotions/ca_1", { campaign: () => ({ ...DETAIL, state }), [call]: () => DONE });
    await press(key);
    const sheet = await screen.findByRole("dialog", { name: "Friday night" });
    type("Reason", "wrong group", sheet);
    fireEvent.click(within(sheet).getByRole("button", { name: send }));
    if (call === "resumeCampaign") await press("Use your passkey");
    await waitFor(() =>
      expect(called.find(({ name }) => name === call)?.body).toMatchObject({ reason: "wrong group" }),
    );
  });

  test("is started by a passkey with the mark that was seen; beyond the limit a second person signs", async () => {
    const { called } = await opened("/promotions/ca_1", {
      campaign: () => ({ ...DETAIL, state: "draft", startedBy: null, signedBy: null }),
      startCampaign: () => ({ is: "waiting", approval: "ap_1", expiresAt: WHEN }),
    });
    await press("Start");
    const sheet = await screen.findByRole("dialog", { name: "Friday night" });
    expect(within(sheet).getByText(/what you may grant alone in a day, ₺10,000/)).toBeDefined();
    type("Reason", "as agreed", sheet);
    fireEvent.click(within(sheet).getByRole("button", { name: "Start the campaign" }));
    await press("Use your passkey");
    await waitFor(() =>
      expect(called.find(({ name }) => name === "startCampaign")?.body).toMatchObject({
        mark: DETAIL.mark,
        reason: "as agreed",
        stepUp: "su_1",
      }),
    );
    expect(await screen.findByText("Requested. A second person must sign it.")).toBeDefined();
  });

  test("that was never written is said to be unknown", async () => {
    await opened("/promotions/ca_9", { campaign: () => new Refusal("thing.unknown", { kind: "campaign" }) });
    expect(await screen.findByText("There is no such campaign")).toBeDefined();
  });
});
