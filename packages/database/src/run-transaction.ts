import type { Kysely, Transaction } from "kysely";

/**
 * Deadlock detected, and serialization failure: the database took the whole transaction back so that another could go on. Feature not supported: a
 * table has other columns than when a statement was prepared, and the connection prepares it anew.
 */
const repeatable = new Set(["40P01", "40001", "0A000"]);

const ATTEMPTS_MAX = 5;

/**
 * Runs `work` in a transaction and repeats it when the database took it back for another's sake. For work that locks
 * several rows, such as a seat and a move of money. `work` must be safe to repeat: all it does goes through `transaction`.
 * @throws what `work` throws, and the database's last word after five attempts.
 */
export async function runTransaction<DB, Result>(
  kysely: Kysely<DB>,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await kysely.transaction().execute(work);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (!repeatable.has(code) || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}
