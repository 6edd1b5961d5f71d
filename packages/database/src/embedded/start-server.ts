import type { ChildProcess } from "node:child_process";
import { open, readFile, rename, stat } from "node:fs/promises";
import { createServer } from "node:net";
import type { Clock } from "../clock.ts";
import { pollUntil } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Binaries } from "./binaries.ts";
import type { ClusterPlace } from "./cluster-place.ts";
import { EmbeddedPostgresError, explainFailure } from "./failure.ts";
import { readPidFile } from "./pid-file.ts";
import { spawnProgram } from "./programs.ts";
import type { ServerDoors } from "./server-doors.ts";
import { socketFolderOf } from "./server-doors.ts";
import type { ServerUser } from "./server-user.ts";
import { stopServer } from "./stop-server.ts";

export type StartOptions = {
  readonly place: ClusterPlace;
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Without fsync: for tests alone. */
  readonly fast: boolean;
};

export type RunningServer = ServerDoors & { readonly child: ChildProcess; readonly pid: number };

/** After a kill -9 of everything the last processes take one to two seconds to go; a start meanwhile is refused. */
const DYING_LIMIT_MS = 15_000;
const RETRY_PAUSE_MS = 150;
/** Crash recovery replays at most `max_wal_size`; slow disks need time for it. */
const READY_LIMIT_MS = 180_000;
const LOG_BYTES_MAX = 4_000_000;

const stillDying = /lock file ".*" already exists|pre-existing shared memory block|still in use/;
const portTaken = /could not create any TCP\/IP sockets|could not bind/;

/** Starts the server and waits until it takes connections. Tries again while a killed one is still dying. */
export async function startServer(options: StartOptions, wishedPort?: number): Promise<RunningServer> {
  let refusal: EmbeddedPostgresError | undefined;
  const running = await pollUntil(
    options.clock,
    DYING_LIMIT_MS,
    async () => {
      const attempt = await tryStart(options, wishedPort ?? (await findFreePort()));
      if ("child" in attempt) return attempt;
      refusal = explainFailure("start of the server", options.place.home, attempt.output);
      const again = stillDying.test(attempt.output) || (portTaken.test(attempt.output) && wishedPort === undefined);
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
  const doors: ServerDoors = { portNumber, socketFolder: socketFolderOf(place.data) };
  const child = spawnProgram(binaries.postgres, ["-D", place.data, ...serverSettings(doors, fast)], {
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
  if (isReady && child.pid !== undefined) return { child, pid: child.pid, ...doors };
  if (ended === undefined && child.pid !== undefined) await stopServer(child.pid, clock, options.log);
  return { output: `${await readFrom(place.log, logStart)}\n${ended ?? "not ready in time"}` };
}

/** The server writes into a file, not into a pipe: it must be able to go on when we are killed. */
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
function serverSettings({ portNumber, socketFolder }: ServerDoors, fast: boolean): string[] {
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
    // Money: an acknowledged commit is on the disk.
    fsync: fast ? "off" : "on",
    synchronous_commit: "on",
    full_page_writes: fast ? "off" : "on",
    timezone: "UTC",
    log_timezone: "UTC",
    log_line_prefix: "%m [%p] %a ",
    log_min_messages: "warning",
    // What we answer with a refusal or retry is not worth a line; slow statements are.
    log_min_error_statement: "panic",
    log_min_duration_statement: 2_000,
    log_checkpoints: "off",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
