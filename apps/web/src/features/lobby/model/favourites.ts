import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

/** The machines that this browser's player likes, kept between visits. */
export type Favourites = { readonly ids: Live<ReadonlySet<string>>; toggle(id: string): void };

/** More than this are not kept; the oldest go. */
const KEPT_MAX = 500;

export function createFavourites(storage: Storage): Favourites {
  const ids = createStore<ReadonlySet<string>>(() => new Set(readIds(storage.read(STORAGE_KEYS.favourites))));
  return {
    ids,
    toggle(id) {
      const next = new Set(ids.getState());
      if (!next.delete(id)) next.add(id);
      ids.setState(next, true);
      storage.write(STORAGE_KEYS.favourites, JSON.stringify([...next].slice(-KEPT_MAX)));
    },
  };
}

function readIds(kept: string | null): string[] {
  try {
    const list: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(list) ? list.filter((id): id is string => typeof id === "string").slice(-KEPT_MAX) : [];
  } catch {
    return [];
  }
}
