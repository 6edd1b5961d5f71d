import type { MoneyAnswer } from "@longarm/contract/game-socket";
import type { Answer } from "@longarm/link/answer";
import type { Timers } from "@longarm/link/socket";
import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { LeaveReason } from "../../../shared/play-deps.ts";
import type { LeaveRefusal, PlayState } from "./play-state.ts";
import type { Scope } from "./scope.ts";

/** A running game is waited for at most so long, ms; then the platform is asked, which says what it thinks. */
export const GAME_WAIT_MS = 15_000;

export type EndingDeps = {
  readonly timers: Timers;
  readonly state: StoreApi<PlayState>;
  readonly scope: Scope;
  /** Asks the platform to take all credits back and free the seat. */
  readonly leave: () => Promise<Answer<MoneyAnswer>>;
  /** The lobby, with the reason. */
  readonly gone: (reason: LeaveReason) => void;
};

/** How a play session ends on this page: by getting up, or because the platform says so; once. */
export class Ending {
  readonly refusal: Live<LeaveRefusal | undefined>;
  readonly #setRefusal: (refusal: LeaveRefusal | undefined) => void;
  readonly #deps: EndingDeps;

  constructor(deps: EndingDeps) {
    this.#deps = deps;
    const refusal = createStore<LeaveRefusal | undefined>(() => undefined);
    this.refusal = refusal;
    this.#setRefusal = (next) => refusal.setState(next, true);
  }

  /** Gets up. With no link there is nothing to wait for: the platform gives the credits back by itself. */
  async leave(): Promise<void> {
    const { state } = this.#deps;
    const { phase, online } = state.getState();
    if (phase === "opening" || (phase === "playing" && !online)) this.finish({ is: "left" });
    if (state.getState().phase !== "playing") return;
    state.setState({ phase: "leaving" });
    this.#setRefusal(undefined);
    await this.#gameOver();
    if (state.getState().phase !== "leaving") return;
    const answer = await this.#deps.leave();
    if (state.getState().phase !== "leaving") return;
    if (answer.is === "refused") {
      const { code, params, reason } = answer.refusal;
      state.setState({ phase: "playing" });
      this.#setRefusal({ code, params, message: reason });
    } else if (answer.is === "done" && answer.data.outcome === "unknown") state.setState({ phase: "checking" });
    else if (answer.is === "done" && answer.data.amount > 0) this.finish({ is: "left", returned: answer.data.amount });
    else this.finish({ is: "left" });
  }

  /** The platform lets nobody go in the middle of a game: its end comes by itself. A bonus may want the player first. */
  #gameOver(): Promise<void> {
    const { state, timers, scope } = this.#deps;
    const runs = ({ phase, meters }: PlayState): boolean =>
      phase === "leaving" && meters?.inGame === true && !meters.bonus;
    if (!runs(state.getState())) return Promise.resolve();
    return new Promise((over) => {
      const stops = [
        timers.after(GAME_WAIT_MS, () => end()),
        state.subscribe((now) => {
          if (!runs(now)) end();
        }),
      ];
      const end = (): void => {
        for (const stop of stops) stop();
        over();
      };
      scope.onEnd(end);
    });
  }

  /** Everything ends, then the lobby comes. A player who was leaving anyway is told no reason. */
  finish(reason: LeaveReason): void {
    const { state, scope, gone } = this.#deps;
    const { phase } = state.getState();
    if (phase === "gone") return;
    state.setState({ phase: "gone" });
    scope.end();
    const leaving = phase === "leaving" || phase === "checking";
    gone(leaving && reason.is !== "left" ? { is: "left" } : reason);
  }
}
