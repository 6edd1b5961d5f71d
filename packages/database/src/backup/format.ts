import * as z from "zod/mini";

/*
 * A backup file is one plain line, then a Zstandard stream of lines:
 *
 *   LONGARM BACKUP 1 zstd
 *   {"format":1,…}                     the head: when, migrations, tables, sequences
 *   {"table":"ledger.accounts"}        for each table of the head, in its order
 *   1\thouse\t-500\t0\t3               its rows as PostgreSQL's COPY writes them (text format)
 *   \.
 *   {"rows":1,"sha256":…,"fingerprint":…}
 *   {"end":true,"rows":1,"sha256":…}   SHA-256 of every byte of the stream before this line
 *
 * `tail -c +23 file | zstd -dc` shows it to people.
 */

/** Raised when the file changes its meaning. */
export const BACKUP_FORMAT = 1;
export const FIRST_LINE = `LONGARM BACKUP ${BACKUP_FORMAT} zstd\n`;
/** Ends the rows of a table; no row of COPY's text format can look like it. */
export const END_OF_ROWS = "\n\\.\n";
/** A line of JSON is never longer, bytes; a file with a longer one was not made by us. */
export const LINE_BYTES_MAX = 4 * 1024 * 1024;

/** Of a table, a column or a sequence. People read it on a terminal, so it has nothing but what ours have. */
const name = z.string().check(z.regex(/^[a-z_][a-z0-9_]{0,62}$/));
const count = z.int().check(z.gte(0));
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const TableHead = z.object({ schema: name, name, columns: z.array(name) });
export type TableHead = z.infer<typeof TableHead>;

const SequenceHead = z.object({
  schema: name,
  name,
  /** The value given last; null: no value was given yet. */
  value: z.nullable(z.string().check(z.regex(/^-?\d{1,19}$/))),
});
export type SequenceHead = z.infer<typeof SequenceHead>;

const AppliedMigration = z.object({ set: z.string(), number: z.int().check(z.gte(1)), name: z.string(), sha256 });
export type AppliedMigration = z.infer<typeof AppliedMigration>;

export const BackupHead = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** The moment of the snapshot, by the database's clock (ISO 8601). */
  takenAt: z.string().check(z.regex(/^[0-9TZ:.+-]{1,40}$/)),
  /** The server it was taken from, `18.4`. */
  server: z.string().check(z.regex(/^[ -~]{1,100}$/)),
  migrations: z.array(AppliedMigration),
  tables: z.array(TableHead),
  sequences: z.array(SequenceHead),
  /** What the program that owns the tables says of them; it compares it after a restore. */
  about: z.record(z.string(), z.unknown()),
});
export type BackupHead = z.infer<typeof BackupHead>;

export const TableBegin = z.object({ table: z.string() });
export const TableEnd = z.object({
  rows: count,
  /** Of its rows as the file has them. */
  sha256,
  /** Sum over its rows that does not depend on their order, made by the database (`fingerprintOf`). */
  fingerprint: z.string().check(z.regex(/^-?\d{1,40}$/)),
});
export type TableEnd = z.infer<typeof TableEnd>;
export const BackupEnd = z.object({ end: z.literal(true), rows: count, sha256 });
export type BackupEnd = z.infer<typeof BackupEnd>;

/** The file cannot be written, read or restored. The message is one sentence that says what is wrong. */
export class BackupProblem extends Error {
  override readonly name = "BackupProblem";
}

export const tableName = (table: Pick<TableHead, "schema" | "name">): string => `${table.schema}.${table.name}`;
