import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import type { House } from "../../launcher/house.ts";
import { ROOT, startHouse } from "../../launcher/house.ts";
import { buildWeb } from "../../launcher/web-build.ts";
import type { Balancer } from "./balancer.ts";
import { freePort } from "./free-port.ts";
import type { NatsServer } from "./nats-server.ts";
import type { HouseNode } from "./several-nodes.ts";
import { severalNodes } from "./several-nodes.ts";

export type TestHouseOptions = {
  /** Builds the web first when its sources changed. Tests without a browser need none. */
  readonly web?: boolean;
  readonly machines?: number;
  /** Repeats the same games. */
  readonly seed?: string;
  /** False: no time is painted into the pictures. */
  readonly timeCode?: boolean;
  /** From one game's start to the next one's, ms. Longer than the web's own gap between two presses, which would swallow one. */
  readonly minCycleMs?: number;
  readonly platformEnv?: Readonly<Record<string, string>>;
  readonly agentEnv?: Readonly<Record<string, string>>;
  /** Platform processes behind a balancer, with NATS between them; absent: as many as `LONGARM_NODES` says, 1 without it. */
  readonly nodes?: number;
  /** A PostgreSQL that the test runs itself; absent: one of the house's own. */
  readonly databaseUrl?: string;
  /** A data folder to go on with; absent: a fresh one, removed at the end. */
  readonly dataFolder?: string;
};

/** A whole Longarm of a test's own: real database, platform and agent on free ports of 127.0.0.1. */
export type TestHouse = House & {
  /** The processes of a platform of several; empty: it is one. */
  readonly nodes: readonly HouseNode[];
  /** Process ids of the platform, one or several. */
  platformPids(): number[];
  readonly nats: NatsServer | undefined;
  readonly balancer: Balancer | undefined;
  readonly ledger: Ledger;
  /** One value of the database, for what no door of the platform tells. */
  ask(sql: string): Promise<unknown>;
  close(): Promise<void>;
};

/** Tests ask far more often than people; nobody revives what they kill. */
const PLATFORM_ENV = { CALLS_PER_MINUTE: "100000", CALLS_PER_MINUTE_ADDRESS: "100000", MONEY_RETRY_MS: "100" };

export async function openTestHouse(options: TestHouseOptions = {}): Promise<TestHouse> {
  if (options.web) await buildWeb(ROOT, () => {});
  const fresh = options.dataFolder === undefined ? await temporaryDataFolder() : undefined;
  const count = options.nodes ?? Number(process.env["LONGARM_NODES"] ?? "1");
  const several = count > 1 ? await severalNodes(count) : undefined;
  const house = await startHouse({
    ...(several && { platforms: several.start }),
    host: "127.0.0.1",
    portNumber: await freePort(),
    dataFolder: options.dataFolder ?? fresh!.folder,
    databaseUrl: options.databaseUrl,
    floor: {
      machines: options.machines ?? 2,
      seed: options.seed ?? "e2e",
      timeCode: options.timeCode ?? true,
      minCycleMs: options.minCycleMs ?? 1_000,
    },
    demo: false,
    verbose: false,
    log: silentLog,
    say: () => {},
    revive: false,
    platformEnv: { ...PLATFORM_ENV, ...options.platformEnv },
    // A media process that a busy computer holds up is not replaced, unless a test is about that.
    agentEnv: { MEDIA_SILENT_MS: "20000", ...options.agentEnv },
  }).catch(async (error: unknown) => {
    await several?.close();
    await fresh?.remove();
    throw error;
  });
  const db = openDatabase<unknown>({ url: house.databaseUrl, maxConnections: 2, log: silentLog });
  return {
    ...house,
    nodes: several?.nodes ?? [],
    platformPids: () => (several?.nodes.map(({ keeper }) => keeper) ?? [house.platform]).map((keeper) => keeper.pid()),
    nats: several?.nats,
    balancer: several?.balancer,
    ledger: openLedger(db.kysely),
    async ask(sql) {
      const { rows } = await db.pool.query<{ answer: unknown }>(sql);
      return rows[0]?.answer;
    },
    async close() {
      await db.close();
      await house.stop();
      await several?.close();
      await fresh?.remove();
    },
  };
}
