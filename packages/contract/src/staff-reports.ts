import * as z from "zod/mini";
import { WireId } from "./ids.ts";
import type { StaffCall } from "./staff-call.ts";
import { actAnswer, actBody, Day, lineOf, listOf, MachineRef, page, Reason, When } from "./staff-call.ts";
import { GameRow } from "./staff-floor.ts";
import { Shift } from "./staff-money.ts";

/** What one row of a report is about. Brand and denomination are those that a machine has now. */
export const REPORT_GROUPS = ["machine", "brand", "denomination", "day", "month", "year"] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];

/** The longest period of one report, business days: ten years. */
export const REPORT_DAYS_MAX = 3_660;
/** The longest period whose rows are listed one by one, business days. */
export const REPORT_ROWS_DAYS_MAX = 366;

/**
 * Upper bounds of the buckets in which reported delays are counted, ms. Sums of years are kept in them: never change one, a finer set needs a table of
 * its own.
 */
export const DELAY_BOUNDS_MS = [
  20, 40, 60, 80, 100, 125, 150, 175, 200, 250, 300, 400, 500, 750, 1_000, 2_000, 5_000, 10_000,
] as const;

/** A sum in minor units. */
const Sum = z.int();
/** Hundredths of a percent. */
const Hundredths = z.int();

/**
 * What was played, paid and moved. A day is a business day of the venue. What is booked counts on the day on which it was booked, so a day that is
 * over does not change.
 */
export const ReportFigures = z.object({
  games: z.int(),
  /** Minor units that were staked. */
  wagered: Sum,
  /** Won and paid to credit meters. */
  machinePaid: Sum,
  /** Won and left to be paid by hand. */
  handPaid: Sum,
  /** `wagered` less everything that was won. */
  held: Sum,
  /** `held` in hundredths of a percent of `wagered`. Null: nothing was staked. */
  hold: z.nullable(Hundredths),
  /** Null: a machine with games of it has no paytable sheet for its days, or nothing was staked. Never 0 for that. */
  expected: z.nullable(
    z.object({
      /** The machines' holds by their sheets, each by its share of `wagered`, hundredths of a percent. */
      hold: Hundredths,
      /** The money that it comes to, and what was really held beyond it (below zero: less). */
      held: Sum,
      variance: Sum,
      /** In 95 of 100 such periods chance alone leaves the hold in here. Null: a sheet says no spread. */
      band: z.nullable(z.object({ low: Hundredths, high: Hundredths })),
    }),
  ),
  /** By the ledger, of the same games: `wagered` less `machinePaid`. Other than that, somebody must look. */
  ledgerKept: Sum,
  sessions: z.int(),
  /** How long seats were taken, ms, and how long there were machines to sit at. */
  seatedMs: z.int(),
  availableMs: z.int(),
  cashIn: Sum,
  cashOut: Sum,
  /** Paid by hand: wins, jackpots, credits that machines cancelled. */
  handPays: Sum,
  jackpots: Sum,
  cancelledCredits: Sum,
  /** What players paid for services, as for a held seat. */
  fees: Sum,
  /** Paid for claims of players that were right. */
  claims: Sum,
  /** Moved to suspense, less what was explained. */
  suspense: Sum,
  /** Discrepancies between machine and ledger that were found, how many of them are not explained yet, and the machine's amount less the ledger's. */
  discrepancies: z.object({ found: z.int(), open: z.int(), amount: Sum }),
  /** How long spectators watched, ms, all of them added up, and the most that watched one machine at once. The last minute may be missing. */
  watchedMs: z.int(),
  watchersMost: z.int(),
  /**
   * Glass to glass as the pages of seated players reported it: half of the reports, and 95 of 100, are not above so many ms. Each is the upper bound of
   * a bucket of `DELAY_BOUNDS_MS`, never below the true value. Null: no page reported.
   */
  delay: z.nullable(z.object({ reports: z.int(), medianMs: z.int(), p95Ms: z.int() })),
  /** Of the venue, where no machine has part in it. Null: the row is about machines. */
  venue: z.nullable(z.object({ deposits: Sum, withdrawals: Sum, bonuses: Sum, discounts: Sum })),
});
export type ReportFigures = z.infer<typeof ReportFigures>;

export const ReportRow = z.object({
  /** Id of a machine, brand's name, minor units of a denomination, `2026-11-26`, `2026-11` or `2026`. */
  key: z.string(),
  name: z.string(),
  figures: ReportFigures,
});
export type ReportRow = z.infer<typeof ReportRow>;

/** Query texts become numbers. */
const filter = {
  brand: z.optional(lineOf(100)),
  machine: z.optional(WireId),
  /** Minor units of one credit. */
  denomination: z.optional(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(1_000_000_000))),
};
/** Both days are part of it. */
const period = { from: Day, to: Day };
export const ReportQuery = z.strictObject({ ...period, ...filter, by: z.enum(REPORT_GROUPS) });

const Period = z.object({
  from: Day,
  to: Day,
  timeZone: z.string(),
  dayBeginsMinutes: z.int(),
  asOf: When,
  /** The business day that runs now. */
  today: Day,
});
export const Report = z.object({
  ...Period.shape,
  by: z.enum(REPORT_GROUPS),
  rows: z.array(ReportRow),
  total: ReportFigures,
  /** The same number of days just before. */
  before: ReportFigures,
  /** Every brand and denomination (minor units) of the floor, to choose from. */
  brands: z.array(z.string()),
  denominations: z.array(z.int()),
  /** The newest business day of a history that no player made: that of a demonstration floor. Null: there is none, as in every production. */
  sampleUntil: z.nullable(Day),
});
export type Report = z.infer<typeof Report>;

/** How full the floor was: one cell for each hour of each day of the week. */
export const ReportHours = z.object({
  ...Period.shape,
  cells: z.array(
    z.object({
      /** 1 Monday to 7 Sunday, of the business day. */
      weekday: z.int().check(z.gte(1), z.lte(7)),
      /** Of the venue's clock. */
      hour: z.int().check(z.gte(0), z.lte(23)),
      seatedMs: z.int(),
      availableMs: z.int(),
    }),
  ),
});
export type ReportHours = z.infer<typeof ReportHours>;

/** A transfer of the ledger that a figure is made of. */
export const ReportTransfer = z.object({
  id: z.string(),
  at: When,
  kind: z.string(),
  from: z.string(),
  to: z.string(),
  amount: z.int(),
  /** The transfer that it corrects. */
  corrects: z.nullable(z.string()),
});

export type ReportTransfer = z.infer<typeof ReportTransfer>;

/** Cashier shifts that were opened in the period. Sums are of closed shifts: an open one is counted blind. */
export const ShiftReport = z.object({
  ...Period.shape,
  rows: z.array(z.object({ ...Shift.shape, receipts: z.int() })),
  rowsAreMore: z.boolean(),
  total: z.object({
    shifts: z.int(),
    open: z.int(),
    cashIn: Sum,
    cashOut: Sum,
    difference: Sum,
    short: z.int(),
    over: z.int(),
  }),
});

/** Payments, and what they come to in minor units. */
const PaymentSum = z.object({ count: z.int(), amount: Sum });
export type PaymentSum = z.infer<typeof PaymentSum>;

/**
 * What became of the payments of one provider. A payment counts on the day on which it came into a state, so one that was captured and charged back later
 * counts on both days.
 */
const ProviderSums = z.object({
  provider: z.string(),
  deposits: z.object({
    /** In the wallet. */
    captured: PaymentSum,
    /** By the provider, the platform's rules or staff. */
    refused: PaymentSum,
    /** Cancelled, expired, or given back before it was booked. */
    ended: PaymentSum,
    /** Went back after it was booked. */
    reversed: PaymentSum,
    chargedBack: PaymentSum,
    /** Not decided at the end of the period, or now. */
    underWay: PaymentSum,
  }),
  withdrawals: z.object({
    paid: PaymentSum,
    /** By staff, or by the provider before it paid. */
    refused: PaymentSum,
    ended: PaymentSum,
    /** The bank sent it back after it was paid. */
    reversed: PaymentSum,
    underWay: PaymentSum,
  }),
  /** The provider's account in the ledger. It is below zero where more came in than went out. */
  account: z.object({
    /** When the period began, and at its end or now. */
    before: Sum,
    after: Sum,
    /** What the payments of the period come to: withdrawals less deposits. */
    byPayments: Sum,
    /** What else was booked: corrections by hand. */
    other: Sum,
  }),
  /** What players owe at the end, because wallets did not have what went back. */
  owed: Sum,
});
export type ProviderSums = z.infer<typeof ProviderSums>;

export const ProviderReport = z.object({ ...Period.shape, rows: z.array(ProviderSums) });
export type ProviderReport = z.infer<typeof ProviderReport>;

export const PaytableSheet = z.object({
  machine: MachineRef,
  from: Day,
  hold: Hundredths,
  spread: z.nullable(z.int()),
  setBy: z.string(),
  setAt: When,
  reason: z.string(),
});
export type PaytableSheet = z.infer<typeof PaytableSheet>;

export const REPORT_FORMATS = ["csv", "pdf"] as const;
/** A file in place of JSON: `text/csv` or `application/pdf`. Each one is an entry of the audit log. */
export const REPORT_FILE_PATH = "reports/file";
const language = z.enum(["tr", "en", "ar"]);
/** `of`: which report it is; without it that of machines. */
export const ReportFileQuery = z.union([
  z.strictObject({ ...ReportQuery._zod.def.shape, format: z.enum(REPORT_FORMATS), language }),
  z.strictObject({ of: z.literal("providers"), ...period, format: z.literal("csv"), language }),
]);
export type ReportFileQuery = z.infer<typeof ReportFileQuery>;

/** Reports, what their figures are made of, and paytable sheets. */
export const reportCalls = {
  report: { method: "GET", path: "reports", query: ReportQuery, answer: Report, for: "report.see" },
  reportHours: {
    method: "GET",
    path: "reports/hours",
    query: z.strictObject({ ...period, ...filter }),
    answer: ReportHours,
    for: "report.see",
  },
  /** Games of a machine that were booked in the period, newest first. */
  reportGames: {
    method: "GET",
    path: "reports/games",
    query: z.strictObject({ ...period, ...page, machine: WireId }),
    answer: listOf(GameRow),
    for: "report.see",
  },
  /** Transfers of the ledger in the period, newest first; of a machine, or those in which no machine has part. */
  reportTransfers: {
    method: "GET",
    path: "reports/transfers",
    query: z.strictObject({ ...period, ...page, machine: z.optional(WireId) }),
    answer: listOf(ReportTransfer),
    for: "report.see",
  },
  reportShifts: {
    method: "GET",
    path: "reports/shifts",
    query: z.strictObject(period),
    answer: ShiftReport,
    for: "report.see",
  },
  /** Payments by the provider that they went through, and the providers' accounts. */
  reportProviders: {
    method: "GET",
    path: "reports/providers",
    query: z.strictObject(period),
    answer: ProviderReport,
    for: "report.see",
  },
  paytables: {
    method: "GET",
    path: "paytables",
    answer: listOf(PaytableSheet),
    for: ["report.see", "machine.configure"],
  },
  /** Enters what a machine's paytable sheet says, from a business day on. A second person signs it. */
  setPaytable: {
    method: "POST",
    path: "machines/{id}/paytable",
    body: actBody({
      from: Day,
      hold: z.int().check(z.gte(0), z.lte(10_000)),
      spread: z.nullable(z.int().check(z.gte(1), z.lte(10_000_000))),
      reason: Reason,
    }),
    answer: actAnswer(z.object({})),
    for: "machine.configure",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;
