import { join } from "node:path";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { freePort } from "./free-port.ts";
import type { Balancer, NatsServer, VenueNode } from "./nodes.ts";
import { openNodes } from "./nodes.ts";
import type { Venue, VenueOptions } from "./venue.ts";
import { openVenue } from "./venue.ts";

export type TestVenueOptions = {
  /** Builds the web first when its sources changed. Tests without a browser need none. */
  readonly web?: boolean;
  /** True: pages wish for the 30 pictures a second that players get, as in the whole run and in tests of the pictures themselves; else for 5. */
  readonly everyPicture?: boolean;
  readonly machines?: number;
  /** Serves the console too, on this port; 0: on any. */
  readonly staffPort?: number;
  /** So many of them run as cabinets and are driven over SAS. */
  readonly cabinets?: number;
  /** Repeats the same games. */
  readonly seed?: string;
  /** False: no time code is painted into the frames. */
  readonly timeCode?: boolean;
  /** From one game's start to the next one's, ms. Longer than the web's own gap between two presses, which would swallow one. */
  readonly minCycleMs?: number;
  readonly platformEnv?: Readonly<Record<string, string>>;
  readonly agentEnv?: Readonly<Record<string, string>>;
  /** Platform processes behind a balancer, with NATS between them; absent: as many as `LONGARM_NODES` says, 1 without it. */
  readonly nodes?: number;
  /** A PostgreSQL that the test runs itself; absent: one of the platform's own. */
  readonly databaseUrl?: string;
  /** An existing data folder to use; absent: a fresh one, removed at the end. */
  readonly dataFolder?: string;
  readonly connections?: VenueOptions["connections"];
  /** False: the database waits for the disk, as in a real venue; it must where the database itself is killed. Default true. */
  readonly fastDatabase?: boolean;
};

/** The venue of a test, with one platform process or several. */
export type TestVenue = Venue & {
  /** The processes of a platform of several; empty: it is one. */
  readonly nodes: readonly VenueNode[];
  /** Process ids of the platform, one or several. */
  platformPids(): number[];
  readonly nats: NatsServer | undefined;
  readonly balancer: Balancer | undefined;
};

/** Tests call far more often than players. */
const PLATFORM_ENV = { CALLS_PER_MINUTE: "100000", CALLS_PER_MINUTE_ADDRESS: "100000", MONEY_RETRY_MS: "100" };
/** Most of the processor time of a browser's test goes into painting, encoding and drawing its pictures. */
const FEW_PICTURES = { SETTINGS_FILE: join(import.meta.dirname, "test-settings.json") };

/** Settings by which no seat and no play session ends by itself while a slow computer looks at it. */
export const PATIENT = {
  IDLE_MS: "3600000",
  NO_DEPOSIT_MS: "3600000",
  WAITING_MS: "600000",
  BONUS_WAITING_MS: "600000",
} as const;

export async function openTestVenue(options: TestVenueOptions = {}): Promise<TestVenue> {
  const {
    machines = 2,
    cabinets = 0,
    seed = "e2e",
    timeCode = true,
    minCycleMs = 1_000,
    everyPicture = WHOLE_RUN,
  } = options;
  const count = options.nodes ?? Number(process.env["LONGARM_NODES"] ?? "1");
  const several = count > 1 ? await openNodes(count) : undefined;
  const venue = await openVenue({
    ...options,
    ...(several && { platforms: several.start }),
    portNumber: await freePort(),
    fastDatabase: options.fastDatabase ?? true,
    floor: { machines, cabinets, seed, timeCode, minCycleMs },
    platformEnv: {
      ...PLATFORM_ENV,
      ...(options.web === true && !everyPicture && FEW_PICTURES),
      ...options.platformEnv,
    },
    // A media process that a busy computer holds up is not replaced, unless a test is about that.
    agentEnv: { MEDIA_SILENT_MS: "20000", ...options.agentEnv },
  }).catch(async (error: unknown) => {
    await several?.close();
    throw error;
  });
  return {
    ...venue,
    nodes: several?.nodes ?? [],
    platformPids: () => (several?.nodes.map(({ keeper }) => keeper) ?? [venue.platform]).map((keeper) => keeper.pid()),
    nats: several?.nats,
    balancer: several?.balancer,
    async close() {
      await venue.close();
      await several?.close();
    },
  };
}
