import type { Kysely } from "kysely";
import { sql } from "kysely";

/** Where a venue's business day begins. */
export type BusinessDayRule = {
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight. */
  readonly dayBeginsMinutes: number;
};

/** How long it may take to make all sums of many years again, ms. The connection must allow as much. */
export const REBUILD_MS_MAX = 3_600_000;

/**
 * Makes the business day of the settings that of the sums. Where it changed, all sums are made again first, which takes up to two minutes for a million games.
 */
export async function settleBusinessDay(
  db: Kysely<unknown>,
  { timeZone, dayBeginsMinutes }: BusinessDayRule,
  log: { info(fields: object, text: string): void },
): Promise<void> {
  const { rows } = await sql<{ isNew: boolean }>`
    select set_business_day(${timeZone}, ${dayBeginsMinutes}) as "isNew"`.execute(db);
  if (rows[0]?.isNew === true)
    log.info({ timeZone, dayBeginsMinutes }, "the business day begins at another time: the reports are made again");
}

/** Makes all sums again from games, ledger and play sessions. Who books meanwhile waits. */
export async function rebuildReports(db: Kysely<unknown>): Promise<void> {
  await sql`select rebuild_reports()`.execute(db);
}

/** A sum that is not what it is made of. */
export type ReportBreach = { readonly rollUp: string; readonly subject: string; readonly detail: string };

/** Compares every sum exactly with games, ledger and play sessions, in one snapshot. Empty: all of them agree. */
export async function proveReports(db: Kysely<unknown>): Promise<readonly ReportBreach[]> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      await sql`select set_config('statement_timeout', ${String(REBUILD_MS_MAX)}, true)`.execute(trx);
      const { rows } = await sql<ReportBreach>`
        select roll_up as "rollUp", subject, detail from report_breaches()`.execute(trx);
      return rows;
    });
}
