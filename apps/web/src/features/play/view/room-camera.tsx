import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Switch } from "@longarm/ui/switch.tsx";
import { useMedia } from "@longarm/ui/use-media.ts";
import type { CSSProperties, KeyboardEvent, PointerEvent, RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { useStarted, watchFrames } from "../browser/media-element.ts";
import type { RoomCamera, Side } from "../state/preferences.ts";
import { cornerAfter, cornerAt, cornerTowards } from "../state/preferences.ts";
import { usePlay } from "./play-context.ts";
import css from "./room-camera.module.css";

/** The room around the machine, small, in one of four corners. While it is not shown the agent does not send it. */
export function RoomCameraView() {
  const { session } = usePlay();
  const camera = useRoomCamera();
  return camera !== undefined && <WantedRoom camera={camera} session={session} />;
}

function WantedRoom({ camera, session }: { camera: RoomCamera; session: ReturnType<typeof usePlay>["session"] }) {
  const open = useLive(camera.now, (now) => now.open);
  useEffect(() => {
    if (!open) return;
    session.media.want({ room: true });
    return () => session.media.want({ room: false });
  }, [open, session]);
  return open && <RoomVideo camera={camera} />;
}

function RoomVideo({ camera }: { camera: RoomCamera }) {
  const { t, language } = useText();
  const { session, screen } = usePlay();
  const soundLocked = useLive(screen.now, (now) => now.soundLocked);
  const { corner } = useLive(camera.now);
  const stream = useLive(session.state, ({ streams }) => streams.room);
  const video = useRef<HTMLVideoElement>(null);
  useStarted(video, stream);
  const frozen = useFrozen(video, stream);
  const rightToLeft = language === "ar";
  const { style, dragging, handle } = useDrag({
    tapped: () => camera.change({ corner: cornerAfter(corner) }),
    dropped: (x, y) => camera.change({ corner: cornerAt(x, y, rightToLeft) }),
  });

  function key(event: KeyboardEvent): void {
    const side = sideOf(event.key, rightToLeft);
    if (event.key === "Enter" || event.key === " ") camera.change({ corner: cornerAfter(corner) });
    else if (side !== undefined) camera.change({ corner: cornerTowards(corner, side) });
    else return;
    event.preventDefault();
  }

  return (
    <figure
      className={css["room"]}
      data-corner={corner}
      data-dragging={dragging}
      data-waits={soundLocked}
      data-shown={stream !== undefined}
      data-frozen={frozen || undefined}
      style={style}
    >
      <video ref={video} muted autoPlay playsInline />
      <button
        type="button"
        className={css["handle"]}
        aria-label={t("play.roomMove", { corner: t(`play.${corner}`) })}
        onKeyDown={key}
        {...handle}
      />
      <figcaption>{t(frozen ? "play.roomAway" : "play.roomCamera")}</figcaption>
      <IconButton
        icon="close"
        className={css["close"] ?? ""}
        label={t("play.roomClose")}
        onClick={() => camera.change({ open: false })}
      />
    </figure>
  );
}

/** Video that is frozen for so long does not show the room any more, ms. */
const FROZEN_MS = 4_000;
const LOOK_MS = 1_000;

/** Whether the camera's video is frozen. Video that the browser has paused is played again at each look. */
function useFrozen(element: RefObject<HTMLVideoElement | null>, stream: MediaStream | undefined): boolean {
  const { deps } = usePlay();
  const [frozen, setFrozen] = useState(false);
  useEffect(() => {
    const video = element.current;
    if (video === null || stream === undefined) return;
    let seenAt = deps.clock.now();
    const stopFrames = watchFrames(video, () => {
      seenAt = deps.clock.now();
      setFrozen(false);
    });
    let stopLook = (): void => {};
    const look = (): void => {
      stopLook = deps.timers.after(LOOK_MS, look);
      // Nothing is drawn on a hidden page.
      if (document.hidden) seenAt = deps.clock.now();
      if (deps.clock.now() - seenAt < FROZEN_MS) return;
      setFrozen(true);
      if (video.paused) video.play().catch(() => {});
    };
    look();
    return () => {
      stopLook();
      stopFrames();
      setFrozen(false);
    };
  }, [element, stream, deps]);
  return frozen;
}

function sideOf(key: string, rightToLeft: boolean): Side | undefined {
  if (key === "ArrowUp") return "top";
  if (key === "ArrowDown") return "bottom";
  if (key === "ArrowLeft") return rightToLeft ? "end" : "start";
  if (key === "ArrowRight") return rightToLeft ? "start" : "end";
  return undefined;
}

/** Movement below this is a tap, px. */
const SLACK_PX = 6;

type Start = { readonly x: number; readonly y: number };

/**
 * Drags an element by its handle. `dropped` receives where its centre was released, as shares of the screen from the left and the top;
 * without a movement `tapped` is called.
 */
function useDrag({ dropped, tapped }: { dropped: (x: number, y: number) => void; tapped: () => void }) {
  const start = useRef<Start>(undefined);
  const [moved, setMoved] = useState<Start>();
  function end(event: PointerEvent<HTMLElement>): void {
    if (start.current === undefined) return;
    start.current = undefined;
    setMoved(undefined);
    if (moved === undefined) {
      tapped();
      return;
    }
    const own = event.currentTarget.getBoundingClientRect();
    const place = event.currentTarget.closest("main")?.getBoundingClientRect();
    if (place === undefined) return;
    dropped(
      (own.left + own.width / 2 - place.left) / place.width,
      (own.top + own.height / 2 - place.top) / place.height,
    );
  }
  return {
    style: moved && ({ "--moved-x": `${moved.x}px`, "--moved-y": `${moved.y}px` } as CSSProperties),
    dragging: moved !== undefined,
    handle: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, y: event.clientY };
      },
      onPointerMove({ clientX, clientY }: PointerEvent<HTMLElement>) {
        if (start.current === undefined) return;
        const distance = { x: clientX - start.current.x, y: clientY - start.current.y };
        if (moved !== undefined || Math.hypot(distance.x, distance.y) > SLACK_PX) setMoved(distance);
      },
      onPointerUp: end,
      onPointerCancel() {
        start.current = undefined;
        setMoved(undefined);
      },
    },
  };
}

/** Opens and closes the room camera where the tools have no room for its button. */
export function RoomSwitch() {
  const camera = useRoomCamera();
  return camera !== undefined && <CameraSwitch camera={camera} />;
}

function CameraSwitch({ camera }: { camera: RoomCamera }) {
  const { t } = useText();
  const open = useLive(camera.now, (now) => now.open);
  return <Switch label={t("play.roomCamera")} on={open} onChange={(next) => camera.change({ open: next })} />;
}

/** Short screens have no room for a second video (design.md section 8, component 10). */
const NO_ROOM = "(orientation: landscape) and (max-height: 31rem), (orientation: portrait) and (max-height: 46rem)";

/** The room camera, where the operator shows it, the machine has one and the window has room for it. */
export function useRoomCamera(): RoomCamera | undefined {
  const { session, deps, roomCamera } = usePlay();
  const webcam = useLive(session.state, (state) => state.webcam);
  const noRoom = useMedia(NO_ROOM);
  return deps.settings.showWebcam && webcam && !noRoom ? roomCamera : undefined;
}
