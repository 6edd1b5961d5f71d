import pg from "pg";

/** The address of a database beside this one on its server. */
export function addressOf(server: string, name: string): string {
  const address = new URL(server);
  address.pathname = `/${name}`;
  return address.href;
}

const pools = new Map<string, pg.Pool>();

/** This process's one connection to the server itself. It keeps no process alive. */
function poolOf(server: string): pg.Pool {
  const known = pools.get(server);
  if (known !== undefined) return known;
  const pool = new pg.Pool({ connectionString: server, max: 1, allowExitOnIdle: true });
  // The server may end before this process does.
  pool.on("error", () => {});
  pools.set(server, pool);
  return pool;
}

/** Runs one statement on the server itself. */
export async function askServer(server: string, sql: string): Promise<void> {
  await poolOf(server).query(sql);
}

/** Works on the server itself, over a connection of its own. */
export async function onServer<T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Removes a database, even while others are connected; a missing one is no error. */
export async function dropDatabase(server: string, name: string): Promise<void> {
  await askServer(server, `drop database if exists ${name} with (force)`);
}

/** A template must have no connection when it is copied: closed ones may need a moment to end on the server. */
export async function endConnections(client: pg.Client, name: string): Promise<void> {
  await client.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1", [name]);
}
