import type { EgmEvent } from "../../../apps/agent/src/ports/egm.ts";
import type { Cabinet } from "../world/cabinet.ts";

/** What one machine has really done, by its own record. Amounts in minor units. */
export type Truth = {
  /** Money that moved, by transfer id; an id that moved it twice stands in `twice`. */
  readonly moved: ReadonlyMap<string, { readonly direction: string; readonly amount: number }>;
  readonly twice: readonly string[];
  readonly games: readonly Extract<EgmEvent, { what: "gameEnded" }>[];
  /** Won less staked, by the transfer that had brought the last credits before the game; "": none had. */
  readonly netOf: ReadonlyMap<string, number>;
};

/** Folds everything a machine has told, in the order in which it happened. */
export function truthOf(cabinet: Cabinet): Truth {
  cabinet.look();
  const moved = new Map<string, { direction: string; amount: number }>();
  const netOf = new Map<string, number>();
  const twice: string[] = [];
  const games: Extract<EgmEvent, { what: "gameEnded" }>[] = [];
  let owner = "";
  for (const event of [...cabinet.told.values()].sort((one, other) => one.seq - other.seq)) {
    if (event.what === "transferComplete") {
      const { transferId, direction, amount } = event;
      if (moved.has(transferId)) twice.push(transferId);
      moved.set(transferId, { direction, amount });
      if (direction === "cashIn") owner = transferId;
    }
    if (event.what === "gameEnded") {
      games.push(event);
      netOf.set(owner, (netOf.get(owner) ?? 0) + event.win - event.stake);
    }
  }
  return { moved, twice, games, netOf };
}
