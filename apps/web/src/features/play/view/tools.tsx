import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useSyncExternalStore } from "react";
import { canFillScreen, canShowSmall, toggleFullScreen, toggleSmallWindow } from "../browser/screen.ts";
import type { RoomCamera } from "../state/preferences.ts";
import { usePlay } from "./play-context.ts";
import { useRoomCamera } from "./room-camera.tsx";
import css from "./tools.module.css";

/** The tools rail: sound, screen, room camera, side bar. Pressed ones are lit. */
export function Tools({ sideOpen, onSide }: { sideOpen: boolean; onSide: () => void }) {
  const { t } = useText();
  const { preferences, throttle, openAbout } = usePlay();
  const { clickSound } = useLive(preferences.now);
  return (
    <div className={css["tools"]} role="toolbar" aria-label={t("play.tools")} aria-orientation="vertical">
      <Volume />
      <IconButton
        icon="click"
        className={css["more"]}
        label={t("play.clickSound")}
        pressed={clickSound}
        onClick={() => throttle("click") && preferences.change({ clickSound: !clickSound })}
      />
      <FullScreen />
      <Rotate />
      <RoomTool />
      <SmallWindow />
      <IconButton
        icon="info"
        className={css["more"]}
        label={t("play.about")}
        aria-haspopup="dialog"
        aria-keyshortcuts="I"
        onClick={openAbout}
      />
      <hr />
      <IconButton icon="sideBar" label={t("play.sideBar")} aria-expanded={sideOpen} onClick={onSide} />
    </div>
  );
}

/** Shows sound that the browser still blocks as off; pressing it is the gesture that the browser waits for. */
export function Volume() {
  const { t } = useText();
  const { preferences, throttle, screen } = usePlay();
  const muted = useLive(preferences.now, (now) => now.muted);
  const locked = useLive(screen.now, ({ soundLocked }) => soundLocked) && !muted;
  return (
    <IconButton
      icon={muted || locked ? "muted" : "volume"}
      label={t(muted || locked ? "play.unmute" : "play.mute")}
      onClick={() => throttle("mute") && !locked && preferences.change({ muted: !muted })}
    />
  );
}

export function FullScreen() {
  const { t } = useText();
  const { throttle } = usePlay();
  const whole = useSyncExternalStore(onFullScreen, () => document.fullscreenElement !== null);
  if (!canFillScreen(navigator)) return null;
  return (
    <IconButton
      icon="fullscreen"
      label={t("play.fullScreen")}
      pressed={whole}
      onClick={() => throttle("fullScreen") && void toggleFullScreen(document)}
    />
  );
}

function onFullScreen(changed: () => void): () => void {
  document.addEventListener("fullscreenchange", changed);
  return () => document.removeEventListener("fullscreenchange", changed);
}

/** Rotates the video of a machine whose screen is mounted on its side. A camera shows it upright by itself. */
function Rotate() {
  const { t } = useText();
  const { session, deps, throttle, screen } = usePlay();
  const machine = useLive(session.state, (state) => state.machine);
  const turned = useLive(screen.now, (now) => now.turned);
  const offered = machine?.showRotateScreenMenu ?? deps.settings.showRotateScreenMenu;
  if (machine === undefined || machine.videoType === "camera" || !offered) return null;
  return (
    <IconButton
      icon="rotate"
      label={t("play.turn")}
      pressed={turned}
      onClick={() => throttle("turn") && screen.change({ turned: !turned })}
    />
  );
}

function RoomTool() {
  const { t } = useText();
  const camera = useRoomCamera();
  return camera !== undefined && <RoomButton label={t("play.roomCamera")} camera={camera} />;
}

function RoomButton({ label, camera }: { label: string; camera: RoomCamera }) {
  const { throttle } = usePlay();
  const open = useLive(camera.now, (now) => now.open);
  return (
    <IconButton
      icon="camera"
      className={css["more"]}
      label={label}
      pressed={open}
      onClick={() => throttle("room") && camera.change({ open: !open })}
    />
  );
}

/** The machine in a picture-in-picture window, where the browser has them. */
function SmallWindow() {
  const { t } = useText();
  const { throttle, screen } = usePlay();
  const video = useLive(screen.now, (now) => now.video);
  const small = useSyncExternalStore(
    (changed) => onSmallWindow(video, changed),
    () => video !== null && document.pictureInPictureElement === video,
  );
  if (video === null || !canShowSmall(document)) return null;
  return (
    <IconButton
      icon="smallPicture"
      className={css["more"]}
      label={t("play.smallPicture")}
      pressed={small}
      onClick={() => throttle("smallPicture") && void toggleSmallWindow(document, video)}
    />
  );
}

const SMALL_WINDOW_EVENTS = ["enterpictureinpicture", "leavepictureinpicture"] as const;

function onSmallWindow(video: HTMLVideoElement | null, changed: () => void): () => void {
  for (const kind of SMALL_WINDOW_EVENTS) video?.addEventListener(kind, changed);
  return () => {
    for (const kind of SMALL_WINDOW_EVENTS) video?.removeEventListener(kind, changed);
  };
}
