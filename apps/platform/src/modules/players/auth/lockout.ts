import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { limitKey } from "../../../plugins/client-address.ts";
import { isKeepable, usernameKey } from "../accounts/index.ts";
import type { AuthTables } from "./tables.ts";

export type LockoutRules = {
  /** Wrong tries of one name from one address, and for how long they count. */
  readonly attemptsMax: number;
  readonly blockMinutes: number;
  /** Wrong tries of one name from all addresses together. */
  readonly attemptsOfName: number;
};

/** A try that was counted before the password was looked at, so that many at once cannot pass the limit. */
export type Attempt =
  | { readonly is: "allowed"; readonly left: number }
  | { readonly is: "blocked"; readonly minutesLeft: number };

/** Whose names are counted. */
export type LockoutNames = {
  /** Keeps these names apart from all others. No name has its characters. */
  readonly mark: string;
  /** Addresses where the name was signed in lately. An unknown name costs the same look. */
  addressesOf(usernameKey: string): Promise<readonly string[]>;
};

/** Is written to the column of addresses for all of them together. */
const EVERYWHERE = "everywhere";
/** How long the tries of a name from everywhere count, minutes. Source: NIST SP 800-63B 5.2.2 lets at most 100 in a row pass, with waits up to an hour. */
const NAME_MINUTES = 60;

/** Counts wrong sign-ins of one name from one address, known or not, and from everywhere. A row is forgotten some time after its last try. */
export function createLockout(db: Kysely<AuthTables>, rules: LockoutRules, names: LockoutNames) {
  const hashOf = (username: string) =>
    createHash("sha256")
      .update(names.mark + usernameKey(username))
      .digest();
  const since = (minutes: number) => sql<Date>`now() - make_interval(mins => ${minutes})`;
  const { attemptsMax, blockMinutes, attemptsOfName } = rules;

  /** Counts one try. A blocked one does not lengthen the block. */
  async function countRow(username: string, address: string, max: number, minutes: number): Promise<Attempt> {
    const window = since(minutes);
    const row = await db
      .insertInto("login_attempt")
      .values({ name_hash: hashOf(username), address, failed: 1, last_at: sql`now()` })
      .onConflict((conflict) =>
        conflict.columns(["name_hash", "address"]).doUpdateSet({
          failed: sql`case when login_attempt.last_at < ${window} then 1
                           else least(login_attempt.failed + 1, ${max + 1}) end`,
          last_at: sql`case when login_attempt.last_at >= ${window} and login_attempt.failed >= ${max}
                            then login_attempt.last_at else now() end`,
        }),
      )
      .returning([
        "failed",
        sql<number>`ceil(${minutes} - extract(epoch from now() - last_at) / 60)::int`.as("minutesLeft"),
      ])
      .executeTakeFirstOrThrow();
    if (row.failed > max) return { is: "blocked", minutesLeft: Math.max(1, row.minutesLeft) };
    return { is: "allowed", left: max - row.failed };
  }

  // One line of IPv6 has more addresses than anybody could block.
  const count = (username: string, from: string) => countRow(username, limitKey(from), attemptsMax, blockMinutes);

  /** Whether the name was signed in from this address (or its line of IPv6). */
  async function wasHere(username: string, from: string): Promise<boolean> {
    if (!isKeepable(username)) return false;
    const addresses = await names.addressesOf(usernameKey(username));
    return addresses.some((address) => limitKey(address) === limitKey(from));
  }

  /** Counts a sign-in. Too many from everywhere block the name, but not where its owner has signed in before: a stranger must not keep the owner out. */
  async function countSignIn(username: string, from: string): Promise<Attempt> {
    const here = await count(username, from);
    if (here.is === "blocked") return here;
    const everywhere = await countRow(username, EVERYWHERE, attemptsOfName, NAME_MINUTES);
    return everywhere.is === "blocked" && !(await wasHere(username, from)) ? everywhere : here;
  }

  /** Forgets the tries of a name after the right password. */
  async function forget(username: string, from: string): Promise<void> {
    await db
      .deleteFrom("login_attempt")
      .where("name_hash", "=", hashOf(username))
      .where("address", "in", [limitKey(from), EVERYWHERE])
      .execute();
  }

  /** Removes rows that count no more. */
  async function sweep(): Promise<void> {
    await db
      .deleteFrom("login_attempt")
      .where("last_at", "<", since(blockMinutes))
      .where((row) => row.or([row("address", "!=", EVERYWHERE), row("last_at", "<", since(NAME_MINUTES))]))
      .execute();
  }

  return { count, countSignIn, forget, sweep, blockMinutes };
}
export type Lockout = ReturnType<typeof createLockout>;

/** The names of players. */
export const playerNames = (db: Kysely<AuthTables>): LockoutNames => ({
  mark: "",
  async addressesOf(key) {
    const rows = await db
      .selectFrom("auth_session")
      .innerJoin("player", "player.id", "auth_session.player_id")
      .select("address")
      .distinct()
      .where("username_key", "=", key)
      .limit(200)
      .execute();
    return rows.map(({ address }) => address);
  },
});
