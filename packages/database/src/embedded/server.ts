import { Buffer } from "node:buffer";
import type { ChildProcess } from "node:child_process";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import type { Clock } from "../clock.ts";
import { pollUntil } from "../clock.ts";
import type { Log } from "../log.ts";
import type { ClusterPlace } from "./cluster.ts";
import { ROLE } from "./cluster.ts";
import { EmbeddedPostgresError, explainFailure } from "./failure.ts";
import { commandLine, isAlive, processBirth, processesIn } from "./process-table.ts";
import type { Binaries } from "./programs.ts";
import { spawnProgram } from "./programs.ts";
import type { ServerUser } from "./server-user.ts";

export type StartOptions = {
  readonly place: ClusterPlace;
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Without fsync, and with quick password checks: for tests alone. */
  readonly fast: boolean;
};

export type RunningServer = ServerAddress & { readonly child: ChildProcess; readonly pid: number };

/** After a kill -9 of everything the last processes take one to two seconds to go; a start meanwhile is refused. */
const ENDING_LIMIT_MS = 15_000;
const RETRY_PAUSE_MS = 150;
/** Crash recovery replays at most `max_wal_size`; slow disks need time for it. */
const READY_LIMIT_MS = 180_000;
const LOG_BYTES_MAX = 4_000_000;

const STILL_ENDING = /lock file ".*" already exists|pre-existing shared memory block|still in use/;
const PORT_TAKEN = /could not create any TCP\/IP sockets|could not bind/;

/** Starts the server and waits until it accepts connections. Retries while a killed one is still ending. */
export async function startServer(options: StartOptions, portWanted?: number): Promise<RunningServer> {
  let refusal: EmbeddedPostgresError | undefined;
  const running = await pollUntil(
    options.clock,
    ENDING_LIMIT_MS,
    async () => {
      const attempt = await tryStart(options, portWanted ?? (await findFreePort()));
      if ("child" in attempt) return attempt;
      refusal = explainFailure("start of the server", options.place.home, attempt.output);
      const again = STILL_ENDING.test(attempt.output) || (PORT_TAKEN.test(attempt.output) && portWanted === undefined);
      if (!again) throw refusal;
      return undefined;
    },
    RETRY_PAUSE_MS,
  );
  if (running) return running;
  throw refusal ?? new EmbeddedPostgresError("The database server did not start in time: start again.");
}

async function tryStart(options: StartOptions, portNumber: number): Promise<RunningServer | { output: string }> {
  const { place, binaries, user, clock, fast } = options;
  const logFile = await openLog(place.log);
  const logStart = (await logFile.stat()).size;
  let ended: string | undefined;
  const address: ServerAddress = { portNumber, socketFolder: socketFolderOf(place.data) };
  const child = spawnProgram(binaries.postgres, ["-D", place.data, ...serverSettings(address, fast)], {
    user,
    home: place.home,
    outputFd: logFile.fd,
  });
  child.once("error", (error) => {
    ended = error.message;
  });
  child.once("exit", (code, signal) => {
    ended ??= `ended with ${signal ?? code}`;
  });
  const isReady = await pollUntil(clock, READY_LIMIT_MS, async () => {
    if (ended !== undefined) return false;
    const file = await readPidFile(place.data);
    return file?.pid === child.pid && file?.isReady ? true : undefined;
  });
  await logFile.close();
  if (isReady && child.pid !== undefined) return { child, pid: child.pid, ...address };
  if (ended === undefined && child.pid !== undefined) await stopServer(child.pid, clock, options.log);
  return { output: `${await readFrom(place.log, logStart)}\n${ended ?? "not ready in time"}` };
}

/** The server writes into a file, not into a pipe: it must be able to continue when we are killed. */
async function openLog(path: string) {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > LOG_BYTES_MAX) await rename(path, `${path}.old`);
  return await open(path, "a", 0o600);
}

async function readFrom(path: string, start: number): Promise<string> {
  const whole = await readFile(path).catch(() => Buffer.alloc(0));
  return whole.subarray(start).toString().slice(-8_000);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(0, "127.0.0.1", done);
  });
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  if (address === null || typeof address === "string")
    throw new EmbeddedPostgresError("There is no free port on 127.0.0.1.");
  return address.port;
}

/**
 * Settings of the embedded server, given on its command line so that a start never depends on what an earlier release or a
 * person wrote into the cluster. Sizes suit a small box: about 60 MB resident when idle.
 */
function serverSettings({ portNumber, socketFolder }: ServerAddress, fast: boolean): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: "127.0.0.1",
    port: portNumber,
    unix_socket_directories: socketFolder ?? "",
    unix_socket_permissions: "0700",
    max_connections: 100,
    superuser_reserved_connections: 3,
    shared_buffers: "64MB",
    work_mem: "8MB",
    maintenance_work_mem: "64MB",
    max_wal_size: "512MB",
    io_method: "sync",
    max_logical_replication_workers: 0,
    jit: "off",
    password_encryption: "scram-sha-256",
    scram_iterations: fast ? 1 : 4096,
    // Money: an acknowledged commit is on the disk.
    fsync: fast ? "off" : "on",
    synchronous_commit: "on",
    full_page_writes: fast ? "off" : "on",
    // A venue of a test runs few statements often enough that planning each anew for its values pays.
    plan_cache_mode: fast ? "force_generic_plan" : "auto",
    timezone: "UTC",
    log_timezone: "UTC",
    log_line_prefix: "%m [%p] %a ",
    log_min_messages: "warning",
    // Statements that we refuse or retry are not worth a line; slow ones are.
    log_min_error_statement: "panic",
    log_min_duration_statement: 2_000,
    log_checkpoints: "off",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Escalation. Fast shutdown ends open transactions and writes everything down; the later ones make recovery necessary. */
const STOP_SIGNALS = [
  { signal: "SIGINT", waitMs: 30_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

/** Stops a server by its process id and waits until it is gone. @throws EmbeddedPostgresError when it cannot be stopped. */
export async function stopServer(pid: number, clock: Clock, log: Log): Promise<void> {
  for (const { signal, waitMs } of STOP_SIGNALS) {
    if (!send(pid, signal)) return;
    const gone = await pollUntil(clock, waitMs, async () =>
      (await processBirth(pid)) === undefined ? true : undefined,
    );
    if (gone) return;
    log.warn({ pid, signal }, "the database server did not end in time");
  }
  if (isAlive(pid)) {
    throw new EmbeddedPostgresError(`The database server (process ${pid}) cannot be stopped: end it and start again.`);
  }
}

/** @returns false when the process is gone already. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw new EmbeddedPostgresError(
      `The database server (process ${pid}) of this data folder belongs to another user: end it as that user, then start again.`,
      { cause: error },
    );
  }
}

/** Where an embedded server accepts connections: on 127.0.0.1, and through a socket file where the system has them. */
export type ServerAddress = {
  readonly portNumber: number;
  /** The folder of the socket file `.s.PGSQL.<port>`; undefined: on 127.0.0.1 alone. */
  readonly socketFolder: string | undefined;
};

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, its end included. */
const SOCKET_PATH_MAX = 103;

/**
 * A cluster's own folder, which only its server's user (and root) may enter, holds the socket file. A statement through it costs the computer a
 * quarter less than one over TCP. Undefined: the path is too long for the system, it is Windows, or PostgreSQL and its programs would read the path as several.
 */
export function socketFolderOf(data: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const longest = Buffer.byteLength(join(data, ".s.PGSQL.65535"));
  const isList = /[,"]/.test(data);
  return platform === "win32" || longest > SOCKET_PATH_MAX || isList ? undefined : data;
}

/** The database of the embedded cluster that Longarm uses. */
const DATABASE_NAME = "longarm";

/** The address of a database of an embedded cluster; other programs understand it too: `host` is libpq's own word for the socket's folder. */
export function addressOf(
  { portNumber, socketFolder }: ServerAddress,
  password: string,
  database = DATABASE_NAME,
): string {
  const host = socketFolder === undefined ? "" : `?host=${encodeURIComponent(socketFolder)}`;
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${portNumber}/${database}${host}`;
}

/** Makes the database on first start. @returns its address with the password inside. */
export async function ensureDatabase(address: ServerAddress, password: string): Promise<string> {
  const connectionString = addressOf(address, password, "postgres");
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [DATABASE_NAME]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
  } finally {
    await client.end();
  }
  return addressOf(address, password);
}

const CONNECT_LIMIT_MS = 30_000;

/** What a running server writes about itself in `postmaster.pid`. */
export type PidFile = ServerAddress & { readonly pid: number; readonly isReady: boolean };

/** Reads the text of `postmaster.pid`; a half-written one gives undefined. */
export function parsePidFile(text: string): PidFile | undefined {
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const socketFolder = lines[4]?.trim() || undefined;
  return { pid, portNumber: Number(lines[3] ?? 0), socketFolder, isReady: lines[7]?.trim() === "ready" };
}

const pathOf = (data: string) => join(data, "postmaster.pid");

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  return parsePidFile(await readFile(pathOf(data), "utf8").catch(() => ""));
}

/** The server that a killed owner left running in this data folder. */
export async function findOrphan(data: string): Promise<number | undefined> {
  const file = await readPidFile(data);
  if (file && (await commandLine(file.pid)).includes(data)) return file.pid;
  if (process.platform !== "linux" || (await processesIn(data)).length > 0) return undefined;
  await removeSockets(data);
  // Garbled (a full disk), or its id is that of an unrelated process: PostgreSQL would refuse to start for ever.
  if (!file || isAlive(file.pid)) await rm(pathOf(data), { force: true });
  return undefined;
}

/** The socket file of a server and its lock, which holds the same process id as `postmaster.pid`. */
const SOCKET_FILE = /^\.s\.PGSQL\.\d+(\.lock)?$/;

/**
 * A killed server leaves both, and the next one may have another port. Its process id may be reused by now, or be a zombie's, and
 * then PostgreSQL would refuse that port for ever.
 */
async function removeSockets(data: string): Promise<void> {
  for (const name of await readdir(data).catch(() => []))
    if (SOCKET_FILE.test(name)) await rm(join(data, name), { force: true });
}
