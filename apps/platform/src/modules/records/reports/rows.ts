import type { PaytableSheet, ReportTransfer } from "@longarm/contract/staff-reports";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Head, ReportPeriod, Trx } from "./figures.ts";
import { headOf, reading } from "./figures.ts";

/* What the figures of a report are made of, row by row, and what people enter for them. */

type Page = ReportPeriod & { readonly after: string | undefined; readonly limit: number };

/** From when to when a period lasts; the end is not in it. */
const instants = ({ from, to }: ReportPeriod): { begins: RawBuilder<Date>; ends: RawBuilder<Date> } => ({
  begins: sql<Date>`business_day_begins(${from}::date)`,
  ends: sql<Date>`business_day_begins(${to}::date + 1)`,
});

/** When a period began and when it ends, by the database's clock. */
export async function periodInstants(db: Kysely<unknown>, period: ReportPeriod): Promise<{ from: Date; to: Date }> {
  const { begins, ends } = instants(period);
  const { rows } = await sql<{ from: Date; to: Date }>`select ${begins} as from, ${ends} as to`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("a statement without a table answers one row");
  return row;
}

/** What `read` answers of a period, with the head of a report of the same moment. */
export async function readOfPeriod<Result extends object>(
  db: Kysely<unknown>,
  { from, to }: ReportPeriod,
  read: (trx: Trx, instants: { readonly from: Date; readonly to: Date }) => Promise<Result>,
): Promise<Head & ReportPeriod & Result> {
  return await reading(db, async (trx) => ({
    ...(await headOf(trx)),
    ...{ from, to },
    ...(await read(trx, await periodInstants(trx, { from, to }))),
  }));
}

/**
 * Transfers of the ledger in a period, newest first: of a machine, or (null) those in which no machine has part. `seesPlayers`: with the players'
 * accounts by name.
 */
export async function listReportTransfers(
  db: Kysely<unknown>,
  {
    machine,
    seesPlayers,
    after,
    limit,
    ...period
  }: Page & { readonly machine: string | null; readonly seesPlayers: boolean },
): Promise<ReportTransfer[]> {
  const { begins, ends } = instants(period);
  const { rows } = await sql<Omit<ReportTransfer, "at"> & { at: Date }>`
    select t.id, t.created_at as at, t.kind, f.address as from, o.address as to, t.amount_minor as amount, t.corrects
    from ledger.transfers t join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
    left join ledger.transfers origin on origin.id = t.corrects
    where t.created_at >= ${begins} and t.created_at < ${ends}
      and report_machine(f.address, o.address, coalesce(origin.about, t.about)) = ${machine ?? ""}
      and ${after === undefined ? sql`true` : sql`(t.created_at, t.id) < (select created_at, id from ledger.transfers where id = ${after})`}
    order by t.created_at desc, t.id desc limit ${limit}`.execute(db);
  const shown = (address: string) => (seesPlayers ? address : address.replace(/^player:.*$/, "player"));
  return rows.map(({ at, from, to, ...row }) => ({ ...row, at: at.toISOString(), from: shown(from), to: shown(to) }));
}

export type NewSheet = {
  readonly machineId: string;
  /** The business day from which it is right. */
  readonly from: string;
  /** Hundredths of a percent of what is staked. */
  readonly hold: number;
  /** Standard deviation of what one game pays back, hundredths of its stake; null: the sheet does not say. */
  readonly spread: number | null;
  /** Who enters it, as the audit log names staff. */
  readonly by: string;
  readonly reason: string;
};

/** Enters a paytable sheet; a trigger writes the audit entry. */
export async function enterSheet(
  db: Kysely<unknown>,
  { machineId, from, hold, spread, by, reason }: NewSheet,
): Promise<void> {
  await sql`insert into paytable_sheet (machine_id, from_day, hold, spread, set_by, reason)
    values (${machineId}, ${from}::date, ${hold}, ${spread}, ${by.slice(0, 100)}, ${reason})`.execute(db);
}

/** All paytable sheets that were entered, or those of a machine, the newest first. */
export async function listSheets(
  db: Kysely<unknown>,
  { machine, limit }: { readonly machine?: string | undefined; readonly limit: number },
): Promise<PaytableSheet[]> {
  const { rows } = await sql<Omit<PaytableSheet, "machine" | "setAt"> & { id: string; name: string; setAt: Date }>`
    select m.id, coalesce(m.facts ->> 'name', m.id) as name, p.from_day::text as from, p.hold, p.spread, p.set_by as "setBy", p.set_at as "setAt", p.reason
    from paytable_sheet p join machine m on m.id = p.machine_id
    where ${machine === undefined ? sql`true` : sql`m.id = ${machine}`} order by p.id desc limit ${limit}`.execute(db);
  return rows.map(({ id, name, setAt, ...row }) => ({ machine: { id, name }, ...row, setAt: setAt.toISOString() }));
}

/** For queries of other rooms: what the machine of the column `id` keeps by its paytable today, hundredths of a percent; null: not known. */
export const holdToday = (id: string): RawBuilder<number | null> =>
  sql<
    number | null
  >`(select p.hold from paytable_sheet p where p.machine_id = ${sql.ref(id)} and p.from_day <= business_day(clock_timestamp())
    order by p.from_day desc, p.id desc limit 1)`;
