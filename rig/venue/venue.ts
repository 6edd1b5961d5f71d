import type { Database } from "@longarm/database/connection";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import type { TemporaryFolder } from "@longarm/database/testing/data-folder";
import { migratedDataFolder, temporaryDataFolder } from "@longarm/database/testing/data-folder";
import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { platformMigrations } from "@longarm/platform/migration-sets";
import { createPlayers } from "@longarm/platform/modules/players/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import type { Floor, VenueOptions as LauncherOptions, Venue as LauncherVenue } from "../../launcher/venue.ts";
import { ROOT, startVenue } from "../../launcher/venue.ts";
import { buildPage } from "../../launcher/web-build.ts";

export type VenueOptions = Pick<
  LauncherOptions,
  "platformEnv" | "agentEnv" | "platforms" | "databaseUrl" | "staffPort"
> & {
  readonly floor: Floor;
  /** Builds the web first when its sources changed. A venue without browsers needs none. */
  readonly web?: boolean;
  /** An existing data folder to use; absent: a fresh one, removed at the end. */
  readonly dataFolder?: string | undefined;
  /** Its own PostgreSQL does not wait for the disk: killed processes lose nothing, a power cut would. */
  readonly fastDatabase?: boolean;
  /** 0: a free port. */
  readonly portNumber?: number;
  readonly say?: (line: string) => void;
  /** The kit's own connections to the database. */
  readonly connections?:
    | { readonly max: number; readonly applicationName?: string; readonly statementMs?: number }
    | undefined;
};

/** A player of the kit, who can sign in. */
export type VenuePlayer = {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly pin: string;
};

/** A whole Longarm on free ports of 127.0.0.1: database, platform, and an agent with simulated machines. Killed programs stay down. */
export type Venue = LauncherVenue & {
  readonly db: Database<unknown>;
  readonly ledger: Ledger;
  /** One value of the database, named `answer`. */
  ask(sql: string): Promise<unknown>;
  machineIds(): Promise<string[]>;
  /** Adds players called `kind.1` and so on, with a deposit and a PIN. */
  addPlayers(kind: string, count: number, depositMinor: number): Promise<VenuePlayer[]>;
  close(): Promise<void>;
};

/** Everything comes from one address, far more often than from real players. */
export const NO_RATE_LIMITS = {
  CALLS_PER_MINUTE: "100000",
  CALLS_PER_MINUTE_ADDRESS: "1000000",
  LOGINS_PER_MINUTE_ADDRESS: "10000",
  SOCKETS_PER_ADDRESS: "10000",
  HANDSHAKES_PER_MINUTE_ADDRESS: "1000000",
  MESSAGES_PER_SECOND_ADDRESS: "1000000",
} as const;

const PASSWORD = "longarm-rig";
const PIN = "1357";

/** Starts a venue. What was started is stopped again when a later part fails. */
export async function openVenue(options: VenueOptions): Promise<Venue> {
  const { floor, web = false, portNumber = 0, say = () => {}, connections = { max: 2 } } = options;
  const undo: (() => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    for (const step of undo.reverse()) await step();
  }
  const close = (): Promise<void> => {
    closing ??= closeAll();
    return closing;
  };
  try {
    if (web) await buildPage(ROOT, "web", say);
    if (options.staffPort !== undefined) await buildPage(ROOT, "console", say);
    const fresh = options.dataFolder === undefined ? await freshDataFolder(options) : undefined;
    if (fresh) undo.push(fresh.remove);
    const started = await startVenue({
      ...{ host: "127.0.0.1", portNumber, dataFolder: options.dataFolder ?? fresh?.folder ?? "" },
      ...{ floor, say, demo: false, verbose: false, log: silentLog, revive: false },
      databaseUrl: options.databaseUrl,
      fastDatabase: options.fastDatabase ?? false,
      ...(options.platforms && { platforms: options.platforms }),
      ...(options.staffPort !== undefined && { staffPort: options.staffPort }),
      ...(options.platformEnv && { platformEnv: options.platformEnv }),
      ...(options.agentEnv && { agentEnv: options.agentEnv }),
    });
    undo.push(started.stop);
    const { max, applicationName, statementMs } = connections;
    const db = openDatabase<unknown>({
      ...{ url: started.databaseUrl, maxConnections: max, log: silentLog },
      ...(applicationName !== undefined && { applicationName }),
      ...(statementMs !== undefined && { statementTimeoutMs: statementMs }),
    });
    undo.push(db.close);
    return { ...started, ...kitOf(db), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function freshDataFolder({ fastDatabase = false, databaseUrl }: VenueOptions): Promise<TemporaryFolder> {
  return fastDatabase && databaseUrl === undefined ? migratedDataFolder(platformMigrations) : temporaryDataFolder();
}

function kitOf(db: Database<unknown>): Omit<Venue, keyof LauncherVenue | "close"> {
  const ledger = openLedger(db.kysely);
  return {
    db,
    ledger,
    async ask(sql) {
      const { rows } = await db.pool.query<{ answer: unknown }>(sql);
      return rows[0]?.answer;
    },
    async machineIds() {
      const { rows } = await db.pool.query<{ id: string }>("select id from machine order by id");
      return rows.map(({ id }) => id);
    },
    async addPlayers(kind, count, depositMinor) {
      const players = await createPlayers({ db, ledger, random: systemRandom });
      const added: VenuePlayer[] = [];
      for (let number = 1; number <= count; number += 1) {
        const account = { username: `${kind}.${number}`, password: PASSWORD, pin: PIN };
        const answer = await players.add({ ...account, depositMinor });
        if (answer.is === "refused") throw new Error(`A player was refused: ${answer.sentence}`);
        await players.givePin(answer.id, PIN);
        added.push({ id: answer.id, ...account });
      }
      return added;
    },
  };
}
