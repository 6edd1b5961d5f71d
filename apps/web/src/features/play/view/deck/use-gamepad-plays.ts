import { useEffect, useEffectEvent } from "react";
import { browserGamepads, watchGamepads } from "../../browser/gamepad.ts";
import type { PlayNow } from "../play-context.ts";
import { useSpin } from "./use-spin.ts";

/**
 * A gamepad in the hand: A spins, the bumpers change the bet. Behind a dialog nothing is played, and nothing either while another window has
 * the keys: the gamepad is in use there, and a page that is still to be seen hears of it too.
 */
export function useGamepadPlays(play: PlayNow): void {
  const { session } = play;
  const spin = useSpin(play);
  const press = useEffectEvent((button: "spin" | "betDown" | "betUp"): void => {
    if (document.querySelector("[role=dialog]") !== null || !document.hasFocus()) return;
    if (button === "spin") spin();
    else session.press(button);
  });
  useEffect(
    () =>
      watchGamepads(browserGamepads(), {
        spin: () => press("spin"),
        less: () => press("betDown"),
        more: () => press("betUp"),
      }),
    [],
  );
}
