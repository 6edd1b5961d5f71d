import type { Timers } from "@longarm/link/socket";
import { createStore } from "zustand/vanilla";
import type { Live } from "../../../shared/live/live.ts";
import type { IdleWatch } from "./idle-watch.ts";

/** How long the question waits for an answer, ms (decision D-43). */
export const ANSWER_MS = 60_000;

/** `until`: ms since 1970. */
export type DeactivationState = { readonly is: "quiet" } | { readonly is: "asking"; readonly until: number };

export type Deactivation = {
  readonly state: Live<DeactivationState>;
  /** The player is there and goes on. */
  goOn(): void;
  /** Another page of the product is open now: what could not be asked there may be asked here. */
  pageChanged(): void;
  end(): void;
};

export type DeactivationDeps = {
  readonly watch: IdleWatch;
  readonly clock: { now(): number };
  readonly timers: Timers;
  /** Idle time before the question, ms. */
  readonly afterMs: number;
  /** False on the game route, where the platform's own countdown rules. */
  readonly mayAsk: () => boolean;
  /** Nobody answered. */
  readonly leave: () => void;
};

/** Asks a player who has not acted for a long time whether to continue. */
export function createDeactivation({ watch, clock, timers, afterMs, mayAsk, leave }: DeactivationDeps): Deactivation {
  const state = createStore<DeactivationState>(() => ({ is: "quiet" }));
  let isAway = false;
  let stopTimer = (): void => {};

  function quiet(): void {
    stopTimer();
    watch.ignoreInputs(false);
    state.setState({ is: "quiet" }, true);
  }
  function ask(): void {
    if (!isAway || !mayAsk() || state.getState().is === "asking") return;
    const until = clock.now() + ANSWER_MS;
    watch.ignoreInputs(true);
    state.setState({ is: "asking", until }, true);
    waitFor(until);
  }
  /** By the clock, not by the timer: a computer that slept leaves at wake. */
  function waitFor(until: number): void {
    stopTimer = timers.after(Math.max(1, until - clock.now()), () => {
      if (clock.now() < until) return waitFor(until);
      // Asked once: the next input makes it possible again.
      isAway = false;
      quiet();
      leave();
    });
  }

  const stop = watch.on(
    afterMs,
    () => {
      isAway = true;
      ask();
    },
    () => {
      isAway = false;
      quiet();
    },
  );
  return {
    state,
    goOn() {
      quiet();
      watch.touch();
    },
    // Only for somebody who was brought here without an input: leaving the game is one.
    pageChanged() {
      if (state.getState().is === "asking" && !mayAsk()) quiet();
      else ask();
    },
    end() {
      stop();
      quiet();
    },
  };
}
