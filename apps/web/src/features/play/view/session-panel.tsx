import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { MoneySaid } from "@longarm/ui/money/money.tsx";
import { dayAndTime, elapsedText } from "@longarm/ui/time/time-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { usePlay } from "./play-context.ts";
import css from "./session-panel.module.css";

/**
 * Clock, time and net of this play session, in every state of the game; nothing hides it. A screen reader finds the figures; only a reality check
 * that comes is announced. Sources: RTS 2E, 13C, GLI-19 4.3.4. A spectator has a clock alone.
 */
export function SessionPanel() {
  const { t, language } = useText();
  const { session, deps, watching = false } = usePlay();
  const now = useNow(deps.clock, deps.timers);
  const { playSession, netMinor } = useLive(session.state);
  const due = useLive(session.state, ({ check }) => check.state === "due");
  const [, clock] = dayAndTime(now, language);
  return (
    <section className={css["panel"]} aria-label={t("play.panel")} data-panel data-watching={watching || undefined}>
      <dl>
        <div>
          <dt>{t("play.panelClock")}</dt>
          <dd className="num" dir="ltr">
            {clock}
          </dd>
        </div>
        {!watching && (
          <>
            <div>
              <dt>{t("play.panelTime")}</dt>
              <dd className="num" dir="ltr">
                {elapsedText(playSession === undefined ? 0 : now - Date.parse(playSession.startedAt))}
              </dd>
            </div>
            <div>
              <dt>{t("play.net")}</dt>
              <dd>
                <MoneySaid minor={netMinor} signed tone="ink" />
              </dd>
            </div>
          </>
        )}
      </dl>
      <p role="status" className={css["due"]} data-due={due || undefined}>
        {due && (
          <>
            <Icon name="clock" />
            {t("play.checkDue")}
          </>
        )}
      </p>
    </section>
  );
}
