import { useEffect, useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
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
  const still = deps.machine?.image;
  return (
    <div className={css["stage"]} data-started={started} data-live={live} data-video={machine?.videoType}>
      <Ambient video={video} />
      {!started && still && <Still source={new URL(still, deps.addresses.api).href} />}
      <div className={css["turn"]} data-turned={turned}>
        <div className={css["cut"]} data-cut={machine?.cutScreen !== undefined} style={cutStyle(machine?.cutScreen)}>
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
