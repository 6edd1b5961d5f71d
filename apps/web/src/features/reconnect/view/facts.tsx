import type { Timers } from "@longarm/link/socket";
import { useText } from "../../../shared/i18n/use-text.ts";
import type { Live } from "../../../shared/live/live.ts";
import { useLive } from "../../../shared/live/live.ts";
import { LOCALES } from "../../../shared/money/format.ts";
import { Money } from "../../../shared/money/money.tsx";
import type { WalletNow } from "../../../shared/play-deps.ts";
import { elapsedText } from "../../../shared/time/time-text.ts";
import { useNow } from "../../../shared/time/use-now.ts";
import { useSecondsLeft } from "../../../shared/time/use-seconds-left.ts";
import type { Reconnectable } from "../model/variant.ts";
import css from "./reconnect.module.css";

export type Ticking = { readonly clock: { now(): number }; readonly timers: Timers };

/** What is known of the play session: credits on the machine, how long it runs, its spins. */
export function Facts({
  session,
  wallet,
  clock,
  timers,
}: Ticking & { session: Reconnectable; wallet: Live<WalletNow> }) {
  const { t, language } = useText();
  const credit = useLive(wallet, (now) => now?.onMachine);
  const now = useNow(clock, timers);
  const started = Date.parse(session.started_at ?? "");
  const facts = [
    credit !== undefined && { word: t("reconnect.credit"), value: <Money minor={credit} /> },
    !Number.isNaN(started) && {
      word: t("reconnect.time"),
      value: (
        <bdi className="num" dir="ltr">
          {elapsedText(now - started)}
        </bdi>
      ),
    },
    typeof session.spin_count === "number" && {
      word: t("reconnect.spins"),
      value: <span className="num">{new Intl.NumberFormat(LOCALES[language]).format(session.spin_count)}</span>,
    },
  ].filter((fact) => fact !== false);
  if (facts.length === 0) return null;
  return (
    <dl className={css["facts"]}>
      {facts.map(({ word, value }) => (
        <div key={word}>
          <dt className="plate">{word}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How long the seat is still kept, while that is known and not over. */
export function SecondsLeft({ until, clock, timers }: Ticking & { until: string }) {
  const { t } = useText();
  const seconds = useSecondsLeft(Date.parse(until), clock, timers);
  return seconds > 0 ? <> {t("reconnect.secondsLeft", { count: seconds })}</> : null;
}
