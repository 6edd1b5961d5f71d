import { useEffect, useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { useMedia } from "../../../shared/ui/use-media.ts";
import { paintAmbient } from "../browser/ambient.ts";
import { watchFrames } from "../browser/watch-frames.ts";
import { cutStyle } from "./cut-screen.ts";
import { usePlay } from "./play-context.ts";
import { Sound } from "./sound.tsx";
import css from "./stage.module.css";

/** The machine: its picture, its sound, and the light it throws. No control ever lies over its glass. */
export function Stage() {
  const { t } = useText();
  const { session, machineName, deps } = usePlay();
  const { streams, machine, started, live } = useLive(session.state);
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const element = video.current;
    if (element === null || streams.video === undefined) return;
    element.srcObject = streams.video;
    // Playing a muted video needs no gesture; a browser that still refuses starts it with the first one.
    element.play().catch(() => {});
    return watchFrames(element, (frame) => session.frameShown(frame));
  }, [streams.video, session]);
  const still = deps.machine?.image;
  return (
    <div className={css["stage"]} data-started={started} data-live={live}>
      <Ambient video={video} />
      {!started && still && <Still source={new URL(still, deps.addresses.api).href} />}
      <div className={css["cut"]} data-cut={machine?.cutScreen !== undefined} style={cutStyle(machine?.cutScreen)}>
        <video
          ref={video}
          className={css["video"]}
          aria-label={t("play.picture", { machine: machine?.name ?? machineName })}
          muted
          autoPlay
          playsInline
          disablePictureInPicture
        />
      </div>
      <Sound />
    </div>
  );
}

function Ambient({ video }: { video: React.RefObject<HTMLVideoElement | null> }) {
  const { session, deps } = usePlay();
  const canvas = useRef<HTMLCanvasElement>(null);
  const still = useMedia("(prefers-reduced-motion: reduce)");
  useEffect(() => {
    if (still || canvas.current === null || video.current === null) return;
    const rate = (): number => session.link.getState().readout.framesPerSecond;
    return paintAmbient(canvas.current, video.current, deps.timers, rate);
  }, [still, video, session, deps]);
  return <canvas ref={canvas} className={css["ambient"]} width="64" height="36" />;
}

/** What the machine showed in the lobby, until the first picture comes. */
function Still({ source }: { source: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return <img className={css["still"]} src={source} alt="" onError={() => setFailed(true)} />;
}
