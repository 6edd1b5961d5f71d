import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

/** The ids of the items that a player has starred, in the order of starring. */
export type Shortcuts = { readonly ids: Live<readonly string[]>; toggle(id: string): void };

/** Players whose stars one browser keeps; the longest unused go. */
const PLAYERS_MAX = 20;

/** The stars of one player, kept between visits; before the first change they are what the platform says. */
export function createShortcuts(storage: Storage, playerId: string, told: readonly string[] | undefined): Shortcuts {
  const ids = createStore<readonly string[]>(() => read(storage).get(playerId) ?? told ?? []);
  return {
    ids,
    toggle(id) {
      const now = ids.getState();
      const next = now.includes(id) ? now.filter((other) => other !== id) : [...now, id];
      ids.setState(next, true);
      const kept = read(storage);
      kept.delete(playerId);
      kept.set(playerId, next);
      storage.write(STORAGE_KEYS.shortcuts, JSON.stringify([...kept].slice(-PLAYERS_MAX)));
    },
  };
}

function read(storage: Storage): Map<string, readonly string[]> {
  const kept = new Map<string, readonly string[]>();
  for (const entry of list(storage.read(STORAGE_KEYS.shortcuts))) {
    const [player, ids]: unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof player !== "string" || !Array.isArray(ids)) continue;
    kept.set(
      player,
      ids.filter((id): id is string => typeof id === "string"),
    );
  }
  return kept;
}

function list(text: string | null): unknown[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
