import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

/** How the player likes it; kept between visits. */
export type Preferences = {
  /** 0 to 1. */
  readonly volume: number;
  readonly muted: boolean;
  /** A click with every key. */
  readonly clickSound: boolean;
};

export type PreferencesStore = { readonly now: Live<Preferences>; change(part: Partial<Preferences>): void };

/** `volume`: what holds before the player chose one (settings). */
export function createPreferences(storage: Storage, volume: number): PreferencesStore {
  const now = createStore<Preferences>(() => ({
    volume: readShare(storage.read(STORAGE_KEYS.volume)) ?? volume,
    muted: false,
    clickSound: storage.read(STORAGE_KEYS.clickSound) !== "off",
  }));
  return {
    now,
    change(part) {
      now.setState(part);
      if (part.volume !== undefined) storage.write(STORAGE_KEYS.volume, String(part.volume));
      if (part.clickSound !== undefined) storage.write(STORAGE_KEYS.clickSound, part.clickSound ? "on" : "off");
    },
  };
}

function readShare(text: string | null): number | undefined {
  const share = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return share >= 0 && share <= 1 ? share : undefined;
}
