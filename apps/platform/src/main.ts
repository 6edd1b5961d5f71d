import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "@longarm/database/connection";
import type { EmbeddedPostgres } from "@longarm/database/embedded-server";
import { EmbeddedPostgresError, startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { MigrationError, migrate } from "@longarm/database/migrations";
import { prepareOwnRole } from "@longarm/database/own-role";
import { openLedger } from "@longarm/ledger/ledger";
import { ConfigError } from "@longarm/link/environment";
import { showLife } from "@longarm/link/life-signs";
import { collectDefaultMetrics } from "prom-client";
import type { Bus } from "./bus/index.ts";
import { inProcessBus, natsBus } from "./bus/index.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { readConfig } from "./config.ts";
import type { PlatformDeps } from "./deps.ts";
import type { Log } from "./log.ts";
import { createLog } from "./log.ts";
import { platformGrants, platformMigrations } from "./migration-sets.ts";
import { makePlay } from "./modules/play/index.ts";
import type { PlayersTables } from "./modules/players/accounts/index.ts";
import { openKeys } from "./modules/players/accounts/index.ts";
import { REBUILD_MS_MAX, settleBusinessDay } from "./modules/records/reports/index.ts";
import { publishStep } from "./money-trace.ts";
import { NodeNameTaken } from "./nodes.ts";
import { buildPlatform } from "./platform.ts";
import { systemRandom } from "./random.ts";

/*
 * One platform process. When it serves it says so twice: `DATA_FOLDER/platform.address` holds its address and process id as
 * JSON until it ends, and a parent that started it with an IPC channel is sent `{ kind: "ready", href, staffHref, pid }`. SIGTERM, SIGINT
 * or the end of the IPC channel end it with grace.
 */

/** A file that says where the platform is, for the program that started it on a free port. */
const ADDRESS_FILE = "platform.address";

/** An end that takes longer than this after DRAIN_MS is cut off, ms: below the 10 s after which service managers kill. */
const END_MS_MAX = 9_500;

type Running = { readonly href: string; readonly staffHref: string | undefined; close(): Promise<void> };

async function start(config: Config, log: Log): Promise<Running> {
  const undo: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await mkdir(config.dataFolder, { recursive: true });
    const url = config.databaseUrl ?? (await ownDatabase(config, log, undo));
    const runUrl = await migrateAsOwner(config, url, log);
    const db = openDatabase<unknown>({ url: runUrl, maxConnections: config.databaseConnections, log });
    undo.push(() => db.close());
    const bus = await openBus({ config, db, clock: systemClock, random: systemRandom, log });
    undo.push(() => bus.close());
    const deps = {
      config,
      db,
      ledger: openLedger(db.kysely),
      bus,
      clock: systemClock,
      random: systemRandom,
      log,
      steps: publishStep,
    };
    const platform = await buildPlatform(deps, makePlay);
    undo.push(() => platform.close());
    collectDefaultMetrics({ register: platform.metrics });
    const href = await platform.listen();
    await writeAddress(config.dataFolder, href);
    undo.push(() => rm(join(config.dataFolder, ADDRESS_FILE), { force: true }));
    return { href, staffHref: platform.staff?.href(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ownDatabase(config: Config, log: Log, undo: (() => Promise<void>)[]): Promise<string> {
  const server: EmbeddedPostgres = await startEmbeddedPostgres({ folder: config.dataFolder, log, clock: systemClock });
  undo.push(() => server.stop());
  return server.url;
}

/**
 * The owner of the tables migrates them, and the platform runs as a role that owns none. Reports get the business day of the settings first.
 * @returns the address of that role.
 */
async function migrateAsOwner({ databaseOwnerUrl, staff }: Config, url: string, log: Log): Promise<string> {
  const ownerUrl = databaseOwnerUrl ?? url;
  const owner = openDatabase<unknown>({ url: ownerUrl, maxConnections: 1, log, statementTimeoutMs: REBUILD_MS_MAX });
  try {
    await migrate({ pool: owner.pool, sets: platformMigrations, log });
    await settleBusinessDay(owner.kysely, staff.venue, log);
    const given = databaseOwnerUrl === null ? {} : { url };
    return await prepareOwnRole({ owner: owner.pool, ownerUrl, ...given, grants: platformGrants, log });
  } finally {
    await owner.close();
  }
}

async function writeAddress(folder: string, href: string): Promise<void> {
  const file = join(folder, ADDRESS_FILE);
  // A name of its own: two nodes that share a data folder may start at the same moment.
  const written = `${file}.${process.pid}.new`;
  await writeFile(written, `${JSON.stringify({ href, pid: process.pid })}\n`);
  await rename(written, file);
}

/** Ends once; a second request while it ends is ignored. */
function endWhenAsked(running: Running, { drainMs }: Config, log: Log): void {
  let ending = false;
  const end = (why: string) => {
    if (ending) return;
    ending = true;
    log.info({ why }, "the platform ends");
    // A database or a bus that does not answer must not keep the process: rows and journals make an end at any point safe.
    setTimeout(() => {
      log.error({ endMsMax: drainMs + END_MS_MAX }, "the platform did not end in its time and is cut off");
      process.exit(1);
    }, drainMs + END_MS_MAX).unref();
    running.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "the platform did not end well");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => end("SIGTERM"));
  process.on("SIGINT", () => end("SIGINT"));
  if (process.send) process.on("disconnect", () => end("the starting process is gone"));
}

/** Failures that a person can mend are one sentence; all others carry their trace. */
function explain(error: unknown): string {
  const known = [ConfigError, EmbeddedPostgresError, MigrationError, NodeNameTaken];
  if (error instanceof Error && known.some((kind) => error instanceof kind)) return error.message;
  const code = (error as { code?: string }).code;
  if (code === "EADDRINUSE")
    return `Port ${(error as { port?: number }).port} is taken: set PORT or STAFF_PORT to another one, or to 0 for a free one.`;
  if (code === "ECONNREFUSED" || code === "ENOTFOUND") return "The database cannot be reached: check DATABASE_URL.";
  if (code === "EACCES") return `No permission: ${(error as Error).message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * After an uncaught exception work may be half done, so the process ends and its supervisor starts it again: money is recovered from the rows,
 * seats from the facts. Its last words also go to the standard error, which is written before the process is gone.
 */
function endOnBugs(log: Log): void {
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "an exception was not caught: the platform ends to be started again");
    lastWords(error.stack ?? error.message);
    process.exit(1);
  });
}

/** A standard error that is closed or full must not hide why the process ends. */
function lastWords(text: string): void {
  process.stderr.on("error", () => {});
  process.stderr.write(`${text}\n`);
}

try {
  const config = readConfig(process.env);
  const log = createLog(config);
  endOnBugs(log);
  // The clock's timers keep no process alive, and a start may wait for its name.
  const awake = setInterval(() => {}, 60_000);
  const running = await start(config, log);
  clearInterval(awake);
  endWhenAsked(running, config, log);
  log.info({ href: running.href }, "the platform serves");
  process.send?.({ kind: "ready", href: running.href, staffHref: running.staffHref, pid: process.pid });
  showLife(process.env);
} catch (error) {
  lastWords(explain(error));
  process.exit(1);
}

/** The bus that the configuration asks for. Several platforms may share a NATS server: name and key come from the database. */
export async function openBus({
  config,
  db,
  clock,
  random,
  log,
}: Pick<PlatformDeps, "config" | "db" | "clock" | "random" | "log">): Promise<Bus> {
  if (config.bus === null)
    return inProcessBus({ clock, onError: (error) => log.error({ err: error }, "a bus handler failed") });
  const keys = await openKeys(db.kysely.withTables<PlayersTables>(), random, "bus");
  const current = await keys.current();
  return natsBus({
    servers: config.bus,
    nodeId: config.play.NODE_ID,
    platformId: current.kid,
    key: current.secret,
    clock,
    random,
    log,
  });
}
