import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";
import { usePlay } from "./play-context.ts";
import css from "./waiters.module.css";

/** How many wait for the player's machine; a tap says what follows from it. Absent while there are none. */
export function Waiters() {
  const { t, language } = useText();
  const { session, deps, watching = false } = usePlay();
  const turn = useLive(session.state, (state) => state.turn);
  const count = useLive(deps.waiting) ?? 0;
  if (count === 0 || watching) return null;
  const said =
    turn?.until === undefined
      ? t(turn === undefined ? "play.waitersBody" : "play.turnLimit", { count: turn?.limitMin ?? count })
      : t("play.turnUntil", { time: dayAndTime(turn.until, language)[1] });
  return (
    <button
      type="button"
      className={css["waiters"]}
      aria-label={`${t("play.panelWaiting")}: ${count}`}
      title={said}
      data-waiters={count}
      onClick={() => deps.say("info", said)}
    >
      <Icon name="people" />
      <span className="num">{count}</span>
    </button>
  );
}
