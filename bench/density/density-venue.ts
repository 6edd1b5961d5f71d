import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { openLedger } from "@longarm/ledger/ledger";
import { signIn } from "@longarm/load/visitor/sign-in";
import type { Venue } from "@longarm/load/visitor/venue";
import { findVenue } from "@longarm/load/visitor/venue";
import { createPlayers } from "@longarm/platform/modules/players/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import { startVenue } from "../../launcher/venue.ts";

/** A venue whose agent is measured: so many machines, and a player for each. */
export type DensityVenue = {
  readonly venue: Venue;
  readonly machines: readonly string[];
  /** One token for each machine's player, and one for whoever watches. */
  readonly tokens: { readonly players: readonly string[]; readonly watcher: string };
  agentPid(): number;
  close(): Promise<void>;
};

/** Enough for every game of the measurements, minor units. */
const DEPOSIT_MINOR = 500_000_000;
const PASSWORD = "longarm-density";
/** The first games of the machines are plain ones: free spins and bonuses would be waited for. */
const SEED = "bench 27";
/** As many as a machine takes beside its player. */
export const SPECTATORS_MAX = 13;

/** What was started is stopped again when a later part fails. */
export async function openDensityVenue(machines: number, say: (line: string) => void): Promise<DensityVenue> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const data = await temporaryDataFolder();
    undo.push(data.remove);
    const started = await startVenue({
      ...{ host: "127.0.0.1", portNumber: 0, dataFolder: data.folder },
      // No time in the picture: no real floor has one.
      floor: { machines, seed: SEED, timeCode: false },
      ...{ demo: false, verbose: false, log: silentLog, say, revive: false },
      platformEnv: {
        CALLS_PER_MINUTE: "100000",
        CALLS_PER_MINUTE_ADDRESS: "1000000",
        LOGINS_PER_MINUTE_ADDRESS: "10000",
        SPECTATORS_MAX: String(SPECTATORS_MAX),
        WATCHED_MAX: String(SPECTATORS_MAX),
      },
    });
    undo.push(started.stop);
    const db = openDatabase<unknown>({
      ...{ url: started.databaseUrl, maxConnections: 1, log: silentLog, statementTimeoutMs: 60_000 },
    });
    undo.push(db.close);
    const desk = await createPlayers({ db, ledger: openLedger(db.kysely), random: systemRandom });
    const venue = await findVenue(started.href);
    const tokenOf = async (username: string): Promise<string> => {
      const added = await desk.add({ username, password: PASSWORD, depositMinor: DEPOSIT_MINOR });
      if (added.is === "refused") throw new Error(`A player was refused: ${added.sentence}`);
      return (await signIn(venue, { username, password: PASSWORD })).token;
    };
    const { rows } = await db.pool.query<{ id: string }>("select id from machine order by id");
    const players: string[] = [];
    for (const number of rows.keys()) players.push(await tokenOf(`player.${number + 1}`));
    const watcher = await tokenOf("watcher");
    return {
      ...{ venue, machines: rows.map(({ id }) => id), tokens: { players, watcher } },
      ...{ agentPid: () => started.agent.pid(), close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
