import { join } from "node:path";
import type { Database } from "@longarm/database/connection";
import { enrolAgent } from "@longarm/platform/modules/play/agents/index";
import type { PlayDb } from "@longarm/platform/modules/play/tables";
import { systemRandom } from "@longarm/platform/random";
import { sql } from "kysely";
import { factoryState } from "../../apps/agent/src/drivers/simulated/memory/apply.ts";
import type { MachineState } from "../../apps/agent/src/drivers/simulated/memory/state.ts";
import { openMemory } from "../../apps/agent/src/drivers/simulated/memory/store.ts";
import { openJournalFile } from "../../apps/agent/src/journal/open.ts";
import type { MachineMemory } from "../../apps/agent/src/journal/state.ts";
import { systemFiles } from "../../apps/agent/src/system-files.ts";
import type { Keeper } from "../../launcher/keeper.ts";
import { keepRunning } from "../../launcher/keeper.ts";
import { ROOT } from "../../launcher/venue.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import type { VenuePlayer } from "../../rig/venue/venue.ts";

/** A venue with two agents, each with machines of its own, whose every part may be killed. */
export type KillVenue = TestVenue & {
  readonly agentB: Keeper;
  /** Machines by agent. */
  readonly machines: Readonly<Record<"agent A" | "agent B", readonly string[]>>;
  /** Data folders of the agents. */
  readonly folders: Readonly<Record<"agent A" | "agent B", string>>;
  readonly players: readonly VenuePlayer[];
};

const DEPOSIT_MINOR = 5_000_000;
/** Named to the server, so that kills hit the platform's backends and not the run's own. */
export const OWN_NAME = "longarm proof";
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
    connections: { max: 4, applicationName: OWN_NAME, statementMs: 60_000 },
    fastDatabase: false,
  });
  let agentB: Keeper | undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= Promise.resolve(agentB?.stop()).then(() => venue.close());
    return closing;
  };
  try {
    const added = await venue.addPlayers("player", players, DEPOSIT_MINOR);
    const machinesA = await venue.machineIds();
    const folder = join(venue.dataFolder, "agent-b");
    const { key } = await enrolAgent(playDb(venue.db), systemRandom, "floor b");
    agentB = startAgentB(venue, folder, key, seed);
    await agentB.ready();
    return {
      ...{ ...venue, agentB, players: added, close },
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

/** The tables of play, for the run's own questions. */
export function playDb(db: Database<unknown>): PlayDb {
  return db.kysely as unknown as PlayDb;
}

/* The machines' own memories and the agents' journals against the platform's books, once the agents have ended. */

type Sums = {
  readonly games: number;
  readonly wageredTotal: number;
  readonly wonTotal: number;
  readonly handPaidTotal: number;
  readonly cashInTotal: number;
  readonly cashOutTotal: number;
};
type Decided = { readonly id: string; readonly direction: string; readonly state: string; readonly amount: number };

export async function recordFaults({ folders, machines, db }: KillVenue): Promise<string[]> {
  const faults: string[] = [];
  for (const name of ["agent A", "agent B"] as const) {
    const { state, file } = await openJournalFile(systemFiles, join(folders[name], "journal"));
    await file.close();
    for (const id of machines[name]) {
      const memory = await openMemory(join(folders[name], "machines", id), factoryState([]));
      const fault = (sentence: string): void => void faults.push(`${id}: ${sentence}`);
      const decided = await decidedOf(db, id);
      compareMachine(memory.state(), await sumsOf(db, id), decided, fault);
      compareJournal(state.get(id), decided, fault);
      await memory.close();
    }
  }
  return faults;
}

type ReportFault = (sentence: string) => void;

function compareMachine(
  state: MachineState,
  booked: Sums,
  decided: ReadonlyMap<string, Decided>,
  fault: ReportFault,
): void {
  const { wageredTotal, wonTotal, handPaidTotal, cashInTotal, cashOutTotal } = state.totals;
  const own: Sums = {
    games: state.gamesPlayed,
    ...{ wageredTotal, wonTotal, handPaidTotal, cashInTotal, cashOutTotal },
  };
  for (const name of Object.keys(own) as (keyof Sums)[])
    if (own[name] !== booked[name]) fault(`its ${name} is ${own[name]}, the books make ${booked[name]}`);
  if (state.credit !== 0) fault(`${state.credit} are left on it`);
  if (state.game !== null || state.handPay !== null) fault("a game or a hand pay is open on it");
  const ids = [...state.done, ...state.refused].map(({ transferId }) => transferId);
  if (new Set(ids).size !== ids.length) fault("it has applied an id twice");
  for (const record of state.done) {
    const row = decided.get(record.transferId);
    const moved = record.state === "done" ? record.amount : 0;
    const same = row?.state === "done" && row.direction === record.direction && row.amount === moved;
    if (!same) fault(`it did ${JSON.stringify(record)}, the books say ${JSON.stringify(row)}`);
  }
  for (const { transferId } of state.refused)
    if (decided.get(transferId)?.state === "done") fault(`it refused ${transferId}, the books say it was done`);
}

function compareJournal(
  memory: MachineMemory | undefined,
  decided: ReadonlyMap<string, Decided>,
  fault: ReportFault,
): void {
  if (memory === undefined) fault("its agent has no journal of it");
  const unsent = (memory?.waiting ?? []).filter(({ told }) => "phase" in told);
  if (unsent.length > 0) fault(`${unsent.length} starts and ends of games never reached the platform`);
  for (const { id, outcome } of memory?.transfers.values() ?? []) {
    const row = decided.get(id);
    if (outcome === undefined) fault(`its agent does not know what became of ${id}`);
    else if (outcome.outcome !== row?.state || outcome.amount !== row.amount)
      fault(`its agent wrote ${JSON.stringify(outcome)} of ${id}, the books say ${JSON.stringify(row)}`);
  }
}

async function decidedOf({ kysely }: Database<unknown>, machineId: string): Promise<Map<string, Decided>> {
  const { rows } = await sql<Decided>`
    select id, direction, state, amount from machine_transfer where machine_id = ${machineId}`.execute(kysely);
  return new Map(rows.map((row) => [row.id, row]));
}

async function sumsOf({ kysely }: Database<unknown>, machineId: string): Promise<Sums> {
  const { rows } = await sql<Sums>`
    select g.*, h.*, t.* from
      (select count(*) as games, coalesce(sum(stake), 0)::bigint as "wageredTotal", coalesce(sum(win), 0)::bigint as "wonTotal"
        from game where machine_id = ${machineId}) g,
      (select coalesce(sum(amount), 0)::bigint as "handPaidTotal" from hand_pay
        where machine_id = ${machineId} and confirmed_at is not null) h,
      (select coalesce(sum(amount) filter (where direction = 'cashIn'), 0)::bigint as "cashInTotal",
        coalesce(sum(amount) filter (where direction = 'cashOut'), 0)::bigint as "cashOutTotal"
        from machine_transfer where machine_id = ${machineId} and state = 'done') t`.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error(`The books say nothing of ${machineId}.`);
  return row;
}
