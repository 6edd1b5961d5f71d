import type { Live } from "@longarm/ui/live.ts";
import { useMedia } from "@longarm/ui/use-media.ts";
import { createContext, use } from "react";
import { createStore } from "zustand/vanilla";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import type { Throttle } from "../../../shared/throttle/throttle.ts";
import type { KeySounds } from "../browser/key-sounds.ts";
import type { PlaySession } from "../state/play-session.ts";
import type { PreferencesStore, RoomCamera } from "../state/preferences.ts";

/** What every part of the game screen reads. */
export type PlayNow = {
  readonly session: PlaySession;
  readonly deps: PlayDeps;
  readonly machineName: string;
  /** Only watched: nothing of it is the player's own. */
  readonly watching?: boolean;
  readonly preferences: PreferencesStore;
  readonly sounds: KeySounds;
  readonly screen: Screen;
  /** The player's choice about the room camera; absent for a spectator. */
  readonly roomCamera?: RoomCamera;
  /** Keeps tool and money buttons from acting twice on one double click. */
  readonly throttle: Throttle;
  /** Opens the money sheet. */
  readonly openMoney: (direction: "cashIn" | "cashOut") => void;
  /** Leaves the machine, after a confirmation where there is credit or others watch; absent for a spectator. */
  readonly requestLeave?: () => void;
  /** Opens what the machine states of itself; absent where the screen has no room for it. */
  readonly openAbout?: () => void;
  /** Opens the rules that hold at this machine; absent for a spectator. */
  readonly openRules?: () => void;
  /** Opens the settings of autoplay. */
  readonly openAutoplay: () => void;
};

export const PlayContext = createContext<PlayNow | undefined>(undefined);

export function usePlay(): PlayNow {
  const play = use(PlayContext);
  if (play === undefined) throw new Error("PlayContext is missing above this component");
  return play;
}

/** Clicks as the player likes it. */
export function useClick(): (kind: "key" | "spin") => void {
  const { preferences, sounds } = usePlay();
  return (kind) => {
    const { clickSound, muted, volume } = preferences.now.getState();
    if (clickSound && !muted) sounds.click(kind, volume);
  };
}

/** How the video is shown now; not kept after the screen closes. */
export type ScreenNow = {
  /** Turned by a quarter. */
  readonly turned: boolean;
  /** The browser blocks the sound until the player makes a gesture. */
  readonly soundLocked: boolean;
  /** The element that shows the machine. */
  readonly video: HTMLVideoElement | null;
};
export type Screen = { readonly now: Live<ScreenNow>; change(part: Partial<ScreenNow>): void };

export function createScreen(): Screen {
  const now = createStore<ScreenNow>(() => ({ turned: false, soundLocked: false, video: null }));
  return { now, change: (part) => now.setState(part) };
}

/** Less motion is wanted: by the system, or by the player, whose choice is an attribute of `<html>` and does not change at a machine. */
export function useStill(): boolean {
  const system = useMedia("(prefers-reduced-motion: reduce)");
  return system || document.documentElement.hasAttribute("data-still");
}
