import { useEffect, useRef } from "react";
import type { PlayNow } from "../play-context.ts";
import { useSpin } from "./use-spin.ts";

/** These keep the space bar for themselves; in a drawer or a sheet nothing behind it is played. */
const FIELDS = "input, textarea, select, [contenteditable], [role=dialog]";
const CONTROLS = "button, a, [role=slider]";
/** Keys that carry the focus from control to control. */
const WALKING_KEY = /^(Tab|Home|End|Arrow)/;

/**
 * The space bar presses SPIN wherever the focus is, except in fields and on other controls that were reached by keyboard: a key that
 * was clicked keeps a focus nobody sees, and must not swallow the next game. A held space bar presses once.
 */
export function useSpaceSpins(play: PlayNow, enabled: boolean): void {
  const spin = useSpin(play);
  const walked = useWalked();
  useEffect(pressEnterOnce, []);
  useEffect(() => {
    if (!enabled) return;
    let taken = false;
    const down = (event: KeyboardEvent): void => {
      if (event.code !== "Space" || !spins(event.target, walked.current)) return;
      taken = true;
      // Also of a held key, and on a button, whose own click would come when the key is let go.
      event.preventDefault();
      if (!event.repeat) spin();
    };
    const up = (event: KeyboardEvent): void => {
      if (event.code === "Space" && taken) event.preventDefault();
      taken = event.code !== "Space" && taken;
    };
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    return () => {
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
    };
  }, [enabled, spin, walked]);
}

/**
 * A browser clicks again and again while Enter is held, also on the key that has the focus after a sheet was closed by it: a held key
 * would play game after game, or send money twice.
 */
function pressEnterOnce(): () => void {
  const down = (event: KeyboardEvent): void => {
    const writes = event.target instanceof Element && event.target.closest("textarea, [contenteditable]") !== null;
    if (event.key === "Enter" && event.repeat && !writes) event.preventDefault();
  };
  addEventListener("keydown", down);
  return () => removeEventListener("keydown", down);
}

/**
 * Whether the focus was last moved by keyboard. `:focus-visible` does not tell: a browser turns it on with the very key that is being
 * judged, also where a mouse left the focus.
 */
function useWalked(): { readonly current: boolean } {
  const walked = useRef(true);
  useEffect(() => {
    const pointed = (): void => {
      walked.current = false;
    };
    const keyed = ({ key }: KeyboardEvent): void => {
      if (WALKING_KEY.test(key)) walked.current = true;
    };
    addEventListener("pointerdown", pointed, true);
    addEventListener("keydown", keyed, true);
    return () => {
      removeEventListener("pointerdown", pointed, true);
      removeEventListener("keydown", keyed, true);
    };
  }, []);
  return walked;
}

function spins(target: EventTarget | null, walked: boolean): boolean {
  if (!(target instanceof Element)) return true;
  if (target.closest(FIELDS) !== null) return false;
  const control = target.closest(CONTROLS);
  return control === null || control.hasAttribute("data-spin") || !walked;
}
