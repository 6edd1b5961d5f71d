import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

/** Machines that this player has opened in this browser, the last one first. */
export type RecentMachines = { readonly ids: Live<readonly string[]>; played(id: string): void };

/** More than this are not kept; the oldest go. */
const KEPT_MAX = 12;

/** Kept with the player's id: another player of the same browser has none of them. */
export function createRecent(storage: Storage, playerId: string): RecentMachines {
  const ids = createStore<readonly string[]>(() => readIds(storage.read(STORAGE_KEYS.recentMachines), playerId));
  return {
    ids,
    played(id) {
      const next = [id, ...ids.getState().filter((other) => other !== id)].slice(0, KEPT_MAX);
      ids.setState(next, true);
      storage.write(STORAGE_KEYS.recentMachines, JSON.stringify({ player: playerId, ids: next }));
    },
  };
}

function readIds(kept: string | null, playerId: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(kept ?? "null");
    if (read === null || typeof read !== "object" || !("ids" in read) || !("player" in read)) return [];
    if (read.player !== playerId || !Array.isArray(read.ids)) return [];
    return read.ids.filter((id): id is string => typeof id === "string").slice(0, KEPT_MAX);
  } catch {
    return [];
  }
}
