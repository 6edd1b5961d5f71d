import { databaseNow } from "../../play-base/database-time.ts";
import type { MetersNow } from "../../play-tables.ts";
import type { ReconcileParts } from "./parts.ts";

/**
 * Notices credits that come to a machine which nobody has, and that they go again: live meters are not kept, and nobody may sit down
 * at credits of somebody else. The sweep calls for staff.
 */
export class NobodysCredits {
  readonly #parts: ReconcileParts;
  readonly #credits = new Map<string, number>();

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  /** Every word on a machine's meters; only the step from nothing to something, and back, is looked at. */
  async told(machineId: string, meters: MetersNow): Promise<void> {
    const before = this.#credits.get(machineId);
    this.#credits.set(machineId, meters.credit);
    if (before === undefined ? meters.credit === 0 : before > 0 === meters.credit > 0) return;
    // The node that has the agent's link sees to it.
    if (!this.#parts.agents.machineIds().includes(machineId)) return;
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
