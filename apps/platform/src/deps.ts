import type { Database } from "@longarm/database/connection";
import type { Ledger } from "@longarm/ledger/ledger";
import type { Bus } from "./bus/index.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import type { MoneyTrace } from "./money-trace.ts";
import type { Random } from "./random.ts";

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
