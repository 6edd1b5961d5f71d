import { sql } from "kysely";
import type { Stop } from "../../../clock.ts";
import type { PlayDb } from "../tables.ts";
import { readAllFree, reconcileDay } from "./day.ts";
import type { ReconcileParts } from "./deps.ts";
import { agreesWithBooks, comparePlaying, LiveMeters, readFree } from "./read-machines.ts";
import { createSweep } from "./sweep.ts";

export type { Figures, Proof, Proved, Scope } from "./prove.ts";
export { prove } from "./prove.ts";

/** Orphans of seats and money, and the comparison of machines, days and ledger. */
export interface Reconciliation {
  /** Looks for orphans at once, then again and again. */
  start(): void;
  /** Reads a free machine now and compares it with the books. @returns whether it was read, nothing is under way there, and it agrees. */
  readNow(machineId: string): Promise<boolean>;
  /** Waits for what was begun. */
  close(): Promise<void>;
}

const SWEEP_LEASE = "orphan sweep";

/** Begins the work that neither a request nor an event starts (field notes 3.2 and 3.3). */
export function createReconciliation(parts: ReconcileParts): Reconciliation {
  return new Reconciler(parts);
}

class Reconciler implements Reconciliation {
  readonly #parts: ReconcileParts;
  readonly #sweep: ReturnType<typeof createSweep>;
  readonly #live: LiveMeters;
  readonly #pending = new Set<Promise<void>>();
  readonly #stops: Stop[] = [];
  /** The UTC day on which this node last read its free machines; judged by this node's clock, so each node does its own. */
  #readOn = "";
  #sweeping = false;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
    this.#sweep = createSweep(parts);
    this.#live = new LiveMeters(parts);
  }

  start(): void {
    const { deps, agents } = this.#parts;
    const { clock, bus, config } = deps;
    const isMine = (machineId: string): boolean => agents.machineIds().includes(machineId);
    this.#readOn = this.#today();
    this.#stops.push(
      clock.every(config.play.ORPHAN_SWEEP_MS, () => this.#round()),
      bus.subscribe("agent.linked", ({ machineId, connected }) => {
        if (connected && isMine(machineId))
          this.#follow("linked", async () => void (await readFree(this.#parts, machineId, "hello")));
      }),
      bus.subscribe("machine.meters", ({ machineId, meters }) => {
        this.#follow("meters", () => this.#live.reported(machineId, meters));
      }),
    );
    this.#round();
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    while (this.#pending.size > 0) await Promise.allSettled([...this.#pending]);
  }

  async readNow(machineId: string): Promise<boolean> {
    const meters = await readFree(this.#parts, machineId, "day");
    return meters !== undefined && (await agreesWithBooks(this.#parts.deps.db, machineId, meters));
  }

  #round(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    this.#follow("orphans", async () => {
      try {
        await this.#work();
      } finally {
        this.#sweeping = false;
      }
    });
  }

  async #work(): Promise<void> {
    const { db, config } = this.#parts.deps;
    const { NODE_ID, ORPHAN_SWEEP_MS } = config.play;
    if (this.#readOn !== this.#today()) {
      this.#readOn = this.#today();
      await readAllFree(this.#parts);
    }
    await comparePlaying(this.#parts, this.#live.ofThisNode());
    if (!(await takeLease(db, SWEEP_LEASE, NODE_ID, ORPHAN_SWEEP_MS * 3))) return;
    const found = await this.#sweep();
    const day = await reconcileDay(this.#parts);
    await noteLease(db, SWEEP_LEASE, { ...found, ...(day !== null && { day }) });
  }

  #today(): string {
    return new Date(this.#parts.deps.clock.now()).toISOString().slice(0, 10);
  }

  #follow(what: string, run: () => Promise<void>): void {
    const running = run()
      .catch((error: unknown) =>
        this.#parts.deps.log.error({ err: error, what }, "reconciling failed, the next round tries again"),
      )
      .finally(() => this.#pending.delete(running));
    this.#pending.add(running);
  }
}

/** Work that one node does for all. It keeps the lease while it renews it; another node takes it once it has expired. */
export async function takeLease(db: PlayDb, name: string, nodeId: string, forMs: number): Promise<boolean> {
  const { rows } = await sql`insert into worker_turn as w (name, node_id, until)
    values (${name}, ${nodeId}, clock_timestamp() + ${forMs} * interval '1 millisecond')
    on conflict (name) do update set node_id = excluded.node_id, until = excluded.until
    where w.node_id = excluded.node_id or w.until <= clock_timestamp() returning name`.execute(db);
  return rows.length > 0;
}

/** What the leased work found, for staff. */
export async function noteLease(db: PlayDb, name: string, found: Readonly<Record<string, number>>): Promise<void> {
  await sql`update worker_turn set done_at = clock_timestamp(), found = ${JSON.stringify(found)} where name = ${name}`.execute(
    db,
  );
}
