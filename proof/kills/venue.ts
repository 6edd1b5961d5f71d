import { join } from "node:path";
import type { Database } from "@longarm/database/connection";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { openLedger } from "@longarm/ledger/ledger";
import { enrolAgent } from "@longarm/platform/modules/play/agents/index";
import type { PlayDb } from "@longarm/platform/modules/play/tables";
import { createPlayers } from "@longarm/platform/modules/players/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import type { Credentials } from "../../e2e/player/player.ts";
import type { TestVenue } from "../../e2e/venue/test-venue.ts";
import { openTestVenue } from "../../e2e/venue/test-venue.ts";
import type { Keeper } from "../../launcher/keeper.ts";
import { keepRunning } from "../../launcher/keeper.ts";
import { ROOT } from "../../launcher/venue.ts";

/** A real Longarm with two agents, each with machines of its own, whose every part may be killed. */
export type KillVenue = {
  readonly venue: TestVenue;
  readonly agentB: Keeper;
  /** Machines by agent. */
  readonly machines: Readonly<Record<"agent A" | "agent B", readonly string[]>>;
  /** Data folders of the agents. */
  readonly folders: Readonly<Record<"agent A" | "agent B", string>>;
  readonly players: readonly KillPlayer[];
  /** Connections of the run's own, which a killed database takes along like everybody's. */
  readonly db: Database<unknown>;
  close(): Promise<void>;
};

export type KillPlayer = Credentials & { readonly id: string };

export const DEPOSIT_MINOR = 5_000_000;
/** Named to the server, so that kills hit the platform's backends and not the run's own. */
export const OWN_NAME = "longarm proof";
const PASSWORD = "longarm-proof";
const MACHINES_A = 3;
/** Wins from there on are paid by hand on the machines of agent B: often enough that kills meet them. */
const HAND_PAY_FROM_MINOR = 6_000;
const CYCLE_MS = 300;

/** Short enough that a run meets each of them, and that everything comes to rest soon after it. */
const PLATFORM_ENV = {
  NO_DEPOSIT_MS: "15000",
  IDLE_MS: "15000",
  IDLE_COUNT_MS: "3000",
  WAITING_MS: "3000",
  BONUS_WAITING_MS: "5000",
  MONEY_RETRY_MS: "300",
  LOGINS_PER_MINUTE_ADDRESS: "10000",
  HANDSHAKES_PER_MINUTE_ADDRESS: "100000",
  SOCKETS_PER_ADDRESS: "5000",
  // Pictures are not what this is about.
  STILL_EVERY_MS: "60000",
};

export async function openKillVenue({ seed, players }: { seed: string; players: number }): Promise<KillVenue> {
  const venue = await openTestVenue({
    ...{ nodes: 1, machines: MACHINES_A, seed: `kills ${seed}`, timeCode: false, minCycleMs: CYCLE_MS },
    platformEnv: PLATFORM_ENV,
  });
  const db = openDatabase<unknown>({
    ...{ url: venue.databaseUrl, maxConnections: 4, log: silentLog, applicationName: OWN_NAME },
    statementTimeoutMs: 60_000,
  });
  let agentB: Keeper | undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeAll();
    return closing;
  };
  async function closeAll(): Promise<void> {
    await db.close();
    await agentB?.stop();
    await venue.close();
  }
  try {
    const added = await addPlayers(db, players);
    const folder = join(venue.dataFolder, "agent-b");
    agentB = startAgentB(venue, folder, (await enrolAgent(playDb(db), systemRandom, "floor b")).key, seed);
    await agentB.ready();
    const floor = await playDb(db).selectFrom("machine").select("id").orderBy("id").execute();
    const machinesA = floor.map(({ id }) => id).filter((id) => !MACHINES_B.includes(id));
    return {
      ...{ venue, agentB, players: added, db, close },
      machines: { "agent A": machinesA, "agent B": MACHINES_B },
      folders: { "agent A": join(venue.dataFolder, "agent"), "agent B": folder },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const MACHINES_B: readonly string[] = ["pera-71", "pera-72", "kuzey-73"];

function startAgentB(venue: TestVenue, folder: string, key: string, seed: string): Keeper {
  const machines = MACHINES_B.map((id) => ({
    ...{ driver: "simulated", id, name: id, brand: id.split("-")[0] },
    handPayFrom: HAND_PAY_FROM_MINOR,
  }));
  return keepRunning({
    name: "agent B",
    main: join(ROOT, "apps/agent/src/main.ts"),
    logFile: join(venue.dataFolder, "logs/agent-b.log"),
    revive: false,
    say: () => {},
    env: {
      PLATFORM_URL: `${venue.href.replace(/^http/, "ws")}/agent`,
      AGENT_ID: "floor-b",
      AGENT_KEY: key,
      DATA_FOLDER: folder,
      MACHINES: JSON.stringify(machines),
      FLOOR_SEED: `kills ${seed} b`,
      FLOOR_TIME_CODE: "no",
      FLOOR_MIN_CYCLE_MS: String(CYCLE_MS),
      EXTRA_HOSTS: "127.0.0.1",
    },
  });
}

async function addPlayers(db: Database<unknown>, count: number): Promise<KillPlayer[]> {
  const desk = await createPlayers({ db, ledger: openLedger(db.kysely), random: systemRandom });
  const added: KillPlayer[] = [];
  for (let number = 1; number <= count; number += 1) {
    const credentials = { username: `player.${number}`, password: PASSWORD };
    const answer = await desk.add({ ...credentials, depositMinor: DEPOSIT_MINOR });
    if (answer.is === "refused") throw new Error(`A player was refused: ${answer.sentence}`);
    added.push({ ...credentials, id: answer.id });
  }
  return added;
}

/** The tables of play, for the run's own questions. */
export function playDb(db: Database<unknown>): PlayDb {
  return db.kysely as unknown as PlayDb;
}
