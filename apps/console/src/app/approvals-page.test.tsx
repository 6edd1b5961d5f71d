import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CEREMONY, EVA, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T19:55:00.000Z";
const listOf = (rows: readonly unknown[]) => ({ rows, next: null, asOf: WHEN });
const approval = (kind: string, subject: string, content: object, more: object = {}) => ({
  id: "ap_1",
  kind,
  subject,
  amount: null,
  reason: "as agreed",
  requestedBy: { id: "st_s", name: "Selin Arslan" },
  requestedAt: WHEN,
  expiresAt: "2026-11-26T20:10:00.000Z",
  state: "waiting",
  decidedBy: null,
  decidedAt: null,
  refusal: null,
  hash: "a".repeat(64),
  content,
  evidence: [],
  maySign: true,
  ...more,
});
const supervisor = { ...EVA, permissions: ["floor.see", "staff.see", "wallet.move"] as typeof EVA.permissions };
const opened = (shown: object, more: object = {}) =>
  scriptedConsole({
    me: () => supervisor,
    approvals: () => listOf([shown]),
    approval: () => shown,
    floor: () => listOf([]),
    staff: () => listOf([]),
    roles: () =>
      listOf([{ role: "attendant", permissions: ["floor.see", "bonus.grant"], limits: { bonus: 50_000 }, people: 2 }]),
    stepUpBegin: () => CEREMONY,
    stepUpFinish: () => ({ stepUp: "su_1", expiresAt: WHEN }),
    ...more,
  });
/** What is below "What would happen", once it is there. */
async function happens(): Promise<string> {
  const head = await screen.findByText("What would happen");
  return head.parentElement?.textContent ?? "";
}

beforeEach(() => history.replaceState(null, "", "/approvals/ap_1"));
afterEach(cleanup);

const player = { label: "player", value: "murat" };
const amount = (label: string, minor: number) => ({ label, value: null, amount: minor });

test.each([
  [
    "a withdrawal",
    approval(
      "wallet.withdrawal",
      "player:p_4",
      {
        kind: "withdraw",
        player: "p_4",
        amount: 1_800_000,
        reason: "x",
        receipt: "K1-10442",
        cashier: "st_s",
        shift: "s",
      },
      { amount: 1_800_000, evidence: [player, amount("before", 2_615_040), amount("after", 815_040)] },
    ),
    ["₺18,000 in cash goes to murat", "Wallet before₺26,150.40", "−₺18,000.00", "Wallet after₺8,150.40", "K1-10442"],
  ],
  [
    "a hand pay of another amount",
    approval(
      "handPay.pay",
      "machine:nar-03",
      { machineId: "nar-03", handPayId: "hp", machineAmount: 1_245_000, override: { amount: 1_200_000, reason: "x" } },
      { amount: 1_200_000, evidence: [player, { label: "machine", value: "Nar 03" }] },
    ),
    ["₺12,000 is paid to the wallet of murat", "Nar 03 is reset", "The machine owes₺12,450.00", "−₺450.00"],
  ],
  [
    "a void",
    approval("handPay.void", "slip:211", { number: 211 }, { amount: 211_200, evidence: [player] }),
    ["₺2,112 is taken back from the wallet of murat", "Slip 211 keeps its number"],
  ],
  [
    "an explained discrepancy",
    approval("discrepancy.explain", "discrepancy:12", { number: 12, to: "player", inSuspense: 30_000 }),
    ["₺300 leaves suspense and goes to the player’s wallet", "Discrepancy 12 is closed"],
  ],
  [
    "a lifted exclusion",
    approval("exclusion.lift", "player:p_2", { player: "p_2", until: Date.parse(WHEN) }, { evidence: [player] }),
    ["murat may play again 24 hours after you sign", "Now22:55", "may play after 24 hours"],
  ],
  [
    "a looser market",
    approval(
      "market.loosen",
      "market:venue",
      { scope: "venue", subject: "", market: "none", before: "gb", by: "tolga" },
      { evidence: [] },
    ),
    ["The market No market is chosen for The venue", "NowGreat Britain"],
  ],
  [
    "a bonus",
    approval("bonus.grant", "player:p_1", { player: "p_1", amount: 200_000, days: 7, by: "o" }, { evidence: [player] }),
    ["murat gets a bonus of ₺2,000", "7 days"],
  ],
  [
    "a campaign",
    approval(
      "campaign.start",
      "campaign:ca_1",
      {
        campaign: "ca_1",
        mark: "a",
        by: "okan",
        name: "Friday night",
        amount: 5_000,
        budget: 2_000_000,
        claimDays: 7,
        startsAt: "2026-11-27T17:00:00.000Z",
        endsAt: "2026-11-28T17:00:00.000Z",
        audience: { is: "played", from: "2026-11-20T17:00:00Z", until: "2026-11-26T17:00:00Z", brand: "Nar" },
      },
      { amount: 2_000_000, evidence: [{ label: "campaign", value: "Friday night" }] },
    ),
    ["The campaign Friday night begins: ₺50 for each", "never more than ₺20,000", "played Nar from", "7 days"],
  ],
  [
    "a paytable",
    approval(
      "machine.configure",
      "machine:nar-01",
      { is: "paytable", machine: "nar-01", from: "2026-11-28", hold: 405, spread: 1_240 },
      { evidence: [{ label: "hold before", value: "3.97 %" }] },
    ),
    ["From 2026-11-28 on, nar-01", "now3.97 %", "then4.05 %", "12.40"],
  ],
  [
    "a RAM clear",
    approval("machine.configure", "machine:nar-01", { act: "ramClear", machine: "nar-01" }),
    ["nar-01 is closed until it comes back with new meters"],
  ],
  [
    "a release",
    approval("stop.release", "stop:es_1", { stop: "es_1", machines: ["nar-01", "nar-02"] }),
    ["Play continues at 2 machines"],
  ],
  [
    "a role",
    approval("staff.change", "role:attendant", {
      role: "attendant",
      permissions: ["floor.see", "handPay.pay"],
      limits: { handPay: 500_000 },
      before: "0123",
    }),
    ["Everybody with the role Attendant", "May do thenPay", "₺500 → –", "– → ₺5,000"],
  ],
])("%s is described in words with amounts, before and after", async (_, shown, words) => {
  await opened(shown);
  await waitFor(async () => {
    const text = await happens();
    for (const word of words) expect(text).toContain(word);
  });
  expect(await happens()).not.toMatch(/[{}]|"/);
});

test("an unknown kind and a content of another shape leave nothing out, and warn", async () => {
  const first = await opened(approval("restore", "backup:c_1", { backup: "c_1", most: 5 }));
  expect(await screen.findByText(/This console has no words for this kind/)).toBeDefined();
  expect(await happens()).toContain("c_1");
  first.unmount();
  await opened(approval("bonus.grant", "player:p_1", { amount: "<b>2000</b>", days: null }));
  expect(await screen.findByText("<b>2000</b>")).toBeDefined();
});

test("each rule of a looser market is evidence in words; one that the console does not know stays as it is", async () => {
  const evidence = [
    { label: "minCycleMs (looser)", value: "2500 → 0" },
    { label: "stakeCaps.under25 (looser)", value: "200 → null" },
    { label: "newerRule (looser)", value: "true → false" },
  ];
  const content = { scope: "venue", subject: "", market: "none", before: "gb", by: "tolga" };
  await opened(approval("market.loosen", "market:venue", content, { evidence }));
  const cycle = await screen.findByText(/Least time from the start of one game.*\(looser\)/);
  const saidOf = (term: HTMLElement) => term.nextElementSibling?.textContent?.replaceAll(/[\u2066-\u2069]/g, "").trim();
  expect(saidOf(cycle)).toBe("2.5 seconds → 0 seconds");
  expect(saidOf(screen.getByText(/and from 25 on, below 25 \(looser\)/))).toBe("₺2 → none");
  expect(saidOf(screen.getByText("newerRule (looser)"))).toBe("true → false");
});

test("the evidence speaks the language of the person, and keeps what it does not know", async () => {
  await opened(
    approval(
      "discrepancy.explain",
      "discrepancy:12",
      { number: 12, to: null, inSuspense: 0 },
      {
        evidence: [
          amount("machine says", 90_000),
          { label: "games", value: "50000 / –" },
          { label: "answers", value: "yes" },
        ],
      },
    ),
  );
  const evidence = (await screen.findByText("Where it comes from")).parentElement as HTMLElement;
  for (const words of ["The machine says", "₺900.00", "₺500.00 / –", "games", "The machine answers"])
    expect(evidence.textContent).toContain(words);
});

test("what is signed carries the hash of what was shown", async () => {
  const shown = approval("handPay.void", "slip:211", { number: 211 }, { amount: 211_200, evidence: [player] });
  const { called } = await opened(shown, { signApproval: () => ({ is: "done", result: {}, repeated: false }) });
  await happens();
  const panel = screen.getByRole("region", { name: "Void slip 211" });
  fireEvent.click(within(panel).getByRole("button", { name: "Approve" }));
  fireEvent.click(await screen.findByRole("button", { name: "Use your passkey" }));
  await waitFor(() =>
    expect(called.find(({ name }) => name === "signApproval")?.body).toMatchObject({ hash: shown.hash }),
  );
});
