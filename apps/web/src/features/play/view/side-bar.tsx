import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Money } from "../../../shared/money/money.tsx";
import { elapsedText } from "../../../shared/time/time-text.ts";
import { useNow } from "../../../shared/time/use-now.ts";
import { IconButton, Key } from "../../../shared/ui/key.tsx";
import { Sheet } from "../../../shared/ui/sheet.tsx";
import { useMedia } from "../../../shared/ui/use-media.ts";
import { useClick, usePlay } from "./play-context.ts";
import css from "./side-bar.module.css";

const WIDE = "(min-width: 78.01rem) and (min-height: 31.01rem)";

/** The side bar of 240 px: on a wide screen it takes its own room, elsewhere it is a drawer over the game. */
export function SideBar({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useText();
  const wide = useMedia(WIDE);
  const { machineName } = usePlay();
  if (!wide) {
    return (
      <Sheet
        open={open}
        onClose={onClose}
        title={t("play.sideBar")}
        bareTitle
        form="end"
        className={css["drawer"] ?? ""}
      >
        <Contents name={machineName} onClose={onClose} />
      </Sheet>
    );
  }
  if (!open) return null;
  return (
    <aside className={css["side"]} aria-label={t("play.sideBar")}>
      <Contents name={machineName} onClose={onClose} />
    </aside>
  );
}

function Contents({ name, onClose }: { name: string; onClose: () => void }) {
  const { t } = useText();
  const { session, preferences, openMoney } = usePlay();
  const click = useClick();
  const { online, phase, machine, buttons, meters } = useLive(session.state);
  const { volume, clickSound } = useLive(preferences.now);
  return (
    <div className={css["contents"]}>
      <div className={css["head"]}>
        <h2>
          <bdi>{machine?.name ?? name}</bdi>
        </h2>
        <IconButton icon="close" label={t("app.close")} onClick={onClose} />
      </div>
      <Facts />
      <label className={css["slider"]}>
        {t("play.volume")}
        <input
          type="range"
          min="0"
          max="1"
          step="0.01"
          value={volume}
          style={{ "--share": `${volume * 100}%` } as React.CSSProperties}
          onChange={({ target }) => preferences.change({ volume: Number(target.value), muted: false })}
        />
      </label>
      <label className={css["switch"]}>
        {t("play.clickSound")}
        <input
          type="checkbox"
          checked={clickSound}
          onChange={({ target }) => preferences.change({ clickSound: target.checked })}
        />
      </label>
      {buttons
        .filter(({ kind }) => kind === "service")
        .map(({ id }) => (
          <Key key={id} icon="player" disabled={!online} onClick={() => session.press(id) === "sent" && click("key")}>
            {t("play.attendant")}
          </Key>
        ))}
      <Key icon="cashOut" disabled={!online || (meters?.credit ?? 0) === 0} onClick={() => openMoney("cashOut")}>
        {t("play.toWallet")}
      </Key>
      <Key kind="danger" className={css["leave"]} busy={phase === "leaving"} onClick={() => session.leave()}>
        {t("play.leave")}
      </Key>
    </div>
  );
}

/** What there is to know of this play session. */
function Facts() {
  const { t } = useText();
  const { session, deps } = usePlay();
  const now = useNow(deps.clock, deps.timers);
  const wallet = useLive(deps.wallet);
  const { playSession, meters, gamesBefore } = useLive(session.state);
  const games = meters === undefined || gamesBefore === undefined ? 0 : Math.max(0, meters.gamesPlayed - gamesBefore);
  const started = playSession === undefined ? now : Date.parse(playSession.startedAt);
  return (
    <dl className={css["facts"]}>
      <div>
        <dt>{t("play.session")}</dt>
        <dd className="num" dir="ltr">
          {elapsedText(now - started)}
        </dd>
      </div>
      <div>
        <dt>{t("play.games")}</dt>
        <dd className="num">{games}</dd>
      </div>
      <div>
        <dt>{t("play.freeSpins")}</dt>
        <dd className="num">{meters?.freeSpins ?? 0}</dd>
      </div>
      <div>
        <dt>{t("play.wallet")}</dt>
        <dd>{wallet !== undefined && <Money minor={wallet.balance} />}</dd>
      </div>
      {(wallet?.pending ?? 0) > 0 && (
        <div>
          <dt>{t("play.pending")}</dt>
          <dd>
            <Money minor={wallet?.pending ?? 0} />
          </dd>
        </div>
      )}
    </dl>
  );
}
