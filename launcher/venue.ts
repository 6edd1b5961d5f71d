import { access, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@longarm/database/clock";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import type { Log } from "@longarm/database/log";
import { systemRandom } from "@longarm/platform/random";
import type { Cabinets, VenueCabinet } from "./cabinets.ts";
import { startCabinets } from "./cabinets.ts";
import type { Keeper } from "./keeper.ts";
import { keepRunning } from "./keeper.ts";
import { sampleFloor, seed } from "./seed.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The simulated floor of our own agent. */
export type Floor = {
  readonly machines: number;
  /** So many of them run as cabinets and are driven over SAS; absent: none. */
  readonly cabinets?: number;
  /** Repeats the same games; absent: the games are not predictable. */
  readonly seed?: string | undefined;
  readonly timeCode: boolean;
  /** From one game's start to the next one's, ms; absent: the machine's own. */
  readonly minCycleMs?: number;
};

export type VenueOptions = {
  readonly host: string;
  /** 0: a free one. */
  readonly portNumber: number;
  /** Of the staff's console, 0: a free one; absent: there is no console. */
  readonly staffPort?: number;
  readonly dataFolder: string;
  readonly floor: Floor;
  readonly demo: boolean;
  /** Some days of history for a floor that begins, marked as sample data; absent: none. */
  readonly sampleDays?: boolean;
  /** A PostgreSQL of the operator's own; absent: one is run in the data folder. */
  readonly databaseUrl?: string | undefined;
  /** Our own server outlives a killed process, but no power cut; for tests. */
  readonly fastDatabase?: boolean;
  /** Log of platform and agent on standard error instead of in `data/logs`. */
  readonly verbose: boolean;
  readonly log: Log;
  /** Said while something takes long. */
  readonly say: (line: string) => void;
  /** Starts a program again when it ends unasked. Tests that kill turn it off. */
  readonly revive: boolean;
  /** Starts more than one platform process, and says where they are reached together; absent: one. */
  readonly platforms?: (start: StartPlatform) => Promise<Platforms>;
  /** Added to the environment of platform and agent, for tests. */
  readonly platformEnv?: Readonly<Record<string, string>>;
  readonly agentEnv?: Readonly<Record<string, string>>;
};

/** Starts a platform process on the platform's database, with more environment. */
export type StartPlatform = (env: Readonly<Record<string, string>>) => Keeper;
export type Platforms = {
  readonly href: string;
  readonly staffHref?: string | undefined;
  readonly platform: Keeper;
  stop(): Promise<unknown>;
};

/** Everything of one Longarm on this computer. */
export type Venue = {
  /** Where the web is, such as `http://127.0.0.1:8080`. */
  readonly href: string;
  /** Where the staff's console is; undefined: there is none. */
  readonly staffHref: string | undefined;
  readonly databaseUrl: string;
  /** The process id of our own database server now; undefined: it is the operator's. */
  databasePid(): number | undefined;
  readonly dataFolder: string;
  readonly agentKey: string;
  /** The first demo player still has the public password. */
  readonly demoPasswordHolds: boolean;
  /** And its PIN. */
  readonly demoPinHolds: boolean;
  readonly platform: Keeper;
  readonly agent: Keeper;
  /** The machines that run as cabinets. */
  readonly cabinets: readonly VenueCabinet[];
  stop(): Promise<void>;
};

/**
 * Starts the database, seeds it, and starts platform and agent with a simulated floor. Whatever was started is stopped again when
 * a later part fails; the error's message is a sentence for the person at the console where one helps.
 */
export async function startVenue(options: VenueOptions): Promise<Venue> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await mkdir(options.dataFolder, { recursive: true });
    const dataFolder = await realpath(options.dataFolder);
    const database = await openDatabase(dataFolder, options, undo);
    const databaseUrl = database.url;
    options.say("Preparing players and machines…");
    const { agentKey, ...demo } = await seed(databaseUrl, dataFolder, options.log, await sampleOf(options, dataFolder));
    const start: StartPlatform = (env) => startPlatform(options, { dataFolder, databaseUrl, env });
    const { href, staffHref, platform, stop: stopPlatforms } = await (options.platforms ?? onePlatform)(start);
    undo.push(() => stopPlatforms());
    const { cabinets, machinesList, stop: stopCabinets } = await startFloorCabinets(options, dataFolder);
    undo.push(stopCabinets);
    const agent = startAgent(options, dataFolder, { href, agentKey, machinesList });
    undo.push(() => agent.stop());
    await agent.ready();
    const { pid: databasePid } = database;
    return {
      href,
      staffHref,
      databaseUrl,
      databasePid,
      dataFolder,
      agentKey,
      ...demo,
      platform,
      agent,
      cabinets,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function sampleOf({ sampleDays = false, databaseUrl, floor }: VenueOptions, dataFolder: string) {
  const { machines, cabinets = 0 } = floor;
  const machinesList = process.env["MACHINES"];
  const agentHasRun = await access(agentFolder(dataFolder)).then(
    () => true,
    () => false,
  );
  return sampleFloor({ sampleDays, databaseUrl, machines, cabinets, machinesList, agentHasRun });
}

const agentFolder = (dataFolder: string): string => join(dataFolder, "agent");

type VenueDatabase = { readonly url: string; pid(): number | undefined };

async function openDatabase(
  dataFolder: string,
  { databaseUrl, fastDatabase = false, log, say }: VenueOptions,
  undo: (() => Promise<unknown>)[],
): Promise<VenueDatabase> {
  if (databaseUrl !== undefined) return { url: databaseUrl, pid: () => undefined };
  say("Starting the database…");
  const server = await startEmbeddedPostgres({ folder: dataFolder, log, clock: systemClock, fast: fastDatabase });
  undo.push(() => server.stop());
  return server;
}

async function onePlatform(start: StartPlatform): Promise<Platforms> {
  const platform = start({});
  try {
    const { href, staffHref } = await platform.ready();
    if (href === undefined) throw new Error("The platform did not report its address.");
    return { href, staffHref, platform, stop: () => platform.stop() };
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

type PlatformPlace = {
  readonly dataFolder: string;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<string, string>>;
};

function startPlatform(options: VenueOptions, { dataFolder, databaseUrl, env }: PlatformPlace): Keeper {
  return keepRunning({
    name: "platform",
    main: join(ROOT, "apps/platform/src/main.ts"),
    logFile: options.verbose ? null : join(dataFolder, "logs/platform.log"),
    revive: options.revive,
    // Agent and players know its port by then, also when the system chose it.
    keep: ({ href, staffHref }) => ({
      env: {
        ...(href !== undefined && { PORT: new URL(href).port || String(options.portNumber) }),
        ...(staffHref !== undefined && options.staffPort !== undefined && { STAFF_PORT: new URL(staffHref).port }),
      },
    }),
    say: options.say,
    env: {
      HOST: options.host,
      PORT: String(options.portNumber),
      ...(options.staffPort !== undefined && { STAFF_PORT: process.env["STAFF_PORT"] || String(options.staffPort) }),
      DATA_FOLDER: dataFolder,
      DATABASE_URL: databaseUrl,
      DEMO: options.demo ? "yes" : "no",
      // A floor to look at: visitors may open accounts and write to each other, unless the environment forbids it.
      REGISTRATION: process.env["REGISTRATION"] || "yes",
      TEAM_CHAT: process.env["TEAM_CHAT"] || "yes",
      ...options.platformEnv,
      ...env,
    },
  });
}

function startFloorCabinets({ floor, verbose, revive, say }: VenueOptions, dataFolder: string): Promise<Cabinets> {
  const { machines, cabinets = 0, seed: floorSeed, timeCode, minCycleMs } = floor;
  if (cabinets > 0) say(cabinets === 1 ? "Starting a cabinet…" : `Starting ${cabinets} cabinets…`);
  return startCabinets({
    ...{ machines, cabinets, seed: floorSeed, random: systemRandom, timeCode, minCycleMs },
    ...{ dataFolder, verbose, revive, say },
  });
}

type ToPlatform = { readonly href: string; readonly agentKey: string; readonly machinesList: string | undefined };

function startAgent(options: VenueOptions, dataFolder: string, to: ToPlatform): Keeper {
  const { machines, seed: floorSeed, timeCode, minCycleMs } = options.floor;
  return keepRunning({
    name: "agent",
    main: join(ROOT, "apps/agent/src/main.ts"),
    logFile: options.verbose ? null : join(dataFolder, "logs/agent.log"),
    revive: options.revive,
    say: options.say,
    env: {
      PLATFORM_URL: `${to.href.replace(/^http/, "ws")}/agent`,
      AGENT_ID: "floor",
      AGENT_KEY: to.agentKey,
      DATA_FOLDER: agentFolder(dataFolder),
      FLOOR_MACHINES: String(machines),
      ...(to.machinesList !== undefined && { MACHINES: to.machinesList }),
      FLOOR_SEED: floorSeed,
      FLOOR_TIME_CODE: timeCode ? "yes" : "no",
      FLOOR_MIN_CYCLE_MS: minCycleMs === undefined ? undefined : String(minCycleMs),
      // Players on this computer reach the agent over the loopback address.
      EXTRA_HOSTS: "127.0.0.1",
      ...options.agentEnv,
    },
  });
}
