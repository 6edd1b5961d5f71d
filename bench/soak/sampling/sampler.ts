import type { PageHeld } from "../../figures/held.ts";
import { OF_DATABASE, OF_PAGE, ofProgram, ofTable } from "../judge/measures.ts";
import type { Records } from "../judge/records.ts";
import type { SoakHouse } from "../soak-house.ts";
import { OWN_NAME } from "../soak-house.ts";
import { processesBelow, readProcess } from "./process.ts";
import { readConnections, readTables } from "./tables.ts";

export type Sampler = {
  /** What the system tells of the processes: costs them nothing. */
  look(): void;
  /** Collects garbage and reads every table: costs the house some tens of milliseconds. */
  lookInside(): Promise<void>;
  /** The kinds of what keeps each program busy, at the last look inside. */
  kinds(): string[];
};

const PROGRAMS = ["platform", "agent"] as const;

/** `page`: what the browser's page holds; undefined: there is none. */
export function createSampler(
  house: SoakHouse,
  records: Records,
  page: (() => Promise<PageHeld>) | undefined,
): Sampler {
  const kinds = new Map<string, string>();
  return {
    look() {
      const at = performance.now();
      for (const name of PROGRAMS) lookAtProgram(records, name, house[name].pid(), at);
      const own = processesBelow(house.databasePid() ?? 0).map((pid) => readProcess(pid)?.ownMb ?? 0);
      records.note(
        OF_DATABASE.own,
        at,
        own.reduce((sum, one) => sum + one, 0),
      );
    },
    async lookInside() {
      for (const name of PROGRAMS) {
        const held = await house.inside[name].held();
        const measures = ofProgram(name);
        const at = performance.now();
        records.note(measures.heap, at, held.heapMb);
        records.note(measures.external, at, held.externalMb);
        records.note(measures.resources, at, held.resources);
        kinds.set(
          name,
          Object.entries(held.kinds)
            .map(([kind, count]) => `${kind} ${count}`)
            .join(", "),
        );
      }
      await lookAtTables(house, records);
      if (page === undefined) return;
      const held = await page().catch(() => undefined);
      if (held === undefined) return;
      const at = performance.now();
      records.note(OF_PAGE.heap, at, held.heapMb);
      records.note(OF_PAGE.nodes, at, held.nodes);
      records.note(OF_PAGE.listeners, at, held.listeners);
    },
    kinds: () => [...kinds].map(([name, line]) => `${name}: ${line}`),
  };
}

function lookAtProgram(records: Records, name: string, pid: number, at: number): void {
  const held = readProcess(pid);
  // A program that has ended is told by those who play.
  if (held === null) return;
  const measures = ofProgram(name);
  records.note(measures.resident, at, held.residentMb);
  records.note(measures.files, at, held.files);
  records.note(measures.connected, at, held.connected);
  records.note(measures.halfClosed, at, held.halfClosed);
  records.note(measures.udp, at, held.udp);
  records.note(measures.threads, at, held.threads);
}

async function lookAtTables({ db }: SoakHouse, records: Records): Promise<void> {
  const tables = await readTables(db.pool);
  const connections = await readConnections(db.pool, OWN_NAME);
  const at = performance.now();
  for (const { name, rows, deadRows, beyondMb } of tables) {
    const measures = ofTable(name);
    records.note(measures.beyond, at, beyondMb);
    records.note(measures.dead, at, deadRows);
    if (measures.rows !== undefined) records.note(measures.rows, at, rows);
  }
  records.note(
    OF_DATABASE.beyond,
    at,
    tables.reduce((sum, { beyondMb }) => sum + beyondMb, 0),
  );
  records.note(
    OF_DATABASE.dead,
    at,
    tables.reduce((sum, { deadRows }) => sum + deadRows, 0),
  );
  records.note(OF_DATABASE.connections, at, connections);
}
