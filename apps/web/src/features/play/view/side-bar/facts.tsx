import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { elapsedText } from "../../../../shared/time/time-text.ts";
import { useNow } from "../../../../shared/time/use-now.ts";
import { usePlay } from "../play-context.ts";
import css from "./side-bar.module.css";

/** What there is to know of this play session: how long, how much was played, and what it cost. */
export function Facts() {
  const { t } = useText();
  const { session, deps } = usePlay();
  const now = useNow(deps.clock, deps.timers);
  const wallet = useLive(deps.wallet);
  const { playSession, meters, gamesBefore, netMinor } = useLive(session.state);
  const games = meters === undefined || gamesBefore === undefined ? 0 : Math.max(0, meters.gamesPlayed - gamesBefore);
  const started = playSession === undefined ? now : Date.parse(playSession.startedAt);
  const pending = wallet?.pending ?? 0;
  return (
    <dl className={css["facts"]}>
      <Fact name={t("play.session")} figure>
        {elapsedText(now - started)}
      </Fact>
      <Fact name={t("play.games")} figure>
        {games}
      </Fact>
      <Fact name={t("play.freeSpins")} figure>
        {meters?.freeSpins ?? 0}
      </Fact>
      {netMinor !== undefined && (
        <Fact name={t("play.net")}>
          <Money minor={netMinor} signed tone="ink" />
        </Fact>
      )}
      <Fact name={t("play.wallet")}>{wallet !== undefined && <Money minor={wallet.balance} />}</Fact>
      {pending > 0 && (
        <Fact name={t("play.pending")}>
          <Money minor={pending} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, figure = false, children }: { name: string; figure?: boolean; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      {figure ? (
        <dd className="num" dir="ltr">
          {children}
        </dd>
      ) : (
        <dd>{children}</dd>
      )}
    </div>
  );
}
