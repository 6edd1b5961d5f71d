import type { EgmButton, EgmDescription } from "../ports/egm.ts";

/** Keeps the least times between presses, for machines that would take them faster. Times are ms by the agent's clock. */
export interface Gaps {
  /** Whether a press of this button would come too early. */
  tooSoon(button: EgmButton, nowMs: number): boolean;
  pressed(button: EgmButton, nowMs: number): void;
  /** The machine did not play it: the corrected press may follow at once. */
  takenBack(button: EgmButton): void;
  gameStarted(nowMs: number): void;
}

export function createGaps(limits: EgmDescription["limits"]): Gaps {
  const lastPressed = new Map<string, number>();
  let lastStart = Number.NEGATIVE_INFINITY;
  return {
    tooSoon: (button, nowMs) => {
      const sincePress = nowMs - (lastPressed.get(button.id) ?? Number.NEGATIVE_INFINITY);
      if (sincePress < button.minGapMs) return true;
      return button.kind === "wager" && nowMs - lastStart < limits.minCycleMs;
    },
    pressed: (button, nowMs) => {
      lastPressed.set(button.id, nowMs);
    },
    takenBack: (button) => {
      lastPressed.delete(button.id);
    },
    gameStarted: (nowMs) => {
      lastStart = nowMs;
    },
  };
}
