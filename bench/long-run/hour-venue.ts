import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { createPlayers } from "@longarm/platform/modules/players/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import type { DemoPlayer } from "../../launcher/seed.ts";
import { DEMO_DEPOSIT_MINOR, DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Venue } from "../../launcher/venue.ts";
import { ROOT, startVenue } from "../../launcher/venue.ts";
import { buildWeb } from "../../launcher/web-build.ts";
import { runLongarm } from "../../rig/venue/staff.ts";

/** The venue of the hour: a real one, whose staff can be asked and whose database can be read. */
export type HourVenue = Venue & {
  readonly ledger: Ledger;
  readonly players: readonly DemoPlayer[];
  /** One value of the database, named `answer`. */
  ask(sql: string): Promise<unknown>;
  /** One line of staff's command line. Answers what it said, or undefined when it could not be done. */
  staff(...words: string[]): Promise<string | undefined>;
  close(): Promise<void>;
};

const MACHINES = 6;
const CYCLE_MS = 2_000;
const THIRD: DemoPlayer = {
  username: "arda.yildiz",
  password: "longarm",
  pin: "2468",
  name: "Arda",
  lastname: "Yıldız",
  email: "arda.yildiz@example.com",
};

/** Short enough that an hour meets each of them often. */
const TIMES = { IDLE_MS: "30000", IDLE_COUNT_MS: "25000", NO_DEPOSIT_MS: "60000", WAITING_MS: "90000" };
const TALKATIVE = { CALLS_PER_MINUTE: "100000", CALLS_PER_MINUTE_ADDRESS: "100000", LOGINS_PER_MINUTE_ADDRESS: "1000" };

export async function openHourVenue(seed: string, say: (line: string) => void): Promise<HourVenue> {
  await buildWeb(ROOT, say);
  const data = await temporaryDataFolder();
  const venue = await startVenue({
    ...{ host: "127.0.0.1", portNumber: 0, dataFolder: data.folder },
    floor: { machines: MACHINES, seed: `hour ${seed}`, timeCode: true, minCycleMs: CYCLE_MS },
    ...{ demo: false, verbose: false, log: silentLog, say, revive: false },
    platformEnv: { ...TIMES, ...TALKATIVE },
  }).catch(async (error: unknown) => {
    await data.remove();
    throw error;
  });
  const db = openDatabase<unknown>({ url: venue.databaseUrl, maxConnections: 2, log: silentLog });
  const ledger = openLedger(db.kysely);
  const players = await createPlayers({ db, ledger, random: systemRandom });
  const third = await players.add({ ...THIRD, demo: true, depositMinor: DEMO_DEPOSIT_MINOR });
  if (third.is === "refused") throw new Error(`The third player was refused: ${third.sentence}`);
  await players.givePin(third.id, THIRD.pin);
  return {
    ...venue,
    ledger,
    players: [...DEMO_PLAYERS, THIRD],
    async ask(sql) {
      const { rows } = await db.pool.query<{ answer: unknown }>(sql);
      return rows[0]?.answer;
    },
    async staff(...words) {
      const { code, said } = await runLongarm(venue, words);
      return code === 0 ? said.join("\n") : undefined;
    },
    async close() {
      await db.close();
      await venue.stop();
      await data.remove();
    },
  };
}
