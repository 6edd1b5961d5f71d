import { useSyncExternalStore } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Icon } from "../../../../shared/ui/icon.tsx";
import { IconButton, Key } from "../../../../shared/ui/key.tsx";
import { canFillScreen, toggleFullScreen } from "../../browser/full-screen.ts";
import { Hud } from "../hud.tsx";
import type { PlayNow } from "../play-context.ts";
import { PlayContext } from "../play-context.ts";
import game from "../play-screen.module.css";
import { Stage } from "../stage.tsx";
import { StateLine } from "../state-line.tsx";
import css from "./watch-table.module.css";

/** What a spectator sees: the machine, how its link is, and that it is only watched. */
export function WatchTable({ play }: { play: PlayNow }) {
  const { session, deps, machineName } = play;
  const { machine, phase, live, online } = useLive(session.state);
  return (
    <PlayContext value={play}>
      <main
        className={`${game["game"]} ${css["watch"]}`}
        data-palette="night"
        data-brand={machine?.brand ?? deps.machine?.brand}
        data-phase={phase}
        data-live={live}
        data-online={online}
      >
        <Stage />
        <Hud name={machine?.name ?? machineName} />
        <StateLine />
        <Bar play={play} />
      </main>
    </PlayContext>
  );
}

function Bar({ play: { session, preferences, throttle } }: { play: PlayNow }) {
  const { t } = useText();
  const { muted } = useLive(preferences.now);
  const whole = useSyncExternalStore(onFullScreen, () => document.fullscreenElement !== null);
  return (
    <section className={css["bar"]} aria-label={t("play.watching")}>
      <p className={css["said"]}>
        <Icon name="eye" />
        {t("play.watching")}
      </p>
      <IconButton
        icon={muted ? "muted" : "volume"}
        label={t(muted ? "play.unmute" : "play.mute")}
        onClick={() => throttle("mute") && preferences.change({ muted: !muted })}
      />
      {canFillScreen(navigator) && (
        <IconButton
          icon="fullscreen"
          label={t("play.fullScreen")}
          pressed={whole}
          onClick={() => throttle("fullScreen") && void toggleFullScreen(document)}
        />
      )}
      <Key kind="line" onClick={() => session.leaveNow()}>
        {t("play.stopWatching")}
      </Key>
    </section>
  );
}

function onFullScreen(changed: () => void): () => void {
  document.addEventListener("fullscreenchange", changed);
  return () => document.removeEventListener("fullscreenchange", changed);
}
