import type { ProviderReport, Report, ReportFileQuery } from "@longarm/contract/staff-reports";
import { REPORT_DAYS_MAX, REPORT_ROWS_DAYS_MAX } from "@longarm/contract/staff-reports";
import type { Kysely } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import { readProviderSums } from "../../payments/book/index.ts";
import { machineExists } from "../../play/machines.ts";
import type { FileAbout, NewSheet, ReportFilter, ReportPeriod, ReportWanted } from "../../records/reports/index.ts";
import {
  businessDayNow,
  csvOf,
  enterSheet,
  pdfOf,
  providersCsv,
  readOfPeriod,
  readReport,
} from "../../records/reports/index.ts";
import { Refused } from "../sign-in/index.ts";

const DAY_MS = 86_400_000;

/** How many business days a period has. */
const daysIn = ({ from, to }: ReportPeriod): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;

/**
 * A period that a report may be about: whole, at most `max` days, and not before the year 2000 or after 2200.
 * @throws Refused `request.invalid`.
 */
export function checkReportPeriod(period: ReportPeriod, max: number = REPORT_DAYS_MAX): void {
  const isKnown = (day: string) => /^2[01]\d\d-/.test(day);
  if (!isKnown(period.from) || daysIn(period) < 1) throw new Refused("request.invalid", { where: "from" });
  if (!isKnown(period.to) || daysIn(period) > max) throw new Refused("request.invalid", { where: "to" });
}

/** A period whose rows are listed one by one. @throws Refused `request.invalid`. */
export const checkRowsPeriod = (period: ReportPeriod): void => checkReportPeriod(period, REPORT_ROWS_DAYS_MAX);

/** Makes a report of a period. @throws Refused `request.invalid`: the period is none, or too long. */
export async function makeReport(db: Kysely<unknown>, wanted: ReportWanted): Promise<Report> {
  checkReportPeriod(wanted);
  return await readReport(db, wanted);
}

/**
 * What became of payments through providers in a period.
 * @throws Refused `request.invalid`: the period is none, or too long.
 */
export async function makeProviderReport(db: Kysely<unknown>, period: ReportPeriod): Promise<ProviderReport> {
  checkRowsPeriod(period);
  return await readOfPeriod(db, period, async (trx, instants) => ({
    rows: await readProviderSums(trx as AnyDb, instants),
  }));
}

type FileFormat = ReportFileQuery["format"];
type ReportFile = {
  readonly name: string;
  readonly type: string;
  readonly content: Iterable<string> | AsyncIterable<Uint8Array>;
};
const CSV = "text/csv; charset=utf-8";

/** What a file is about, in words; null: everything. */
function filterText({ brand, machine, denomination }: ReportFilter): string | null {
  const parts = [brand, machine, denomination === undefined ? undefined : (denomination / 100).toFixed(2)];
  return parts.filter((part) => part !== undefined).join(" · ") || null;
}

/** A report as a file: its name, its type, and its content as a stream. @throws Refused `request.invalid`. */
export async function makeReportFile(
  db: Kysely<unknown>,
  { format, ...wanted }: ReportWanted & { readonly format: FileFormat },
  about: Omit<FileAbout, "filter">,
): Promise<ReportFile> {
  const report = await makeReport(db, wanted);
  const whole = { ...about, filter: filterText(wanted) };
  const name = `longarm-report-${wanted.by}-${wanted.from}-${wanted.to}.${format}`;
  return format === "csv"
    ? { name, type: CSV, content: csvOf(report, whole) }
    : { name, type: "application/pdf", content: await pdfOf(report, whole) };
}

/** The report of payments through providers as a CSV file. @throws Refused `request.invalid`. */
export async function makeProviderFile(
  db: Kysely<unknown>,
  period: ReportPeriod,
  about: Omit<FileAbout, "filter">,
): Promise<ReportFile> {
  const report = await makeProviderReport(db, period);
  return {
    ...{ name: `longarm-report-providers-${period.from}-${period.to}.csv`, type: CSV },
    content: providersCsv(report, { ...about, filter: null }),
  };
}

/**
 * A sheet that may be entered: of a machine of the floor, and from a day that is not yet to come, because a sheet is a fact of the machine.
 * @throws Refused.
 */
export async function checkPaytable(
  trx: Kysely<unknown>,
  { machineId, from }: Pick<NewSheet, "machineId" | "from">,
): Promise<void> {
  if (!(await machineExists(trx, machineId))) throw new Refused("thing.unknown", { kind: "machine" });
  checkReportPeriod({ from, to: from });
  if (from > (await businessDayNow(trx)))
    throw new Refused("act.refused", { sentence: "The sheet begins on a day to come: enter it on that day." });
}

/** Enters what a machine's paytable sheet says. @throws Refused. */
export async function enterPaytable(trx: Kysely<unknown>, sheet: NewSheet): Promise<void> {
  await checkPaytable(trx, sheet);
  await enterSheet(trx, sheet);
}
