import type { Report, ReportFigures, ReportRow } from "@longarm/contract/staff-reports";
import { csvLine } from "../../../csv.ts";
import type { FileColumn, FileLanguage } from "./file-words.ts";
import { FILE_WORDS } from "./file-words.ts";

/* A report as a table: what its files show. */

/** A cell: a word, a number, or null where the figure is not known. */
export type Cell = string | number | null;

const money = (minor: number | undefined): number | null => (minor === undefined ? null : minor / 100);
const percent = (hundredths: number | null | undefined): number | null =>
  hundredths === null || hundredths === undefined ? null : hundredths / 100;

/** What each column shows, amounts in the currency and shares in percent. The order is that of a file. */
const COLUMNS: Readonly<Record<FileColumn, (figures: ReportFigures) => number | null>> = {
  games: ({ games }) => games,
  wagered: ({ wagered }) => money(wagered),
  machinePaid: ({ machinePaid }) => money(machinePaid),
  handPaid: ({ handPaid }) => money(handPaid),
  held: ({ held }) => money(held),
  hold: ({ hold }) => percent(hold),
  expectedHold: ({ expected }) => percent(expected?.hold),
  variance: ({ expected }) => money(expected?.variance),
  bandLow: ({ expected }) => percent(expected?.band?.low),
  bandHigh: ({ expected }) => percent(expected?.band?.high),
  ledgerKept: ({ ledgerKept }) => money(ledgerKept),
  sessions: ({ sessions }) => sessions,
  occupancy: ({ seatedMs, availableMs }) =>
    availableMs === 0 ? null : Math.round((seatedMs / availableMs) * 1_000) / 10,
  cashIn: ({ cashIn }) => money(cashIn),
  cashOut: ({ cashOut }) => money(cashOut),
  handPays: ({ handPays }) => money(handPays),
  jackpots: ({ jackpots }) => money(jackpots),
  cancelledCredits: ({ cancelledCredits }) => money(cancelledCredits),
  fees: ({ fees }) => money(fees),
  claims: ({ claims }) => money(claims),
  suspense: ({ suspense }) => money(suspense),
  discrepancies: ({ discrepancies }) => discrepancies.found,
  deposits: ({ venue }) => money(venue?.deposits),
  withdrawals: ({ venue }) => money(venue?.withdrawals),
  bonuses: ({ venue }) => money(venue?.bonuses),
  discounts: ({ venue }) => money(venue?.discounts),
  watchedMinutes: ({ watchedMs }) => Math.round(watchedMs / 60_000),
  watchersMost: ({ watchersMost }) => watchersMost,
  delayMedian: ({ delay }) => delay?.medianMs ?? null,
  delayP95: ({ delay }) => delay?.p95Ms ?? null,
};
export const ALL_COLUMNS = Object.keys(COLUMNS) as readonly FileColumn[];

export type FileAbout = {
  readonly language: FileLanguage;
  readonly venue: string;
  /** Of the program. */
  readonly version: string;
  /** Who makes it. */
  readonly person: string;
  /** What the report is about, where that is not everything: a brand, a machine, a denomination. */
  readonly filter: string | null;
};

/** The name of a row: of a denomination its amount. */
export const rowName = (by: Report["by"], { name }: Pick<ReportRow, "name">): string =>
  by === "denomination" ? (Number(name) / 100).toFixed(2) : name;

/** A row's cells in these columns. */
export const cellsOf = (figures: ReportFigures, columns: readonly FileColumn[]): Cell[] =>
  columns.map((column) => COLUMNS[column](figures));

/** Marks the file as UTF-8 for every spreadsheet: without it Excel reads Turkish letters as others. */
export const BYTE_ORDER_MARK = "\uFEFF";
export const LINE_END = "\r\n";

/**
 * A report as CSV by RFC 4180, line by line: a byte order mark, one heading, a row for each group, the total, and a last line with filter, time and
 * person. Amounts are decimals, an unknown figure is empty, names that a spreadsheet would read as a formula are made harmless.
 */
export function* csvOf(report: Report, about: FileAbout): Generator<string> {
  const words = FILE_WORDS[about.language];
  yield BYTE_ORDER_MARK + csvLine([words.group[report.by], ...ALL_COLUMNS.map((column) => words[column])]) + LINE_END;
  for (const row of report.rows)
    yield csvLine([rowName(report.by, row), ...cellsOf(row.figures, ALL_COLUMNS)]) + LINE_END;
  yield csvLine([words.total, ...cellsOf(report.total, ALL_COLUMNS)]) + LINE_END;
  const filter = about.filter === null ? [] : [words.filter, about.filter];
  const sample = report.sampleUntil === null ? [] : [words.sample, report.sampleUntil];
  yield csvLine([
    ...[about.venue, words.period, report.from, report.to, ...filter, ...sample],
    ...[words.made, report.asOf, about.person, `Longarm ${about.version}`],
  ]) + LINE_END;
}
