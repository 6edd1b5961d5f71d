import type { Kysely } from "kysely";
import { CompiledQuery } from "kysely";
import type { ClientBase, Pool } from "pg";

/**
 * What the ledger can run on: a pool or a whole Kysely (each call is its own transaction), or one connection or Kysely
 * transaction of the caller (the call becomes part of it). Open them with `@longarm/database/connection`, which reads
 * `bigint` as numbers.
 */
// biome-ignore lint/suspicious/noExplicitAny: the tables of the caller do not matter here, and Kysely is invariant in them.
export type LedgerSource = Pool | ClientBase | Kysely<any>;

/** Runs one statement and gives its rows. */
export type Run = <Row>(sql: string, parameters: readonly unknown[]) => Promise<Row[]>;

export function runnerOf(source: LedgerSource): Run {
  if ("executeQuery" in source) {
    return async <Row>(sql: string, parameters: readonly unknown[]) => {
      const { rows } = await source.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
      return rows;
    };
  }
  return async <Row>(sql: string, parameters: readonly unknown[]) => {
    const { rows } = await source.query(sql, [...parameters]);
    return rows as Row[];
  };
}
