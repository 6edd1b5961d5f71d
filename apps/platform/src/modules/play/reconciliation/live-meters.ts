import { databaseNow } from "../../../database-time.ts";
import type { MetersNow } from "../tables.ts";
import type { ReconcileParts } from "./parts.ts";

/** The last word of each machine on its meters. They are not kept in the database while nothing happens, so credits of nobody are seen here. */
export class LiveMeters {
  readonly #parts: ReconcileParts;
  readonly #last = new Map<string, MetersNow>();

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  /** Machines of this node's links, with what they said last. */
  ofThisNode(): Map<string, MetersNow> {
    const mine = new Set(this.#parts.agents.machineIds());
    return new Map([...this.#last].filter(([machineId]) => mine.has(machineId)));
  }

  /**
   * Every word on a machine's meters. Credits that come to a machine which nobody has, and that they go again, are written down: nobody may
   * sit down at credits of somebody else, and the sweep calls for staff.
   */
  async told(machineId: string, meters: MetersNow): Promise<void> {
    const before = this.#last.get(machineId);
    this.#last.set(machineId, meters);
    if (before === undefined ? meters.credit === 0 : before.credit > 0 === meters.credit > 0) return;
    // The node that has the agent's link sees to it.
    if (!this.#parts.agents.machineIds().includes(machineId)) return;
    try {
      await this.#write(machineId, meters);
    } catch (error) {
      // As if it had not been heard: the next word is written down then.
      if (before === undefined) this.#last.delete(machineId);
      else this.#last.set(machineId, before);
      throw error;
    }
  }

  async #write(machineId: string, meters: MetersNow): Promise<void> {
    await this.#parts.seats.within(machineId, async (seat) => {
      if (seat.row.state !== "free" || meters.inGame) return;
      await seat.trx
        .updateTable("machine")
        .set({ meters: JSON.stringify(meters), meters_at: databaseNow() })
        .where("id", "=", machineId)
        .execute();
    });
  }
}
