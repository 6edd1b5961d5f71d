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
  /** SPIN and the bet lie under the left hand. */
  readonly leftHanded: boolean;
};

export type PreferencesStore = { readonly now: Live<Preferences>; change(part: Partial<Preferences>): void };

/** What is on or off before the player said so. */
const SWITCHES = { muted: false, clickSound: true, leftHanded: false } as const;
type Switch = keyof typeof SWITCHES;

/** `volume`: what holds before the player chose one (settings). */
export function createPreferences(storage: Storage, volume: number): PreferencesStore {
  const isOn = (key: Switch): boolean => (storage.read(STORAGE_KEYS[key]) ?? (SWITCHES[key] ? "on" : "off")) === "on";
  const now = createStore<Preferences>(() => ({
    volume: readShare(storage.read(STORAGE_KEYS.volume)) ?? volume,
    ...{ muted: isOn("muted"), clickSound: isOn("clickSound"), leftHanded: isOn("leftHanded") },
  }));
  return {
    now,
    change(part) {
      now.setState(part);
      if (part.volume !== undefined) storage.write(STORAGE_KEYS.volume, String(part.volume));
      for (const key of Object.keys(SWITCHES) as Switch[]) {
        const on = part[key];
        if (on !== undefined) storage.write(STORAGE_KEYS[key], on ? "on" : "off");
      }
    },
  };
}

function readShare(text: string | null): number | undefined {
  const share = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return share >= 0 && share <= 1 ? share : undefined;
}
