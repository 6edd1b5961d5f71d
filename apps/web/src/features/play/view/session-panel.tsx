import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { MoneySaid } from "@longarm/ui/money/money.tsx";
import { dayAndTime, elapsedText } from "@longarm/ui/time/time-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { useEffect, useEffectEvent } from "react";
import { usePlay } from "./play-context.ts";
import css from "./session-panel.module.css";
import { Waiters } from "./waiters.tsx";

/**
 * Clock, time and net of this play session, in every state of the game; nothing hides it. A screen reader finds the figures; only a reality check
 * that comes is announced. Sources: RTS 2E, 13C, GLI-19 4.3.4. A spectator has a clock alone.
 */
export function SessionPanel() {
  const { t, language } = useText();
  const { session, deps, watching = false } = usePlay();
  const now = useNow(deps.clock, deps.timers);
  const { playSession, netMinor } = useLive(session.state);
  const waiting = useLive(deps.waiting) ?? 0;
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
            {waiting > 0 && (
              <div className={css["waiting"]}>
                <dt>{t("play.panelWaiting")}</dt>
                <dd>
                  <Waiters />
                </dd>
              </div>
            )}
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
      {!watching && <Turn />}
    </section>
  );
}

/** So long before the end of a turn the player reads it, minutes. */
const NOTICE_MIN = [5, 1] as const;
const MINUTE_MS = 60_000;

/** How long the player may sit while others wait: a quiet line; and a message at the start, since small screens have no room for the line, when it begins to run, and near its end. */
function Turn() {
  const { t, language } = useText();
  const { session, deps } = usePlay();
  const turn = useLive(session.state, (state) => state.turn);
  const until = turn?.until;
  const limit = turn?.limitMin;
  const sayLimit = useEffectEvent((count: number) => {
    if (until === undefined) deps.say("info", t("play.turnLimit", { count }));
  });
  useEffect(() => {
    if (limit !== undefined) sayLimit(limit);
  }, [limit]);
  useEffect(() => {
    if (until === undefined) return;
    const soon = (minutes: number) => t("play.turnSoon", { count: minutes });
    const left = until - deps.clock.now();
    const untilSaid = t("play.turnUntil", { time: dayAndTime(until, language)[1] });
    deps.say("info", left <= NOTICE_MIN[0] * MINUTE_MS ? soon(Math.ceil(left / MINUTE_MS)) : untilSaid);
    const stops = NOTICE_MIN.flatMap((minutes) => {
      const inMs = left - minutes * MINUTE_MS;
      return inMs > 0 ? [deps.timers.after(inMs, () => deps.say("info", soon(minutes)))] : [];
    });
    return () => {
      for (const stop of stops) stop();
    };
  }, [until, deps, t, language]);
  if (turn === undefined) return null;
  return (
    <p className={css["turn"]} data-turn>
      {until === undefined
        ? t("play.turnLimit", { count: turn.limitMin })
        : t("play.turnUntil", { time: dayAndTime(until, language)[1] })}
    </p>
  );
}
