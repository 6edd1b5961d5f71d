import type { PressTold } from "./panel.ts";

/** How long the last press took, ms. `toPictureMs`: to the first picture taken after the machine had it. */
export type PressTimes = { readonly toMachineMs: number; readonly toPictureMs: number | undefined };

/** A picture that should show a press but has not come by then never will. */
const PICTURE_WAIT_MS = 2_000;

/** Follows the last press from the finger to the machine and to its effect on the screen. */
export class PressTimer {
  #waiting: { readonly pressedAt: number; readonly takenAt: number } | undefined;
  #times: PressTimes | undefined;

  get times(): PressTimes | undefined {
    return this.#times;
  }

  /** `toPage` turns a moment of the agent's clock into one of the page's. */
  told({ outcome, at, pressedAt }: PressTold, toPage: (agentMs: number) => number): void {
    if (at === undefined || (outcome !== "started" && outcome !== "done")) return;
    this.#waiting = { pressedAt, takenAt: at };
    this.#times = { toMachineMs: Math.max(0, toPage(at) - pressedAt), toPictureMs: undefined };
  }

  /** A picture taken at `capturedAt` of the agent's clock is on the screen since `shownAt` of the page's. */
  seen(capturedAt: number, shownAt: number): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.#times === undefined || capturedAt < waiting.takenAt) return;
    this.#waiting = undefined;
    const toPictureMs = shownAt - waiting.pressedAt;
    if (toPictureMs >= 0 && toPictureMs <= PICTURE_WAIT_MS) this.#times = { ...this.#times, toPictureMs };
  }
}
