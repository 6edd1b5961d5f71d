import type { StoreApi } from "zustand/vanilla";
import { lockupOf } from "../machine/lockup.ts";
import type { PlayState, PressNote } from "../play-state.ts";
import type { PressTold } from "./panel.ts";

/** Refusals that the next look at the screen explains by itself. */
const QUIET: ReadonlySet<string> = new Set(["too soon", "tooSoon", "inGame", "not sent", "too many presses"]);
const LOCKED: ReadonlySet<string> = new Set(["doorOpen", "tilt", "handPay", "disabled", "locked"]);

/** What to tell the player of a press; undefined when the machine's picture says it. */
export function noteOf({ outcome, reason = "" }: PressTold): PressNote | undefined {
  if (outcome === "started" || outcome === "done" || outcome === "ignored") return undefined;
  if (outcome === "unknown") return "pressUnknown";
  if (outcome === "changed" || reason === "stakeChanged") return "stakeChanged";
  if (QUIET.has(reason)) return undefined;
  if (LOCKED.has(reason)) return "locked";
  return reason === "noCredit" ? "noCredit" : "pressRefused";
}

/** Whether the machine is locked, which is then said. It takes no game and no choice of stake; what calls for somebody (`service`) it does. */
export function saysLocked(
  { meters, buttons }: PlayState,
  note: Pick<StoreApi<PressNote | undefined>, "setState">,
  key?: string,
): boolean {
  const calls = key !== undefined && buttons.some(({ id, kind }) => id === key && kind === "service");
  if (calls || meters === undefined || lockupOf(meters) === undefined) return false;
  note.setState("locked", true);
  return true;
}
