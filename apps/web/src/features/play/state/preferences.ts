import type { Language } from "@longarm/contract/settings";
import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

export type Hand = "left" | "right";

/** How the player likes it; kept between visits. */
export type Preferences = {
  /** 0 to 1. */
  readonly volume: number;
  readonly muted: boolean;
  /** A click with every button. */
  readonly clickSound: boolean;
  /** On which side SPIN and the bet are; undefined: at the end of the page's reading direction. */
  readonly hand: Hand | undefined;
};

/** The side where SPIN is not by default: it is at the end of the reading direction, which in Arabic is on the left. */
export function otherHand(language: Language): Hand {
  return language === "ar" ? "right" : "left";
}

export type PreferencesStore = { readonly now: Live<Preferences>; change(part: Partial<Preferences>): void };

/** What is on or off until the player chooses. */
const SWITCHES = { muted: false, clickSound: true } as const;
type Switch = keyof typeof SWITCHES;

/** `volume`: from the settings, until the player chooses one. */
export function createPreferences(storage: Storage, volume: number): PreferencesStore {
  const isOn = (key: Switch): boolean => (storage.read(STORAGE_KEYS[key]) ?? (SWITCHES[key] ? "on" : "off")) === "on";
  const now = createStore<Preferences>(() => ({
    volume: readShare(storage.read(STORAGE_KEYS.volume)) ?? volume,
    ...{ muted: isOn("muted"), clickSound: isOn("clickSound") },
    hand: readHand(storage.read(STORAGE_KEYS.hand)),
  }));
  return {
    now,
    change(part) {
      now.setState(part);
      if (part.volume !== undefined) storage.write(STORAGE_KEYS.volume, String(part.volume));
      if ("hand" in part) {
        if (part.hand === undefined) storage.remove(STORAGE_KEYS.hand);
        else storage.write(STORAGE_KEYS.hand, part.hand);
      }
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

function readHand(text: string | null): Hand | undefined {
  return text === "left" || text === "right" ? text : undefined;
}
