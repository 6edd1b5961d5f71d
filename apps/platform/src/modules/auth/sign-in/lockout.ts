import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { limitKey } from "../../../plugins/client-address.ts";
import { usernameKey } from "../../players/index.ts";
import type { AuthTables } from "../tables.ts";

export type LockoutRules = { readonly attemptsMax: number; readonly blockMinutes: number };

/** A try that was counted before the password was looked at, so that many at once cannot pass the limit. */
export type Attempt =
  | { readonly is: "allowed"; readonly left: number }
  | { readonly is: "blocked"; readonly minutesLeft: number };

/** Counts wrong sign-ins of one name from one address, known or not. A row is forgotten `blockMinutes` after its last try. */
export function createLockout(db: Kysely<AuthTables>, rules: LockoutRules) {
  const hashOf = (username: string) => createHash("sha256").update(usernameKey(username)).digest();
  const window = sql<Date>`now() - make_interval(mins => ${rules.blockMinutes})`;

  /** Counts one try. A blocked one does not lengthen the block. */
  async function count(username: string, from: string): Promise<Attempt> {
    // One line of IPv6 has more addresses than anybody could block.
    const address = limitKey(from);
    const row = await db
      .insertInto("login_attempt")
      .values({ name_hash: hashOf(username), address, failed: 1, last_at: sql`now()` })
      .onConflict((conflict) =>
        conflict.columns(["name_hash", "address"]).doUpdateSet({
          failed: sql`case when login_attempt.last_at < ${window} then 1
                           else least(login_attempt.failed + 1, ${rules.attemptsMax + 1}) end`,
          last_at: sql`case when login_attempt.last_at >= ${window} and login_attempt.failed >= ${rules.attemptsMax}
                            then login_attempt.last_at else now() end`,
        }),
      )
      .returning([
        "failed",
        sql<number>`ceil(${rules.blockMinutes} - extract(epoch from now() - last_at) / 60)::int`.as("minutesLeft"),
      ])
      .executeTakeFirstOrThrow();
    if (row.failed > rules.attemptsMax) return { is: "blocked", minutesLeft: Math.max(1, row.minutesLeft) };
    return { is: "allowed", left: rules.attemptsMax - row.failed };
  }

  /** Forgets the tries of a name after the right password. */
  async function forget(username: string, address: string): Promise<void> {
    await db
      .deleteFrom("login_attempt")
      .where("name_hash", "=", hashOf(username))
      .where("address", "=", limitKey(address))
      .execute();
  }

  /** Removes rows that count no more. */
  async function sweep(): Promise<void> {
    await db.deleteFrom("login_attempt").where("last_at", "<", window).execute();
  }

  return { count, forget, sweep, blockMinutes: rules.blockMinutes };
}
export type Lockout = ReturnType<typeof createLockout>;
