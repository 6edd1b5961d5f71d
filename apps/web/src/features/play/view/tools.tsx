import { useSyncExternalStore } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { IconButton } from "../../../shared/ui/key.tsx";
import { canFillScreen, toggleFullScreen } from "../browser/full-screen.ts";
import { usePlay } from "./play-context.ts";
import css from "./tools.module.css";

/** The tools rail: sound, full screen, side bar. Pressed ones are lit. */
export function Tools({ sideOpen, onSide }: { sideOpen: boolean; onSide: () => void }) {
  const { t } = useText();
  const { preferences, throttle } = usePlay();
  const { muted, clickSound } = useLive(preferences.now);
  const whole = useSyncExternalStore(onFullScreen, () => document.fullscreenElement !== null);
  return (
    <div className={css["tools"]} role="toolbar" aria-label={t("play.tools")} aria-orientation="vertical">
      <IconButton
        icon={muted ? "muted" : "volume"}
        label={t(muted ? "play.unmute" : "play.mute")}
        onClick={() => throttle("mute") && preferences.change({ muted: !muted })}
      />
      <IconButton
        icon="click"
        className={css["more"]}
        label={t("play.clickSound")}
        pressed={clickSound}
        onClick={() => throttle("click") && preferences.change({ clickSound: !clickSound })}
      />
      {canFillScreen(navigator) && (
        <IconButton
          icon="fullscreen"
          label={t("play.fullScreen")}
          pressed={whole}
          onClick={() => throttle("fullScreen") && void toggleFullScreen(document)}
        />
      )}
      <hr />
      <IconButton icon="sideBar" label={t("play.sideBar")} aria-expanded={sideOpen} onClick={onSide} />
    </div>
  );
}

function onFullScreen(changed: () => void): () => void {
  document.addEventListener("fullscreenchange", changed);
  return () => document.removeEventListener("fullscreenchange", changed);
}
