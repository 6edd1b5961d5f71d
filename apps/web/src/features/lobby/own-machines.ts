import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";

/** The machines that this browser's player likes, kept between visits. */
export type Favourites = { readonly ids: Live<ReadonlySet<string>>; toggle(id: string): void };

/** Favourites that are kept; the oldest are dropped. */
const FAVOURITES_MAX = 500;

export function createFavourites(storage: Storage): Favourites {
  const kept = idsIn(parsed(storage.read(STORAGE_KEYS.favourites))).slice(-FAVOURITES_MAX);
  const ids = createStore<ReadonlySet<string>>(() => new Set(kept));
  return {
    ids,
    toggle(id) {
      const next = new Set(ids.getState());
      if (!next.delete(id)) next.add(id);
      ids.setState(next, true);
      storage.write(STORAGE_KEYS.favourites, JSON.stringify([...next].slice(-FAVOURITES_MAX)));
    },
  };
}

/** Machines that this player has opened in this browser, the last one first. */
export type RecentMachines = { readonly ids: Live<readonly string[]>; played(id: string): void };

/** Recent machines that are kept; the oldest are dropped. */
const RECENT_MAX = 12;

/** Stored with the player's id: another player of the same browser does not see them. */
export function createRecent(storage: Storage, playerId: string): RecentMachines {
  const kept = parsed(storage.read(STORAGE_KEYS.recentMachines));
  const isOwn = kept !== null && typeof kept === "object" && "player" in kept && kept.player === playerId;
  const own = isOwn && "ids" in kept ? idsIn(kept.ids) : [];
  const ids = createStore<readonly string[]>(() => own.slice(0, RECENT_MAX));
  return {
    ids,
    played(id) {
      const next = [id, ...ids.getState().filter((other) => other !== id)].slice(0, RECENT_MAX);
      ids.setState(next, true);
      storage.write(STORAGE_KEYS.recentMachines, JSON.stringify({ player: playerId, ids: next }));
    },
  };
}

const idsIn = (kept: unknown): string[] =>
  Array.isArray(kept) ? kept.filter((id): id is string => typeof id === "string") : [];

/** Storage can hold anything; text that is not JSON counts as nothing. */
function parsed(kept: string | null): unknown {
  try {
    return JSON.parse(kept ?? "null");
  } catch {
    return undefined;
  }
}
