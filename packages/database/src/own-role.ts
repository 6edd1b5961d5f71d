import { createHmac } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import pg from "pg";
import type { Log } from "./log.ts";
import { MIGRATION_LOCK } from "./migrations.ts";

export type OwnRoleOptions = {
  /** Of the owner of the tables, who has just migrated them. */
  readonly owner: Pool;
  /** The owner's address; the same address with the role's name and password is what programs run with. */
  readonly ownerUrl: string;
  /** An address of a role that the operator made; absent: the owner makes one where it may. */
  readonly url?: string | undefined;
  /** The statements that give the role, written as `role`, what a running program needs, and nothing more. */
  readonly grants: (role: string) => string;
  readonly log: Log;
};

/**
 * Gives a role of its own to a running program: it works with the tables and owns none of them, so that it can neither rewrite what triggers keep nor
 * take the triggers away. All nodes come to the same role and password.
 * @returns the address to run with; the owner's own one where no role can be made.
 */
export async function prepareOwnRole({ owner, ownerUrl, url, grants, log }: OwnRoleOptions): Promise<string> {
  const client = await owner.connect();
  try {
    // One node at a time: two that change the same role at once would fail.
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK.toString()]);
    const target = url ?? (await makeRole(client, ownerUrl));
    if (target === undefined) {
      log.warn(
        {},
        "the database's user may not make roles: the platform runs as the owner of its tables, see DATABASE_OWNER_URL",
      );
      return ownerUrl;
    }
    if (url === undefined && !(await lets(target))) {
      log.warn(
        {},
        "the database does not let the platform's own role in: the platform runs as the owner of its tables",
      );
      return ownerUrl;
    }
    const name = decodeURIComponent(new URL(target).username);
    if (name !== decodeURIComponent(new URL(ownerUrl).username)) await client.query(grants(quoted(name)));
    return target;
  } finally {
    // The connection is closed, and its lock goes with it.
    client.release(true);
  }
}

/** Whether the server lets this address in: its own rules may name users. */
async function lets(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A name as SQL has it. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Makes the role, or sets it right. Undefined: this user may not, or has no password from which another is made. */
async function makeRole(client: PoolClient, ownerUrl: string): Promise<string | undefined> {
  const address = new URL(ownerUrl);
  const { rows } = await client.query<{ name: string; may: boolean }>(
    "select rolname as name, rolsuper or rolcreaterole as may from pg_roles where rolname = current_user",
  );
  const [user] = rows;
  if (user?.may !== true || address.password === "") return undefined;
  const name = `${user.name}_platform`.slice(0, 63);
  // Every node comes to the same one, and none comes from it to the owner's.
  const password = createHmac("sha256", decodeURIComponent(address.password)).update(name).digest("base64url");
  const {
    rows: [known],
  } = await client.query<{ isPlain: boolean }>(
    `select not (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls) as "isPlain" from pg_roles where rolname = $1`,
    [name],
  );
  // Only a superuser may name these attributes of a role that exists, even to leave them as they are.
  const attributes = known?.isPlain === true ? "" : "nosuperuser nocreatedb nocreaterole noreplication nobypassrls";
  const verb = known === undefined ? "create" : "alter";
  await client.query(`${verb} role ${quoted(name)} with login ${attributes} password '${password}'`);
  address.username = encodeURIComponent(name);
  address.password = encodeURIComponent(password);
  return address.href;
}
