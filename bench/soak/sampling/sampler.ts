import type { PageHeld } from "../../figures/held.ts";
import { OF_DATABASE, OF_PAGE, ofProgram, ofTable } from "../judge/measures.ts";
import type { Records } from "../judge/records.ts";
import type { SoakVenue } from "../soak-venue.ts";
import { OWN_NAME } from "../soak-venue.ts";
import { processesBelow, readProcess } from "./process.ts";
import { readConnections, readTables } from "./tables.ts";

export type Sampler = {
  /** What the system tells of the processes: costs them nothing. */
  look(): void;
  /** Collects garbage and reads every table: costs the venue some tens of milliseconds. */
  lookInside(): Promise<void>;
  /** The kinds of what keeps each program busy, at the last look inside. */
  kinds(): string[];
  /** A sentence for each program that is not the process any more that it was at the first look. */
  ended(): string[];
};

/** `page`: what the browser's page holds; undefined: there is none. */
export function createSampler(
  venue: SoakVenue,
  records: Records,
  page: (() => Promise<PageHeld>) | undefined,
): Sampler {
  const kinds = new Map<string, string>();
  const first = new Map(venue.programs.map(({ name, pid }) => [name, pid()]));
  return {
    look() {
      const at = performance.now();
      for (const { name, pid } of venue.programs) lookAtProgram(records, name, pid(), at);
      const own = processesBelow(venue.databasePid() ?? 0).map((pid) => readProcess(pid)?.ownMb ?? 0);
      records.note(
        OF_DATABASE.own,
        at,
        own.reduce((sum, one) => sum + one, 0),
      );
    },
    async lookInside() {
      for (const { name, pid, inside } of venue.programs) {
        if (pid() !== first.get(name)) continue;
        const held = await (await inside()).held();
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
      await lookAtTables(venue, records);
      if (page === undefined) return;
      const held = await page().catch(() => undefined);
      if (held === undefined) return;
      const at = performance.now();
      records.note(OF_PAGE.heap, at, held.heapMb);
      records.note(OF_PAGE.nodes, at, held.nodes);
      records.note(OF_PAGE.listeners, at, held.listeners);
    },
    ended: () =>
      venue.programs
        .filter(({ name, pid }) => pid() !== first.get(name))
        .map(({ name }) => `The ${name} ended and was started again, so its growth was judged only until then.`),
    kinds: () => [...kinds].map(([name, line]) => `${name}: ${line}`),
  };
}

function lookAtProgram(records: Records, name: string, pid: number, at: number): void {
  const held = readProcess(pid);
  // One that is being started again.
  if (held === null) return;
  const measures = ofProgram(name);
  records.note(measures.resident, at, held.residentMb);
  records.note(measures.files, at, held.files);
  records.note(measures.connected, at, held.connected);
  records.note(measures.halfClosed, at, held.halfClosed);
  records.note(measures.udp, at, held.udp);
  records.note(measures.threads, at, held.threads);
}

async function lookAtTables({ db }: SoakVenue, records: Records): Promise<void> {
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
