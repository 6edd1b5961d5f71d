import { createStore } from "zustand/vanilla";
import type { Live } from "../../../../shared/live/live.ts";

/** How the picture is shown just now; forgotten with the screen. */
export type ScreenNow = {
  /** Turned by a quarter. */
  readonly turned: boolean;
  /** The browser keeps the sound back until the player does something. */
  readonly soundLocked: boolean;
  /** The element that shows the machine. */
  readonly video: HTMLVideoElement | null;
};
export type Screen = { readonly now: Live<ScreenNow>; change(part: Partial<ScreenNow>): void };

export function createScreen(): Screen {
  const now = createStore<ScreenNow>(() => ({ turned: false, soundLocked: false, video: null }));
  return { now, change: (part) => now.setState(part) };
}
