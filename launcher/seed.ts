import { join } from "node:path";
import { openDatabase } from "@longarm/database/connection";
import type { Log } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { openLedger } from "@longarm/ledger/ledger";
import { platformMigrations } from "@longarm/platform/migration-sets";
import { agentOfHeader, enrolAgent } from "@longarm/platform/modules/agents/index";
import { createPlayers } from "@longarm/platform/modules/players/index";
import type { PlayDb } from "@longarm/platform/play-tables";
import { systemRandom } from "@longarm/platform/random";
import { agentKey } from "./agent-key.ts";

export type DemoPlayer = {
  readonly username: string;
  readonly password: string;
  readonly name: string;
  readonly lastname: string;
};

/** First deposit of a demo player, minor units: the balance of the design's pictures. */
export const DEMO_DEPOSIT_MINOR = 1_245_075;

/** Players of the embedded default. Their password is known to everybody, so they are marked as demo players. */
export const DEMO_PLAYERS: readonly DemoPlayer[] = [
  { username: "deniz.aydin", password: "longarm", name: "Deniz", lastname: "Aydın" },
  { username: "elif.kaya", password: "longarm", name: "Elif", lastname: "Kaya" },
];

const AGENT_NAME = "floor";
/** Where the key of our own agent is kept, in the data folder. */
const KEY_FILE = "agent.key";

/** Migrates, adds the demo players that are missing, and enrols our own agent where its key is not known. Answers the agent's key. */
export async function seed(databaseUrl: string, dataFolder: string, log: Log): Promise<{ agentKey: string }> {
  const db = openDatabase<unknown>({ url: databaseUrl, maxConnections: 2, log });
  try {
    await migrate({ pool: db.pool, sets: platformMigrations, log });
    const players = await createPlayers({ db, ledger: openLedger(db.kysely), random: systemRandom });
    for (const player of DEMO_PLAYERS) {
      const added = await players.add({ ...player, demo: true, depositMinor: DEMO_DEPOSIT_MINOR });
      if (added.is === "refused") throw new Error(`The demo player ${player.username} was refused: ${added.sentence}`);
    }
    const play = db.kysely as unknown as PlayDb;
    const key = await agentKey(join(dataFolder, KEY_FILE), {
      isKnown: async (kept) => (await agentOfHeader(play, `Bearer ${kept}`)) !== undefined,
      enrol: async () => (await enrolAgent(play, systemRandom, AGENT_NAME)).key,
    });
    return { agentKey: key };
  } finally {
    await db.close();
  }
}
