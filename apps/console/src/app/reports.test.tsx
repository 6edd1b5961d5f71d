import type { ReportFigures } from "@longarm/contract/staff-reports";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EVA, Refusal, scriptedConsole } from "./testing/scripted-console.tsx";

const WHEN = "2026-11-26T20:00:00.000Z";
const none = { rows: [], next: null, asOf: WHEN };

const figures = (part: Partial<ReportFigures> = {}): ReportFigures => ({
  ...{ games: 41_183, wagered: 148_260_000, machinePaid: 141_000_000, handPaid: 410_388, held: 6_849_612, hold: 462 },
  expected: { hold: 520, held: 7_709_520, variance: -859_908, band: { low: 380, high: 660 } },
  ...{ ledgerKept: 7_260_000, sessions: 318, seatedMs: 63, availableMs: 100 },
  ...{
    cashIn: 46_120_000,
    cashOut: 44_301_200,
    handPays: 0,
    jackpots: 0,
    cancelledCredits: 0,
    fees: 0,
    claims: 0,
    suspense: 0,
  },
  discrepancies: { found: 0, open: 0, amount: 0 },
  ...{ watchedMs: 0, watchersMost: 0, delay: null },
  venue: null,
  ...part,
});
const head = { timeZone: "Europe/Istanbul", dayBeginsMinutes: 360, asOf: WHEN, today: "2026-11-26" };
const report = (
  rows: object[],
  total: ReportFigures = figures({ venue: { deposits: 1, withdrawals: 0, bonuses: 640_000, discounts: 0 } }),
) => ({
  ...head,
  ...{ from: "2026-11-20", to: "2026-11-26", by: "brand", rows, total, before: figures({ wagered: 140_000_000 }) },
  brands: ["Kuzey", "Nar"],
  denominations: [1],
  sampleUntil: null as string | null,
});
const row = (key: string, part: Partial<ReportFigures> = {}) => ({ key, name: key, figures: figures(part) });
const hours = {
  ...head,
  ...{ from: "2026-11-20", to: "2026-11-26" },
  cells: [
    { weekday: 6, hour: 22, seatedMs: 90, availableMs: 100 },
    { weekday: 2, hour: 8, seatedMs: 10, availableMs: 100 },
  ],
};
const shifts = {
  ...head,
  ...{ from: "2026-11-20", to: "2026-11-26", rows: [], rowsAreMore: false },
  total: { shifts: 0, open: 0, cashIn: 0, cashOut: 0, difference: 0, short: 0, over: 0 },
};

const providers = (rows: object[]) => ({ ...head, ...{ from: "2026-11-20", to: "2026-11-26", rows } });
const nothing = { count: 0, amount: 0 };
const acme = {
  provider: "acme",
  deposits: {
    ...{ captured: { count: 3, amount: 75_000 }, refused: { count: 1, amount: 5_000 }, ended: nothing },
    ...{ reversed: nothing, chargedBack: { count: 1, amount: 25_000 }, underWay: { count: 2, amount: 9_900 } },
  },
  withdrawals: {
    ...{ paid: { count: 1, amount: 20_000 }, refused: nothing, ended: nothing, reversed: nothing, underWay: nothing },
  },
  account: { before: -100_000, byPayments: -30_000, other: 500, after: -129_500 },
  owed: 4_000,
};

/** Queries of calls are not in their bodies: the address that was requested is. */
const inside = {
  me: () => ({ ...EVA, permissions: ["report.see", "machine.configure", "floor.see"] }),
  approvals: () => none,
  floor: () => ({ ...none, rows: [] }),
  report: () => report([row("Nar"), row("Kuzey")]),
  reportHours: () => hours,
  reportShifts: () => shifts,
  reportProviders: () => providers([]),
  paytables: () => none,
};

beforeEach(() => history.replaceState(null, "", "/reports"));
afterEach(cleanup);

describe("the page Reports", () => {
  test("shows the totals, what they are compared with, and every row with its total", async () => {
    await scriptedConsole(inside);
    const totals = await screen.findByRole("region", { name: "Totals" });
    expect(totals.textContent).toContain("₺1,482,600.00");
    expect(totals.textContent).toContain("+5.9% to the period before");
    expect(totals.textContent).toContain("by paytable 5.20%");
    expect(totals.textContent).toContain("₺6,400.00");
    const table = await screen.findByRole("table");
    expect(within(table).getAllByRole("row")).toHaveLength(4);
    expect(within(table).getByRole("rowheader", { name: "All 2" })).toBeDefined();
    expect(screen.getByText(/^Until 23:00/)).toBeDefined();
  });

  test("opens the hold to how it comes about, and says whether ledger and chance agree", async () => {
    await scriptedConsole(inside);
    fireEvent.click(await screen.findByRole("button", { name: "4.62%" }));
    const proof = await screen.findByRole("dialog");
    expect(proof.textContent).toContain("How 4.62% comes about");
    expect(proof.textContent).toContain("agrees");
    expect(proof.textContent).toContain("Inside what chance allows: 3.80% to 6.60%");
  });

  test("says what is not known, never 0, and marks what differs or is outside of chance", async () => {
    const rows = [
      row("Nar", { expected: null }),
      row("Kuzey", { hold: 900, ledgerKept: 1, discrepancies: { found: 2, open: 1, amount: -5 } }),
    ];
    await scriptedConsole({
      ...inside,
      report: () => report(rows, figures({ expected: null, hold: null, wagered: 0 })),
    });
    const table = await screen.findByRole("table");
    expect(within(table).getByText("not known")).toBeDefined();
    const wrong = within(table).getByRole("row", { name: /^Kuzey/ });
    expect(wrong.textContent).toContain("1 discrepancy open");
    expect(wrong.textContent).toContain("ledger differs");
    expect(wrong.textContent).toContain("Outside what chance allows");
    const totals = screen.getByRole("region", { name: "Totals" });
    expect(totals.textContent).toContain("by paytable: not known");
  });

  test("shows how long and how many watched, and the delays that pages reported; a dash where there was nothing", async () => {
    const watched = { watchedMs: 5_430_000, watchersMost: 3, delay: { reports: 9, medianMs: 40, p95Ms: 1_000 } };
    await scriptedConsole({ ...inside, report: () => report([row("Nar", watched), row("Kuzey")]) });
    const table = await screen.findByRole("table");
    const lastCells = (name: RegExp) =>
      within(within(table).getByRole("row", { name }))
        .getAllByRole("cell")
        .slice(-3)
        .map(({ textContent }) => textContent);
    expect(lastCells(/^Nar/)).toEqual(["91", "3", "40 / 1,000"]);
    expect(lastCells(/^Kuzey/)).toEqual(["–", "–", "–"]);
    expect(within(table).getByRole("columnheader", { name: "Delay, ms" })).toBeDefined();
  });

  test("says that it shows sample days, and says nothing of them where there are none or they are before the period", async () => {
    let sampleUntil: string | null = "2026-11-25";
    await scriptedConsole({ ...inside, report: () => ({ ...inside.report(), sampleUntil }) });
    expect(await screen.findByText(/^Sample data until .*25/)).toBeDefined();
    sampleUntil = "2026-10-01";
    fireEvent.change(await screen.findByRole("combobox", { name: "By" }), { target: { value: "machine" } });
    await waitFor(() => expect(screen.queryByText(/^Sample data/)).toBeNull());
  });

  test("keeps period, group and filter in the address, and in what it downloads", async () => {
    await scriptedConsole(inside);
    fireEvent.click(await screen.findByRole("radio", { name: "Month" }));
    await waitFor(() => expect(location.search).toBe("?period=month"));
    fireEvent.change(await screen.findByRole("combobox", { name: "By" }), { target: { value: "machine" } });
    await waitFor(() => expect(location.search).toContain("by=machine"));
    fireEvent.change(screen.getByRole("combobox", { name: "Brand" }), { target: { value: "Nar" } });
    await waitFor(() => expect(location.search).toContain("brand=Nar"));
    fireEvent.click(screen.getByRole("button", { name: "Earlier" }));
    await waitFor(() => expect(location.search).toContain("day=2026-10-26"));
    const csv = await screen.findByRole("link", { name: "CSV" });
    const address = new URL((csv as HTMLAnchorElement).href);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      ...{ from: "2026-10-01", to: "2026-10-31", by: "machine", brand: "Nar", format: "csv", language: "en" },
    });
  });

  test("opens a brand to its machines, and a machine to its games and transfers", async () => {
    const machines = report([row("nar-01", { games: 7 })]);
    let reads = 0;
    await scriptedConsole({
      ...inside,
      report: () => {
        reads += 1;
        return reads > 2 ? machines : report([row("Nar")]);
      },
      reportGames: () => ({
        ...none,
        rows: [
          {
            ...{ number: 12, startedAt: WHEN, endedAt: WHEN, player: null },
            ...{ stake: 100, win: 250, handPaid: 0, creditBefore: 0, creditAfter: 150 },
          },
        ],
      }),
      reportTransfers: () => ({
        ...none,
        rows: [
          { id: "t1", at: WHEN, kind: "cashIn", from: "player", to: "machine:nar-01", amount: 500, corrects: null },
        ],
      }),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Nar" }));
    fireEvent.click(await screen.findByRole("button", { name: "nar-01" }));
    const sheet = await screen.findByRole("dialog");
    expect(await within(sheet).findByText("12")).toBeDefined();
    fireEvent.click(within(sheet).getByRole("radio", { name: "Transfers" }));
    expect(await within(sheet).findByText("machine:nar-01")).toBeDefined();
  });

  test("can be read without its charts: a sentence, and a table", async () => {
    await scriptedConsole(inside);
    const heat = await screen.findByRole("img", { name: /^Fullest on Sat at 22: 90%/ });
    expect(heat).toBeDefined();
    for (const toggle of screen.getAllByRole("button", { name: "As table" })) fireEvent.click(toggle);
    expect(screen.queryByRole("img", { name: /^Fullest/ })).toBeNull();
    expect(screen.getByRole("rowheader", { name: "Sat" })).toBeDefined();
  });

  test("says that it could not be loaded, panel by panel, and tries again", async () => {
    let works = false;
    await scriptedConsole({
      ...inside,
      reportShifts: () => (works ? shifts : new Refusal("request.failed")),
    });
    const again = await screen.findByRole("button", { name: "Try again" }, { timeout: 30_000 });
    expect(await screen.findByRole("region", { name: "Totals" })).toBeDefined();
    works = true;
    fireEvent.click(again);
    expect(await screen.findByText("No shift was opened in this period")).toBeDefined();
  });

  test("shows payments by provider beside the provider's account, marks what went back, and has them as a file", async () => {
    await scriptedConsole({ ...inside, reportProviders: () => providers([acme]) });
    const panel = await screen.findByRole("region", { name: "Payments by provider" });
    const cells = async (table: string, name: RegExp) =>
      within(within(await within(panel).findByRole("table", { name: table })).getByRole("row", { name }))
        .getAllByRole("cell")
        .map(({ textContent }) => textContent);
    expect(await cells("Payments by provider", /^acme: deposits/)).toEqual([
      ...["₺750.00 × 3", "₺50.00 × 1", "–", "–", "₺250.00 × 1", "₺99.00 × 2"],
    ]);
    expect(await cells("Payments by provider", /^acme: withdrawals/)).toEqual(["₺200.00 × 1", "–", "–", "–", "–", "–"]);
    expect(await cells("The providers’ accounts in the ledger", /^acme/)).toEqual([
      ...["−₺1,000.00", "−₺300.00", "+₺5.00", "−₺1,295.00", "₺40.00"],
    ]);
    const deposits = within(panel).getByRole("row", { name: /^acme: deposits/ });
    expect(
      within(deposits)
        .getAllByRole("cell")
        .map(({ dataset }) => dataset["outside"]),
    ).toEqual([...[undefined, undefined, undefined, undefined, "true", undefined]]);
    const file = within(panel).getByRole("link", { name: "CSV: Payments by provider" }) as HTMLAnchorElement;
    const { pathname, searchParams } = new URL(file.href);
    expect(pathname).toBe("/staff/v1/reports/file");
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ of: "providers", from: "2026-11-20", to: "2026-11-26", format: "csv", language: "en" },
    });
  });

  test("says that no payment went through a provider, and that their sums could not be loaded", async () => {
    let works = false;
    await scriptedConsole({
      ...inside,
      reportProviders: () => (works ? providers([]) : new Refusal("request.failed")),
    });
    const panel = await screen.findByRole("region", { name: "Payments by provider" });
    const again = await within(panel).findByRole("button", { name: "Try again" }, { timeout: 30_000 });
    works = true;
    fireEvent.click(again);
    expect(await within(panel).findByText("No payment went through a provider")).toBeDefined();
  });

  test("shows a technician the paytable sheets alone", async () => {
    const { called } = await scriptedConsole({ ...inside, me: () => ({ ...EVA, permissions: ["machine.configure"] }) });
    expect(await screen.findByRole("button", { name: "Enter a sheet" })).toBeDefined();
    expect(called.some(({ name }) => name === "report")).toBe(false);
  });
});

test("what a sheet says is read in hundredths, and refused when it is no number", async () => {
  const { hundredthsIn } = await import("../features/reports/paytables.tsx");
  expect(["5.20", "5,2", "5", "0.05"].map(hundredthsIn)).toEqual([520, 520, 500, 5]);
  expect(["", "5.205", "-5", "1e3", "5 %", "1.000,5"].map(hundredthsIn)).toEqual(Array(6).fill(undefined));
});
