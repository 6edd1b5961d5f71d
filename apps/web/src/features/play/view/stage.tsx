import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { keepLastFrame, sampleCanvas } from "../browser/screen/last-frame.ts";
import { watchFrames } from "../browser/watch-frames.ts";
import { cutStyle } from "./cut-screen.ts";
import { Ambient } from "./picture/ambient.tsx";
import { Locked } from "./picture/locked.tsx";
import { useStarted } from "./picture/use-started.ts";
import { usePlay } from "./play-context.ts";
import { Sound } from "./sound.tsx";
import css from "./stage.module.css";

/** The machine: its picture, its sound, and the light it throws. No control ever lies over its glass. */
export function Stage() {
  const { t } = useText();
  const { session, machineName, deps, screen } = usePlay();
  const video = useRef<HTMLVideoElement>(null);
  const turned = useLive(screen.now, ({ turned }) => turned);
  const { streams, machine, started, live } = useLive(session.state);
  const locked = useStarted(video, streams.video);
  useEffect(() => {
    if (video.current === null || streams.video === undefined) return;
    return watchFrames(video.current, (frame) => session.frameShown(frame));
  }, [streams.video, session]);
  useEffect(() => {
    screen.change({ video: video.current });
    return () => screen.change({ video: null });
  }, [screen]);
  const [kept, grey] = useLastFrame(video);
  const still = deps.machine?.image;
  return (
    <div
      className={css["stage"]}
      data-started={started}
      data-live={live}
      data-grey={grey || undefined}
      data-video={machine?.videoType}
    >
      <Ambient video={video} />
      {!started && still && <Still source={new URL(still, deps.addresses.api).href} />}
      <div className={css["turn"]} data-turned={turned}>
        <div className={css["cut"]} data-cut={machine?.cutScreen !== undefined} style={cutStyle(machine?.cutScreen)}>
          <canvas ref={kept} className={css["kept"]} width="640" height="360" />
          <video
            ref={video}
            className={css["video"]}
            aria-label={t("play.picture", { machine: machine?.name ?? machineName })}
            muted
            autoPlay
            playsInline
          />
        </div>
      </div>
      {locked && (
        <Locked icon="camera" middle>
          {t("play.pictureLocked")}
        </Locked>
      )}
      <Sound silent={locked} />
    </div>
  );
}

/** What the machine showed in the lobby, until the first picture comes. */
function Still({ source }: { source: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return <img className={css["still"]} src={source} alt="" onError={() => setFailed(true)} />;
}

/** A canvas with the last frame that showed the machine, and whether the present one is a decoder's grey. */
function useLastFrame(video: RefObject<HTMLVideoElement | null>): [RefObject<HTMLCanvasElement | null>, boolean] {
  const { deps } = usePlay();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [grey, setGrey] = useState(false);
  useEffect(() => {
    const kept = canvas.current?.getContext("2d", { alpha: false });
    const sample = sampleCanvas();
    if (video.current === null || !kept || sample === null) return;
    return keepLastFrame({ kept, sample, video: video.current }, deps.timers, setGrey);
  }, [video, deps]);
  return [canvas, grey];
}
