import { access, constants, mkdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Clock } from "./clock.ts";
import type { ClusterPlace } from "./embedded/cluster.ts";
import { ensureCluster, findClusterPlace, knownClusterPlace, SYSTEM_FOLDER } from "./embedded/cluster.ts";
import { explained, explainFailure } from "./embedded/failure.ts";
import type { OwnerLock } from "./embedded/owner-lock.ts";
import { takeOwnerLock } from "./embedded/owner-lock.ts";
import { processBirth } from "./embedded/process-table.ts";
import type { Binaries } from "./embedded/programs.ts";
import { findBinaryPackage, layOutBinaries } from "./embedded/programs.ts";
import type { RunningServer, StartOptions } from "./embedded/server.ts";
import { addressOf, ensureDatabase, findOrphan, readPidFile, startServer, stopServer } from "./embedded/server.ts";
import { chooseServerUser } from "./embedded/server-user.ts";
import type { Log } from "./log.ts";

export { EmbeddedPostgresError } from "./embedded/failure.ts";

export type EmbeddedPostgresOptions = {
  /** The data folder; made when missing. The cluster lives inside, or under /var/lib/longarm with a pointer here. */
  readonly folder: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly listen?: {
    /** The port on 127.0.0.1. Default: a free one, another at each start. */
    readonly portNumber?: number;
  };
  /** Trades durability for speed. Only for data that may be lost: tests. */
  readonly fast?: boolean;
  /** Where clusters go that cannot lie in `folder`. Default /var/lib/longarm. */
  readonly systemFolder?: string;
};

export type EmbeddedPostgres = {
  /** Address with password, database `longarm`, on 127.0.0.1, by the socket file where there is one. Stays the same until `stop`. */
  readonly url: string;
  /** A server that a killed process had left running here was found and stopped before this one was started. */
  readonly adopted: boolean;
  /** The process id of the server now. */
  pid(): number;
  /** Ends open transactions, writes everything to disk, ends the server and releases the data folder. */
  stop(): Promise<void>;
};

/**
 * Starts the real PostgreSQL for one data folder and keeps it running until `stop`.
 * @throws EmbeddedPostgresError, one sentence for the person at the console: another process owns the folder, no permission,
 *   full disk, no user to drop to, no programs for this platform, a cluster of another major version.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, clock } = options;
  const fast = options.fast ?? false;
  const folder = await explained("data folder", options.folder, async () => {
    await mkdir(options.folder, { recursive: true });
    await access(options.folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(options.folder);
  });
  const { place, binaries, user } = await prepare(folder, options.systemFolder ?? SYSTEM_FOLDER);
  const lock = await explained("lock", place.home, () => takeOwnerLock(place.home, clock));
  try {
    const adopted = await stopOrphan(place, clock, log);
    const password = await explained("first start", place.home, () => ensureCluster(place, binaries, user, fast));
    const start: StartOptions = { place, binaries, user, clock, log, fast };
    const server = await explained("start", place.home, () => startServer(start, options.listen?.portNumber));
    const supervised = supervise(start, server);
    const url = await ensureDatabase(server, password).catch(async (error: Error) => {
      await supervised.stop();
      throw explainFailure("first connection", place.home, error.message);
    });
    log.info({ home: place.home, portNumber: server.portNumber, user: user?.name, adopted }, "the database is running");
    return { url, adopted, pid: supervised.pid, stop: () => stopAll(supervised.stop, lock) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

type Prepared = { place: ClusterPlace; binaries: Binaries; user: StartOptions["user"] };

async function prepare(folder: string, systemFolder: string): Promise<Prepared> {
  return await explained("data folder", folder, async () => {
    const newcomer = await chooseServerUser(folder);
    const place = await findClusterPlace(folder, newcomer, systemFolder);
    // A cluster that is there keeps its owner.
    const user = await chooseServerUser(place.data);
    const cache = fileURLToPath(new URL("../../../node_modules/.cache/longarm", import.meta.url));
    const folders = [cache, ...(user ? [systemFolder] : []), join(place.home, "programs")];
    return { place, user, binaries: await layOutBinaries(await findBinaryPackage(), folders, user) };
  });
}

/**
 * An orphaned server is stopped, not adopted as it is: a new one has the settings of this release, is our child process, and has no connections of
 * the killed owner. It costs a tenth of a second.
 */
async function stopOrphan(place: ClusterPlace, clock: Clock, log: Log): Promise<boolean> {
  const orphan = await findOrphan(place.data);
  if (orphan === undefined) return false;
  log.warn({ pid: orphan }, "a database server was left running by a killed process: stopping it");
  await stopServer(orphan, clock, log);
  return true;
}

async function stopAll(stopServerNow: () => Promise<void>, lock: OwnerLock): Promise<void> {
  await stopServerNow();
  await lock.release();
}

/** A server that is started again when it ends by itself. */
type Supervised = { pid(): number; stop(): Promise<void> };

const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 10_000;
/** A server that ran for so long was healthy: the pauses, which are for one that cannot run, begin anew. */
const HEALTHY_MS = 10_000;

/**
 * Keeps a server running on its port, so that its address stays valid and all pools reconnect by themselves. It retries
 * for ever, with longer pauses: a disk that was full may have space again.
 */
function supervise(start: StartOptions, first: RunningServer): Supervised {
  const { log, clock } = start;
  const stopping = new AbortController();
  let server = first;
  let startedAt = clock.now();
  let pauseMs = 0;

  async function startAgain(): Promise<void> {
    if (clock.now() - startedAt > HEALTHY_MS) pauseMs = 0;
    while (!stopping.signal.aborted) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(Math.max(pauseMs * 2, PAUSE_MS_MIN), PAUSE_MS_MAX);
      try {
        server = await startServer(start, first.portNumber);
        startedAt = clock.now();
        log.info({ pid: server.pid }, "the database is running again");
        return;
      } catch (error) {
        log.error({ error: String(error), nextTryMs: pauseMs }, "the database server could not be started again");
      }
    }
  }

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { code, signal } = await endOf(server);
      if (stopping.signal.aborted) return;
      log.error({ code, signal, pid: server.pid }, "the database server ended by itself: starting it again");
      await startAgain();
    }
  }

  const kept = keep();
  return {
    pid: () => server.pid,
    async stop() {
      stopping.abort();
      if (!hasEnded(server)) await stopServer(server.pid, clock, log);
      await kept;
      // It may have been in the middle of a start.
      if (!hasEnded(server)) await stopServer(server.pid, clock, log);
    },
  };
}

type End = { code: number | null; signal: string | null };

async function endOf(server: RunningServer): Promise<End> {
  const { child } = server;
  if (hasEnded(server)) return { code: child.exitCode, signal: child.signalCode };
  return await new Promise((done) => child.once("exit", (code, signal) => done({ code, signal })));
}

function hasEnded({ child }: RunningServer): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * The address, with password, of the server that some other process runs in a data folder now, for programs that work beside it; undefined: no
 * server runs there. Starts and changes nothing. It is good until that process ends.
 * @throws EmbeddedPostgresError when the folder may not be read, or its pointer leads nowhere.
 */
export async function findRunningServer(folder: string): Promise<string | undefined> {
  return await explained("data folder", folder, async () => {
    const place = await knownClusterPlace(folder);
    if (place === undefined) return undefined;
    const password = (await readFile(place.password, "utf8")).trim();
    const file = await readPidFile(place.data);
    // A server that was killed leaves the file, and its id may be reused by now: the connection would fail then.
    if (!file?.isReady || (await processBirth(file.pid)) === undefined) return undefined;
    return addressOf(file, password);
  });
}
