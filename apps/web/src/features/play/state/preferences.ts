import type { Language } from "@longarm/contract/settings";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
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
  /** Frames evenly, some ms later, rather than each at once. */
  readonly smooth: boolean;
  /** On which side SPIN and the bet are; undefined: at the end of the page's reading direction. */
  readonly hand: Hand | undefined;
};

/** The side where SPIN is not by default: it is at the end of the reading direction, which in Arabic is on the left. */
export function otherHand(language: Language): Hand {
  return language === "ar" ? "right" : "left";
}

export type PreferencesStore = { readonly now: Live<Preferences>; change(part: Partial<Preferences>): void };

/** What is on or off until the player chooses. */
const SWITCHES = { muted: false, clickSound: true, smooth: false } as const;
type Switch = keyof typeof SWITCHES;

/** `volume`: from the settings, until the player chooses one. */
export function createPreferences(storage: Storage, volume: number): PreferencesStore {
  const isOn = (key: Switch): boolean => (storage.read(STORAGE_KEYS[key]) ?? (SWITCHES[key] ? "on" : "off")) === "on";
  const now = createStore<Preferences>(() => ({
    volume: readShare(storage.read(STORAGE_KEYS.volume)) ?? volume,
    ...{ muted: isOn("muted"), clickSound: isOn("clickSound"), smooth: isOn("smooth") },
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

/** Where the small video is, in reading direction: "start" is left in a left-to-right language. */
export const CORNERS = ["topStart", "topEnd", "bottomEnd", "bottomStart"] as const;
export type Corner = (typeof CORNERS)[number];
export type RoomCameraNow = { readonly open: boolean; readonly corner: Corner };
/** Whether the player wants to see the room, and where; kept between visits. */
export type RoomCamera = { readonly now: Live<RoomCameraNow>; change(part: Partial<RoomCameraNow>): void };

const FIRST: RoomCameraNow = { open: true, corner: "bottomStart" };

export function createRoomCamera(storage: Storage): RoomCamera {
  const now = createStore<RoomCameraNow>(() => readRoomCamera(storage.read(STORAGE_KEYS.roomCamera)));
  return {
    now,
    change(part) {
      now.setState(part);
      const { open, corner } = now.getState();
      storage.write(STORAGE_KEYS.roomCamera, `${open ? "on" : "off"} ${corner}`);
    },
  };
}

function readRoomCamera(kept: string | null): RoomCameraNow {
  const [open, place] = (kept ?? "").split(" ");
  const corner = CORNERS.find((one) => one === place);
  return corner === undefined ? FIRST : { open: open !== "off", corner };
}

/** The next corner clockwise, for a tap or Enter. */
export function cornerAfter(corner: Corner): Corner {
  return CORNERS[(CORNERS.indexOf(corner) + 1) % CORNERS.length] ?? corner;
}

export type Side = "top" | "bottom" | "start" | "end";

/** The next corner on this side; the same one at the edge. */
export function cornerTowards(corner: Corner, side: Side): Corner {
  const [row, column] = corner.startsWith("top")
    ? (["top", corner.slice(3)] as const)
    : (["bottom", corner.slice(6)] as const);
  if (side === "top" || side === "bottom") return `${side}${column as "Start" | "End"}`;
  return `${row}${side === "start" ? "Start" : "End"}`;
}

/** The nearest corner: `x`, `y` as shares of the screen, from the left and the top. */
export function cornerAt(x: number, y: number, rightToLeft: boolean): Corner {
  const column = x < 0.5 === rightToLeft ? "End" : "Start";
  return `${y < 0.5 ? "top" : "bottom"}${column}`;
}
