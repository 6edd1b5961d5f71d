import type { Kysely } from "kysely";
import { sql } from "kysely";
import { UsageProblem } from "../command.ts";

/** A time to come: so long from now, or an instant. */
export type ToCome = { readonly inMs: number } | { readonly at: Date };

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LAST = Date.parse("2100-01-01T00:00:00Z");

/**
 * Reads `30m`, `2h`, `7d`, a day (`2026-12-31`: from its beginning, UTC) or an instant (`2026-12-31T18:00Z`).
 * @throws UsageProblem.
 */
export function readToCome(option: string, text: string): ToCome {
  const [, number, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (number !== undefined && Number(number) > 0) return { inMs: Number(number) * (UNITS[unit ?? ""] ?? 0) };
  const at = readInstant(text);
  if (at !== undefined && at.getTime() < LAST) return { at };
  throw new UsageProblem(
    `--${option} must be like 30m, 2h, 7d, 2026-12-31 or 2026-12-31T18:00Z, not "${text.slice(0, 40)}".`,
  );
}

/** Reads a day or an instant, UTC. @throws UsageProblem. */
export function readPast(option: string, text: string): Date {
  const at = readInstant(text);
  if (at !== undefined) return at;
  throw new UsageProblem(`--${option} must be like 2026-01-31 or 2026-01-31T18:00Z, not "${text.slice(0, 40)}".`);
}

function readInstant(text: string): Date | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)Z)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const at = new Date(`${day}T${time ?? "00:00"}Z`);
  // A 31st of February would be taken for a day of March.
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day ? undefined : at;
}

/** Now, by the database's clock. */
export async function databaseTime(db: Kysely<unknown>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? new Date(Number.NaN);
}

/** The instant of a time to come. @throws UsageProblem when it is not to come. */
export async function instantOf(db: Kysely<unknown>, option: string, toCome: ToCome): Promise<Date> {
  const now = await databaseTime(db);
  const at = "at" in toCome ? toCome.at : new Date(now.getTime() + toCome.inMs);
  if (at > now) return at;
  throw new UsageProblem(`--${option} is over: it is ${now.toISOString().slice(0, 16)}Z now.`);
}
