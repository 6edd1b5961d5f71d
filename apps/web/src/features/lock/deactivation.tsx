import type { Timers } from "@longarm/link/socket";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import { useState } from "react";
import { createStore } from "zustand/vanilla";
import css from "./deactivation.module.css";
import type { IdleWatch } from "./idle-watch.ts";

/** How long the question waits for an answer, ms (decision D-43). */
export const ANSWER_MS = 60_000;

/** `until`: ms since 1970. */
type DeactivationState = { readonly is: "quiet" } | { readonly is: "asking"; readonly until: number };

type Deactivation = {
  readonly state: Live<DeactivationState>;
  /** The player is there and goes on. */
  goOn(): void;
  /** Another page of the product is open now: the question may be possible here. */
  pageChanged(): void;
  end(): void;
};

type DeactivationDeps = {
  readonly watch: IdleWatch;
  readonly clock: { now(): number };
  readonly timers: Timers;
  /** Idle time before the question, ms. */
  readonly afterMs: number;
  /** False on the game route, where the platform's own countdown rules. */
  readonly mayAsk: () => boolean;
  /** The question was not answered in time. */
  readonly leave: () => void;
};

/** Asks the player after a long time without an input whether to continue. */
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
      // Shown once: the next input makes it possible again.
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
    // Only for a player who came here without an input: leaving the game is one.
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

type DeactivatedPromptProps = {
  readonly deactivation: Deactivation;
  readonly clock: { now(): number };
  readonly timers: Timers;
};

/** Asks whether the player is still there, with the seconds that are left to answer. */
export function DeactivatedPrompt({ deactivation, clock, timers }: DeactivatedPromptProps) {
  const { t } = useText();
  const state = useLive(deactivation.state);
  return (
    <Sheet open={state.is === "asking"} onClose={deactivation.goOn} title={t("lock.deactiveTitle")}>
      <div className={css["body"]}>
        <p>{t("lock.deactiveContent")}</p>
        {state.is === "asking" && <Left until={state.until} clock={clock} timers={timers} />}
        <Key kind="brass" big onClick={deactivation.goOn}>
          {t("lock.continue")}
        </Key>
      </div>
    </Sheet>
  );
}

/** Seen every second, said at these only. */
const SAID_AT = [60, 30, 10, 5];

function Left({ until, clock, timers }: { until: number; clock: { now(): number }; timers: Timers }) {
  const { t } = useText();
  const seconds = useSecondsLeft(until, clock, timers);
  const [first] = useState(seconds);
  const isSaid = seconds === first || SAID_AT.includes(seconds);
  return (
    <>
      <p className={css["left"]} role="timer" aria-live="off">
        {t("lock.left", { count: seconds })}
      </p>
      <span className="visually-hidden" role="status">
        {/* For its own second alone: with the line above it would be read twice. */}
        {isSaid && t("lock.left", { count: seconds })}
      </span>
    </>
  );
}
