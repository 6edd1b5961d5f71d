import type { Kysely } from "kysely";
import { sql } from "kysely";
import { cleanObject, cleanText } from "./clean.ts";
import type { AuditType } from "./types.ts";

/** Anything that can be queried: a Kysely, or the transaction of the caller. */
// biome-ignore lint/suspicious/noExplicitAny: the tables of the caller do not matter here, and Kysely is invariant in them.
export type AuditSource = Kysely<any>;

/** One thing that happened. Values may come from anybody: they are cut, cleaned and rid of secrets on the way in. */
export type AuditEntry = {
  readonly type: AuditType;
  /** Who did it: `player:p_…`, `staff:eva`, `agent:ag_…`, `node:main`, `visitor`, `platform`. */
  readonly actor: string;
  /** To whom or what: `player:p_…`, `machine:nar-01`, `agent:…`, `node:…`, `transfer:…`. */
  readonly subject?: string;
  /** The address it was asked from. */
  readonly address?: string;
  /** What a changed element was, and what it is now. */
  readonly before?: object;
  readonly after?: object;
  /** Everything else worth knowing. Amounts in minor units. */
  readonly facts?: object;
};

/** The append-only, hash-chained record of what happened (docs/decisions/0081). */
export interface Audit {
  /** The same log inside the caller's transaction: the entry is kept if, and only if, everything else in there is. */
  within(transaction: AuditSource): Audit;
  /** Writes one entry. @throws what the database throws. */
  write(entry: AuditEntry): Promise<void>;
  /**
   * Says who acts in the rest of the caller's transaction, for entries that rows write by themselves: `staff:eva`. Only of use with
   * `within`; it ends with the transaction.
   */
  actAs(actor: string): Promise<void>;
}

/**
 * Opens the audit log on a database that has the `audit` migrations.
 * @param from which node writes (`NODE_ID`), or which program.
 */
export function openAudit(db: AuditSource, from: string): Audit {
  const source = cleanText(from, 100) || "unnamed";
  return {
    within: (transaction) => openAudit(transaction, from),
    async write({ type, actor, subject, address, before, after, facts }) {
      await sql`insert into audit.entries (source, type, actor, subject, address, before, after, facts) values (
        ${source}, ${type}, ${cleanText(actor, 200) || "unnamed"}, ${optional(subject, 200)}, ${optional(address, 100)},
        ${json(before)}::jsonb, ${json(after)}::jsonb, ${json(facts ?? {})}::jsonb)`.execute(db);
    },
    async actAs(actor) {
      await sql`select set_config('longarm.actor', ${cleanText(actor, 200)}, true), set_config('longarm.source', ${source}, true)`.execute(
        db,
      );
    },
  };
}

const optional = (text: string | undefined, most: number): string | null =>
  text === undefined ? null : cleanText(text, most) || null;

const json = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(cleanObject(value));
