import type { Database } from "@longarm/database/connection";
import type { Ledger } from "@longarm/ledger/ledger";
import type { Kysely } from "kysely";
import type { Bus } from "./bus/index.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import type { MoneyTrace } from "./money-trace.ts";
import type { Random } from "./random.ts";

/** A database or a transaction, whatever tables its caller has given it. */
// biome-ignore lint/suspicious/noExplicitAny: the tables of the caller do not matter here, and Kysely is invariant in them.
export type AnyDb = Kysely<any>;

/** What computing one argon2id hash takes: memory in KiB, passes over it, threads. */
export type PasswordCost = { readonly memoryCost: number; readonly timeCost: number; readonly parallelism: number };

/**
 * All that the platform is made of. `main.ts` makes the real ones, tests make others. A module gives the database its own
 * tables with `db.kysely.withTables<…>()`.
 */
export type PlatformDeps = {
  readonly config: Config;
  readonly db: Database<unknown>;
  readonly ledger: Ledger;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly steps: MoneyTrace;
  /** Tests alone give one, to compute less. Default: the least that OWASP recommends. */
  readonly passwordCost?: PasswordCost;
};
