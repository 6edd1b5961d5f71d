import type { Timers } from "@longarm/link/socket";
import { useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { useSecondsLeft } from "../../../shared/time/use-seconds-left.ts";
import { Key } from "../../../shared/ui/key.tsx";
import { Sheet } from "../../../shared/ui/sheet.tsx";
import type { Deactivation } from "../model/deactivation.ts";
import css from "./deactivated-prompt.module.css";

export type DeactivatedPromptProps = {
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
