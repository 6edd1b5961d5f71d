import type { GameClip } from "@longarm/contract/clips";
import type { ClipSegmentBytes, PlayedClip } from "@longarm/ui/clip/play-clip.ts";
import { frameAt } from "@longarm/ui/clip/play-clip.ts";
import { usePlayed } from "@longarm/ui/clip/use-played.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import type { KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import css from "./clips.module.css";
import { Moments } from "./moments.tsx";
import { clockText, dayText } from "./times.ts";

type ClipPlayerProps = {
  readonly clip: GameClip;
  readonly segments: readonly ClipSegmentBytes[];
  readonly whole: boolean;
};

/** As fast as it was recorded, and slower. */
const SPEEDS = ["1", "0.5", "0.25"] as const;
const SECOND_MS = 1_000;

/** The recording frame by frame, with its own times; the game in it is marked, and where there is no picture it says so. */
export function ClipPlayer({ clip, segments, whole }: ClipPlayerProps) {
  const { t, language } = useText();
  const video = useRef<HTMLVideoElement>(null);
  const { played, problem, frame, playing, isDrawn, atMs } = usePlayed(video, segments, clip.gameFromMs);
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>("1");
  useEffect(() => {
    if (video.current !== null && played !== undefined) video.current.playbackRate = Number(speed);
  }, [speed, played]);
  const at = played?.frames[frame] ?? clip.gameFromMs;
  const gap = clip.gaps.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs && atMs < (played?.endMs ?? 0));
  function toggle(): void {
    if (playing) video.current?.pause();
    else if (played !== undefined && frame >= played.frames.length - 1) played.show(0);
    if (!playing) played?.play();
  }
  return (
    <div className={css["recording"]} data-whole={whole || undefined}>
      <figure className={css["figure"]} dir="ltr" aria-label={t("clips.figure")}>
        <div className={css["screen"]} data-late={(!isDrawn && gap === undefined) || undefined}>
          {/* biome-ignore lint/a11y/useMediaCaption: a machine's picture, without speech. */}
          <video ref={video} playsInline preload="auto" tabIndex={-1} aria-hidden="true" />
          <span className={css["mark"]}>
            <b lang={language}>{t("clips.mark")}</b> <span className="num">{dayText(at, language)}</span>
          </span>
          {gap !== undefined && (
            <p className={css["gap"]} role="status" lang={language} dir="auto">
              {t("clips.gapNow", { from: clockText(gap.fromMs, false), to: clockText(gap.toMs, false) })}
            </p>
          )}
        </div>
        {problem === undefined ? (
          <TimeLine clip={clip} played={played} at={at} frame={frame} onToggle={toggle} />
        ) : (
          <p role="alert" lang={language} dir="auto" className={css["problem"]}>
            {t(`clips.${problem}`)}
          </p>
        )}
      </figure>
      {problem === undefined && (
        <fieldset className={css["keys"]} aria-label={t("clips.keys")}>
          <Key onClick={toggle} disabled={played === undefined}>
            {t(playing ? "clips.pause" : "clips.play")}
          </Key>
          <Key onClick={() => played?.show(Math.max(0, played.frame() - 1))} disabled={frame === 0}>
            {t("clips.back")}
          </Key>
          <Key
            onClick={() => played?.show(played.frame() + 1)}
            disabled={played === undefined || frame >= played.frames.length - 1}
          >
            {t("clips.forward")}
          </Key>
          <Segment
            label={t("clips.speed")}
            value={speed}
            onChange={setSpeed}
            options={SPEEDS.map((value) => ({ value, label: <bdi className="num">×{value}</bdi> }))}
          />
        </fieldset>
      )}
      <Moments clip={clip} at={at} onShow={(ms) => played?.show(frameAt(played.frames, ms))} />
    </div>
  );
}

type TimeLineProps = {
  readonly clip: GameClip;
  readonly played: PlayedClip | undefined;
  readonly at: number;
  readonly frame: number;
  readonly onToggle: () => void;
};

/** A slider over all frames: arrows go by a frame, with Shift or the page keys by a second. */
function TimeLine({ clip, played, at, frame, onToggle }: TimeLineProps) {
  const { t, language } = useText();
  const frames = played?.frames ?? [];
  const [first, last] = [Math.min(frames[0] ?? at, clip.gameFromMs), Math.max(played?.endMs ?? at, clip.gameToMs)];
  const share = (ms: number) => `${(100 * Math.min(1, Math.max(0, (ms - first) / (last - first || 1)))).toFixed(2)}%`;
  const place = (fromMs: number, toMs: number) => ({
    insetInlineStart: share(fromMs),
    insetInlineEnd: `calc(100% - ${share(toMs)})`,
  });
  function press(event: KeyboardEvent): void {
    if (event.key === " ") onToggle();
    const to = frameOf(event, frames, played?.frame() ?? frame);
    if (to !== undefined) played?.show(Math.min(frames.length - 1, Math.max(0, to)));
    if (to !== undefined || event.key === " ") event.preventDefault();
  }
  return (
    <div className={css["line"]}>
      <bdi className="num">{clockText(first, false)}</bdi>
      <span className={css["track"]}>
        <i data-game style={place(clip.gameFromMs, clip.gameToMs)} />
        {clip.gaps.map(({ fromMs, toMs }) => (
          <i key={fromMs} data-gap style={place(fromMs, toMs)} />
        ))}
        {clip.moments.map((moment, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change their places.
          <i key={n} data-moment={moment.is} style={{ insetInlineStart: share(moment.at) }} />
        ))}
        <input
          type="range"
          lang={language}
          aria-label={t("clips.place")}
          aria-valuetext={t("clips.placeNow", { time: clockText(at, true), frame: frame + 1, count: frames.length })}
          min={first}
          max={last}
          step="any"
          value={at}
          disabled={played === undefined}
          onKeyDown={press}
          onChange={({ target }) => played?.show(frameAt(frames, Number(target.value)))}
        />
      </span>
      <bdi className="num">{clockText(last, false)}</bdi>
    </div>
  );
}

/** The frame to which a key goes; undefined: it is no key of the time line. */
function frameOf({ key, shiftKey }: KeyboardEvent, frames: readonly number[], frame: number): number | undefined {
  const second = (by: number) => frameAt(frames, (frames[frame] ?? 0) + by * SECOND_MS);
  if (key === "Home") return 0;
  if (key === "End") return frames.length - 1;
  if (key === "PageUp" || (shiftKey && (key === "ArrowRight" || key === "ArrowUp"))) return second(1);
  if (key === "PageDown" || (shiftKey && (key === "ArrowLeft" || key === "ArrowDown"))) return second(-1);
  if (key === "ArrowRight" || key === "ArrowUp") return frame + 1;
  return key === "ArrowLeft" || key === "ArrowDown" ? frame - 1 : undefined;
}
