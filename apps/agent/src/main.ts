import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "@longarm/link/environment";
import { showLife } from "@longarm/link/life-signs";
import type { Logger } from "pino";
import { collectDefaultMetrics } from "prom-client";
import manifest from "../package.json" with { type: "json" };
import type { Agent } from "./agent.ts";
import { buildAgent } from "./agent.ts";
import type { Config } from "./config/config.ts";
import { machineFolder, readConfig } from "./config/config.ts";
import { readingThreads } from "./config/machines.ts";
import { driverOf } from "./drivers/registry.ts";
import { AGENT_HELP } from "./help.ts";
import { FolderTaken, lockFolder } from "./journal/folder-lock.ts";
import { openJournal } from "./journal/journal.ts";
import { JournalDamaged } from "./journal/line.ts";
import { createAddresses, HANDSHAKE_MS_OF_MANY } from "./link/addresses.ts";
import { createClipDoor } from "./link/clip.ts";
import { dialPlatform } from "./link/dial.ts";
import { putStill } from "./link/still.ts";
import { createLog } from "./log.ts";
import { MediaProcess } from "./media-process/media-process.ts";
import { createAgentMetrics, MetricsPortTaken, serveMetrics } from "./metrics.ts";
import { publishStep } from "./money/money-steps.ts";
import { keptSecret, machinePlans, mediaMachines } from "./plans.ts";
import type { Clock } from "./ports/clock.ts";
import type { Records } from "./recording/records.ts";
import { openRecords } from "./recording/records.ts";
import { daysMs } from "./recording/shelf.ts";
import { epochOf, systemClock, wallNow } from "./system-clock.ts";
import { systemFiles } from "./system-files.ts";

/*
 * One agent process. A parent that started it with an IPC channel is sent `{ kind: "ready", href, pid }` (the platform's
 * address) when its machines are open and the platform has accepted the first hello or is away. SIGTERM, SIGINT and the end of that
 * channel end it in order: commands end first, and nothing journalled is lost.
 */

/** A stop that takes longer is aborted, ms; the journal makes that safe. */
const STOP_MS_MAX = 8_000;
const READY_LOOK_MS = 50;

type Running = { readonly agent: Agent; readonly media: MediaProcess; end(): Promise<void> };

async function start(config: Config, log: Logger): Promise<Running> {
  const { dataFolder, platformUrls: urls, agentKey: key } = config;
  await mkdir(dataFolder, { recursive: true });
  const unlock = await lockFolder(dataFolder);
  const metrics = createAgentMetrics();
  collectDefaultMetrics({ register: metrics.registry });
  const served = config.metricsPort === 0 ? undefined : await serveMetrics(metrics.registry, config.metricsPort);
  const journal = await openJournal({ files: systemFiles, folder: join(dataFolder, "journal") });
  const seed = config.simulated.seed ?? (await keptSecret(dataFolder, "seed", freshSecret));
  const clock = systemClock();
  const addresses = createAddresses(urls);
  const quick = { handshakeMs: HANDSHAKE_MS_OF_MANY };
  const media = new MediaProcess({
    start: {
      machines: mediaMachines(config),
      media: config.media,
      crowd: config.crowd,
      encoder: config.encoder,
      epochMs: epochOf(clock),
    },
    clock,
    began: (pid) => log.info({ pid }, "The media process runs."),
    silentMsMax: config.mediaSilentMs,
    environment: { UV_THREADPOOL_SIZE: String(readingThreads(config.machines)), ...process.env },
    problem: (sentence, machineId) => log.warn(machineId === undefined ? {} : { machineId }, sentence),
  });
  const records = await openRecordsOf(config, { clock, url: () => addresses.current(), log });
  const agent = buildAgent({
    agentId: config.agentId,
    version: manifest.version,
    machines: machinePlans(config, {
      clock,
      seed,
      problem: (machineId, sentence) => log.warn({ machineId }, sentence),
    }),
    journal: metrics.journal(journal),
    metrics,
    clock,
    random: Math.random,
    dial: () => addresses.open((url) => dialPlatform({ url, key, clock, ...(urls.length > 1 && quick) })),
    putStill: (machineId, webp) => putStill({ url: addresses.current(), key }, machineId, webp),
    makeBroadcast: media.makeBroadcast,
    records,
    steps: publishStep,
    log,
  });
  metrics.watch(
    agent,
    config.machines.map(({ id }) => id),
    media,
  );
  const end = async (): Promise<void> => {
    await served?.close();
    await agent.end();
    await records?.end();
    await media.end();
    await journal.close();
    await unlock();
  };
  return { agent, media, end };
}

const freshSecret = (): string => randomBytes(32).toString("hex");

type RecordsParts = { readonly clock: Clock; readonly url: () => string; readonly log: Logger };

/** The records of play. Undefined: nothing is recorded. */
async function openRecordsOf(config: Config, { clock, url, log }: RecordsParts): Promise<Records | undefined> {
  const { record, dataFolder, agentKey } = config;
  if (!record.on) return undefined;
  const key = record.key ?? (await keptSecret(dataFolder, "record-key", freshSecret));
  return await openRecords({
    ...{ files: systemFiles, folder: join(dataFolder, "records"), clock, wallNow },
    key: Buffer.from(key, "hex"),
    keptMs: daysMs(record.days),
    bytesMax: record.diskGb * 1_000_000_000,
    door: createClipDoor({ url, key: agentKey }, clock),
    problem: (sentence, machineId) => log.warn(machineId === undefined ? {} : { machineId }, sentence),
  });
}

function reportReady({ agent, media }: Running, href: string): void {
  if (process.send === undefined) return;
  const timer = setInterval(() => {
    // The machines work without video, so a media process that cannot start is not waited for.
    const shows = media.serves() || media.restarts() > 0;
    if (agent.state() === "opening" || !shows) return;
    clearInterval(timer);
    process.send?.({ kind: "ready", href, pid: process.pid });
  }, READY_LOOK_MS);
  timer.unref();
}

function endOnSignal(running: Running, log: Logger): void {
  let ending = false;
  const stop = async (signal: string): Promise<void> => {
    if (ending) return;
    ending = true;
    log.info({ signal }, "The agent stops.");
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
    await running.end();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
  process.on("disconnect", () => void stop("disconnect"));
}

/** One sentence for errors that an operator can correct; a stack for every other. */
function explain(error: unknown): string {
  const expected =
    error instanceof ConfigError ||
    error instanceof MetricsPortTaken ||
    error instanceof FolderTaken ||
    error instanceof JournalDamaged;
  if (error instanceof Error) return expected ? error.message : (error.stack ?? error.message);
  return String(error);
}

/**
 * After an uncaught error the state is unknown, so the process ends and its supervisor starts it again: the journal records what happened to
 * money and presses. The error also goes to the standard error, which is written before the process ends.
 */
function endOnBugs(log: Logger): void {
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "An error was not caught; the agent ends and must be started again.");
    process.stderr.write(`${error.stack ?? error.message}\n`);
    process.exit(1);
  });
}

if (process.argv[2] === "--help") {
  process.stdout.write(AGENT_HELP);
  process.exit(0);
}
/** `machine-log` prints the trace of one machine of the list, and ends. */
async function printMachineLog(id: string): Promise<void> {
  const config = readConfig(process.env, (path) => readFileSync(path, "utf8"));
  const machine = config.machines.find((one) => one.id === id);
  if (machine === undefined) throw new Error(`The list has no machine "${id}".`);
  const { printLog } = driverOf(machine);
  if (printLog === undefined) throw new Error(`The driver of "${id}" keeps no log.`);
  await printLog(machineFolder(config, machine), (text) => void process.stdout.write(text));
}

if (process.argv[2] === "machine-log") {
  const failed = (error: unknown): void => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  };
  await printMachineLog(process.argv[3] ?? "").catch(failed);
  process.exit();
}
/** `doctor` checks everything the agent needs, and ends. */
if (process.argv[2] === "doctor") {
  const write = (text: string): void => void process.stdout.write(text);
  const readText = (path: string): string => readFileSync(path, "utf8");
  // Imported only here: it opens devices and codecs, which the core never does.
  const { runDoctor } = await import("./doctor/doctor.ts");
  const clock = systemClock();
  process.exit(
    await runDoctor(process.argv.slice(3), { environment: process.env, readFile: readText, clock, wallNow, write }),
  );
}

try {
  const config = readConfig(process.env, (path) => readFileSync(path, "utf8"));
  const log = createLog(config);
  endOnBugs(log);
  const running = await start(config, log);
  endOnSignal(running, log);
  reportReady(running, config.platformUrls.join(","));
  showLife(process.env);
  log.info({ agent: config.agentId, machines: config.machines.length }, "The agent runs.");
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
