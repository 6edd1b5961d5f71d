import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Keeper } from "../../launcher/keeper.ts";
import { describe } from "../../launcher/keeper.ts";
import type { Chance } from "../../rig/chance.ts";
import { parentsOfProcesses } from "../../tooling/checks/parents.ts";
import type { KillVenue } from "./venue.ts";
import { OWN_NAME } from "./venue.ts";

/** What is killed: a program, the whole database server, or one of its backends (which makes the server recover all of itself). */
export const TARGETS = ["platform", "agent A", "agent B", "database", "database backend"] as const;
export type Target = (typeof TARGETS)[number];

export type Killer = {
  /** kill -9. Answers false when there was nothing to kill just then. */
  kill(target: Target): Promise<boolean>;
  /** Starts it again as the launcher's supervision does, over and over until it serves. The database does that by itself. */
  bringBack(target: Target): Promise<void>;
  /** Programs that ended without a kill of ours: each is a bug. */
  readonly endedThemselves: readonly string[];
  /** From here on programs are stopped in order. */
  finish(): void;
};

type Program = {
  readonly keeper: Keeper;
  readonly log: string;
  /** The process that was killed last: its end is no surprise. */
  killedPid?: number;
  /** It is being started again, also when a start is killed in its turn. */
  starting?: Promise<void> | undefined;
};

/** What the database does for others than this run. */
const BACKENDS = `
  select pid from pg_stat_activity where backend_type = 'client backend' and application_name not like '${OWN_NAME}%' order by pid`;
/** How much of the log of a program that ended by itself is printed, characters. */
const LAST_WORDS = 1_500;

/** Waits before a start, ms; the launcher waits half a second before its first. */
const START_WAITS_MS = [0, 1_500] as const;
const AGAIN_MS = 500;
const BACK_WITHIN_MS = 120_000;

export function createKiller(venue: KillVenue, chance: Chance): Killer {
  const programs: Readonly<Record<string, Program>> = {
    platform: { keeper: venue.platform, log: join(venue.dataFolder, "logs/platform.log") },
    "agent A": { keeper: venue.agent, log: join(venue.dataFolder, "logs/agent.log") },
    "agent B": { keeper: venue.agentB, log: join(venue.dataFolder, "logs/agent-b.log") },
  };
  const endedThemselves: string[] = [];
  let finished = false;

  function watch(name: string, program: Program): void {
    const pid = program.keeper.pid();
    void program.keeper.exited().then((exit) => {
      if (program.killedPid === pid || finished) return;
      endedThemselves.push(`${name} ended by itself (${describe(exit)}): ${lastWordsOf(program.log)}`);
      void startAgain(name, program).catch((error: unknown) => endedThemselves.push(`${name}: ${String(error)}`));
    });
  }
  for (const [name, program] of Object.entries(programs)) watch(name, program);

  async function start(name: string, program: Program): Promise<void> {
    const endsAt = performance.now() + BACK_WITHIN_MS;
    await pause(chance.between(...START_WAITS_MS));
    for (;;) {
      try {
        await program.keeper.restart();
        return watch(name, program);
      } catch (error) {
        // One that comes back before its database is refused, and tried again.
        if (performance.now() > endsAt) throw error;
        await pause(AGAIN_MS);
      }
    }
  }

  function startAgain(name: string, program: Program): Promise<void> {
    program.starting ??= start(name, program).finally(() => {
      program.starting = undefined;
    });
    return program.starting;
  }

  return {
    endedThemselves,
    finish: () => {
      finished = true;
    },
    async kill(target) {
      if (target === "database backend") return await killBackend(venue, chance);
      if (target === "database") return strike(venue.databasePid());
      const program = programs[target];
      if (program === undefined) return false;
      program.killedPid = program.keeper.pid();
      await program.keeper.kill();
      return true;
    },
    async bringBack(target) {
      const program = programs[target];
      if (program !== undefined) await startAgain(target, program);
    },
  };
}

async function killBackend(venue: KillVenue, chance: Chance): Promise<boolean> {
  const found = await venue.db.pool.query<{ pid: number }>(BACKENDS).catch(() => undefined);
  const pids = found?.rows.map(({ pid }) => pid) ?? [];
  if (pids.length === 0) return false;
  const pid = chance.pick(pids);
  // Between the question and now it may have ended, and its number be somebody else's.
  return parentsOfProcesses().get(pid) === venue.databasePid() && strike(pid);
}

function lastWordsOf(file: string): string {
  return readFileSync(file, "utf8").slice(-LAST_WORDS);
}

function strike(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
