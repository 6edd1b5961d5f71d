import type { ReconcileParts } from "../parts.ts";
import { seeToNobodysMoney, seeToOldHolds, seeToOldTransfers } from "./money.ts";
import { callForStuck, closeLostSessions, mendSeats } from "./seats.ts";

/** What each look found, by its name. */
export type Found = Readonly<Record<string, number>>;

/**
 * Looks for everything that no event and no time of its own would ever move: the orphan sweep of the field notes' section 3.2. Each find is
 * resolved or called for. Links and game sockets that ended in silence are seen to by their leases (play/work.ts).
 */
export function createSweep(parts: ReconcileParts): () => Promise<Found> {
  const stuck = new Map<string, { key: string; since: number }>();
  const looks: Readonly<Record<string, () => Promise<number>>> = {
    transfers: () => seeToOldTransfers(parts),
    holds: () => seeToOldHolds(parts),
    seats: () => mendSeats(parts),
    sessions: () => closeLostSessions(parts),
    money: () => seeToNobodysMoney(parts),
    stuck: () => callForStuck(parts, stuck),
  };
  return async () => {
    const found: Record<string, number> = {};
    for (const [name, look] of Object.entries(looks)) {
      try {
        found[name] = await look();
      } catch (error) {
        // One look that fails keeps none of the others away; the next round tries again.
        found[name] = -1;
        parts.deps.log.error({ err: error, look: name }, "looking for orphans failed");
      }
    }
    return found;
  };
}
