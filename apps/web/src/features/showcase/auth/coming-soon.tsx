import { useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useSecondsLeft } from "../../../shared/time/use-seconds-left.ts";
import { useHost } from "../host.ts";
import { AuthForm } from "./auth-form.tsx";
import { FORMS } from "./auth-forms.ts";
import { AuthFrame } from "./auth-frame.tsx";
import css from "./coming-soon.module.css";

/** How far ahead the opening lies when the page is opened, ms: fifteen days. */
const AHEAD_MS = 15 * 86_400_000;

/** Something opens in fifteen days, counted down to the second. */
export function ComingSoon() {
  const { t } = useText();
  return (
    <AuthFrame shape="card" heading={t(FORMS.subscribe.heading)} about={t(FORMS.subscribe.about)}>
      <Countdown />
      <AuthForm spec={FORMS.subscribe} />
    </AuthFrame>
  );
}

function Countdown() {
  const { t } = useText();
  const { clock, timers } = useHost();
  const [until] = useState(() => clock.now() + AHEAD_MS);
  const seconds = useSecondsLeft(until, clock, timers);
  const parts: readonly (readonly [TextKey, number])[] = [
    ["templateAuth.days", Math.floor(seconds / 86_400)],
    ["templateAuth.hours", Math.floor(seconds / 3_600) % 24],
    ["templateAuth.minutes", Math.floor(seconds / 60) % 60],
    ["templateAuth.seconds", seconds % 60],
  ];
  return (
    <div role="timer" className={`${css["countdown"]} num`}>
      {parts.map(([key, value]) => (
        <span key={key}>
          <b>{String(value).padStart(2, "0")}</b> <small>{t(key)}</small>
        </span>
      ))}
    </div>
  );
}
