import type { Database } from "@longarm/database/connection";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { openLedger } from "@longarm/ledger/ledger";
import { createPlayers } from "@longarm/platform/modules/players/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import type { Venue } from "../../launcher/venue.ts";
import { ROOT, startVenue } from "../../launcher/venue.ts";
import { buildWeb } from "../../launcher/web-build.ts";
import { processOf } from "../../rig/process.ts";
import type { Inspector } from "./inspector.ts";
import { openInspector } from "./inspector.ts";
import { prepareTables } from "./samples.ts";
import type { AskedSoak } from "./soak-options.ts";

/** The venue of the soak: a real one, whose programs can be asked from outside what they hold. */
export type SoakVenue = Venue & {
  readonly db: Database<unknown>;
  readonly programs: readonly Program[];
  /** The page's own machine is not among them. */
  readonly machines: readonly string[];
  readonly pageMachine: string;
  readonly pagePlayer: SoakPlayer;
  /** They lose their power again and again. */
  readonly vanishing: { readonly player: SoakPlayer; readonly viewer: SoakPlayer };
  readonly players: readonly SoakPlayer[];
  readonly viewers: readonly SoakPlayer[];
  close(): Promise<void>;
};

/** A program of the venue; `pid` 0: it does not run now. */
export type Program = { readonly name: string; pid(): number; inside(): Promise<Inspector> };

export type SoakPlayer = { readonly username: string; readonly password: string; readonly pin: string };

/** Named to the server, so that the soak's own connections are not counted as the platform's. */
export const OWN_NAME = "longarm soak";
/** Large enough that nobody runs out within an hour. */
const DEPOSIT_MINOR = 500_000_000;
const PASSWORD = "longarm-soak";
const PIN = "1357";
const CYCLE_MS = 1_000;
/** An open transfer calls for staff after this, ms: from then on the books are wrong for whoever waits. */
export const TRANSFER_ALARM_MS = 60_000;

/** Short, so that an hour has many lives; the shortest that a busy computer does not trip over. */
const TIMES = {
  NO_DEPOSIT_MS: "20000",
  IDLE_MS: "20000",
  IDLE_COUNT_MS: "5000",
  WAITING_MS: "5000",
  BONUS_WAITING_MS: "8000",
  MONEY_RETRY_MS: "500",
  TRANSFER_ALARM_MS: String(TRANSFER_ALARM_MS),
};
/** All of them come from one address. */
const TALKATIVE = {
  CALLS_PER_MINUTE: "100000",
  CALLS_PER_MINUTE_ADDRESS: "100000",
  LOGINS_PER_MINUTE_ADDRESS: "10000",
  HANDSHAKES_PER_MINUTE_ADDRESS: "100000",
  SOCKETS_PER_ADDRESS: "5000",
};

/** What was started is stopped again when a later part fails. */
export async function openSoakVenue(asked: AskedSoak, say: (line: string) => void): Promise<SoakVenue> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (asked.page) await buildWeb(ROOT, say);
    const data = await temporaryDataFolder();
    undo.push(data.remove);
    const venue = await startVenue({
      ...{ host: "127.0.0.1", portNumber: 0, dataFolder: data.folder },
      floor: { machines: asked.machines, seed: `soak ${asked.seed}`, timeCode: false, minCycleMs: CYCLE_MS },
      ...{ demo: false, verbose: false, log: silentLog, say, revive: false },
      platformEnv: { ...TIMES, ...TALKATIVE, NODE_OPTIONS: INSPECTED },
      agentEnv: { NODE_OPTIONS: INSPECTED },
    });
    undo.push(venue.stop);
    const db = openDatabase<unknown>({
      ...{ url: venue.databaseUrl, maxConnections: 3, log: silentLog, applicationName: OWN_NAME },
      statementTimeoutMs: 60_000,
    });
    undo.push(db.close);
    await prepareTables(db.pool);
    const agent = (): number => venue.agent.pid();
    const programs = [
      program("platform", () => venue.platform.pid()),
      program("agent", agent),
      // The core starts it, and starts it again when it has ended.
      program("media process", () => processOf(agent(), "media-main.ts") ?? 0),
    ];
    undo.push(async () => {
      for (const one of programs) one.close();
    });
    for (const { inside } of programs) await inside();
    const { rows } = await db.pool.query<{ id: string }>("select id from machine order by id");
    const [pageMachine = "", ...machines] = rows.map(({ id }) => id);
    const players = await addPlayers(db, "player", asked.players);
    const viewers = await addPlayers(db, "viewer", asked.viewers);
    const [pagePlayer] = await addPlayers(db, "page", 1);
    const [player, viewer] = await addPlayers(db, "vanishing", 2);
    if (pagePlayer === undefined || player === undefined || viewer === undefined)
      throw new Error("Somebody is missing.");
    const people = { pagePlayer, players, viewers, vanishing: { player, viewer } };
    return { ...venue, db, programs, machines, pageMachine, ...people, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** At a port that the system chooses: the agent's media process is started with the same words. */
const INSPECTED = [process.env["NODE_OPTIONS"], "--inspect=127.0.0.1:0"].filter(Boolean).join(" ");

function program(name: string, pid: () => number): Program & { close(): void } {
  let open: { readonly pid: number; readonly inspector: Inspector } | undefined;
  return {
    name,
    pid,
    async inside() {
      const now = pid();
      if (open?.pid !== now) {
        open?.inspector.close();
        open = { pid: now, inspector: await openInspector(now) };
      }
      return open.inspector;
    },
    close: () => open?.inspector.close(),
  };
}

async function addPlayers(db: Database<unknown>, kind: string, count: number): Promise<SoakPlayer[]> {
  const desk = await createPlayers({ db, ledger: openLedger(db.kysely), random: systemRandom });
  const added: SoakPlayer[] = [];
  for (let number = 1; number <= count; number += 1) {
    const one = { username: `${kind}.${number}`, password: PASSWORD, pin: PIN };
    const answer = await desk.add({ ...one, depositMinor: DEPOSIT_MINOR });
    if (answer.is === "refused") throw new Error(`A player was refused: ${answer.sentence}`);
    await desk.givePin(answer.id, PIN);
    added.push(one);
  }
  return added;
}
