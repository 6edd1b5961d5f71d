import type { ClipSegmentBytes, PlayedClip } from "@longarm/ui/clip/play-clip.ts";
import { frameAt } from "@longarm/ui/clip/play-clip.ts";
import { usePlayed } from "@longarm/ui/clip/use-played.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "../../shared/desk.ts";
import { useMe } from "../../shared/me.ts";
import type { TextKey } from "../../shared/texts.ts";
import { Note, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import type { Clip, GameFacts, Mark } from "./marks.ts";
import { useMarks } from "./marks.ts";
import css from "./replay.module.css";
import { ReplayLanes } from "./replay-lanes.tsx";

const SPEEDS = ["0.25", "1", "2"] as const;

type PlayerProps = {
  readonly clip: Clip;
  readonly segments: readonly ClipSegmentBytes[];
  /** False: only the first part was loaded. */
  readonly isWhole: boolean;
  readonly of: GameFacts;
  readonly onMark: ((momentMs: number) => void) | undefined;
};

/** The recording frame by frame, under one playhead with what each source says of the same seconds. */
export function ReplayPlayer({ clip, segments, isWhole, of, onMark }: PlayerProps) {
  const { t } = useText();
  const video = useRef<HTMLVideoElement>(null);
  const { played, problem, frame, playing, isDrawn, atMs } = usePlayed(video, segments, clip.gameFromMs);
  const [speed, setSpeed] = useSpeed(video, played);
  const marks = useMarks(clip, of);
  const clock = useClock();
  const frames = played?.frames ?? [];
  const at = frames[frame] ?? clip.gameFromMs;
  const gap = clip.gaps.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  const show = (to: number): void => played?.show(Math.max(0, Math.min(frames.length - 1, to)));
  const showAt = (ms: number): void => show(frameAt(frames, ms));
  // A key may come before the page has drawn what the key before it did: the video knows where it is.
  const here = (): number => played?.frame() ?? frame;
  const seek = useEventSeek(marks, () => frames[here()] ?? at, showAt);
  function toggle(): void {
    if (playing) video.current?.pause();
    else {
      if (frame >= frames.length - 1) show(0);
      played?.play();
    }
  }
  function mark(): void {
    video.current?.pause();
    // What is marked is what is seen.
    if (isDrawn) onMark?.(frames[here()] ?? at);
  }
  useKeys([
    { keys: "k", label: t("disputes.play"), run: toggle },
    { keys: ",", label: t("disputes.frameBack"), run: () => show(here() - 1) },
    { keys: ".", label: t("disputes.frameOn"), run: () => show(here() + 1) },
    { keys: "j", label: t("disputes.eventBack"), run: () => seek(-1) },
    { keys: "l", label: t("disputes.eventOn"), run: () => seek(1) },
    ...(onMark === undefined ? [] : [{ keys: "m", label: t("disputes.mark"), run: mark }]),
    ...SPEEDS.map((value, n) => ({
      keys: String(n + 1),
      label: t("disputes.speedOf", { speed: value }),
      run: () => setSpeed(value),
    })),
  ]);
  return (
    <>
      <Panel title={t("disputes.recording")} foot={<Clocks clip={clip} at={at} />}>
        <figure
          className={css["figure"]}
          dir="ltr"
          aria-label={t("disputes.recordingOf", { number: String(of.game.number) })}
        >
          <div className={css["screen"]} data-late={(!isDrawn && gap === undefined) || undefined}>
            {/* biome-ignore lint/a11y/useMediaCaption: a machine's picture, without speech. */}
            <video ref={video} playsInline preload="auto" tabIndex={-1} aria-hidden="true" data-at={at} />
            <span className={`${css["stamp"]} num`}>
              {of.game.machine} · {clock(at)}
            </span>
            {gap !== undefined && (
              <p className={css["gap"]} role="status" dir="auto">
                {t("disputes.gapNow", { from: clock(gap.fromMs), to: clock(gap.toMs) })}
              </p>
            )}
          </div>
          {problem === undefined ? (
            <>
              <fieldset className={css["keys"]} aria-label={t("disputes.playKeys")}>
                <Key
                  kind="line"
                  disabled={frame === 0}
                  aria-label={t("disputes.frameBack")}
                  onClick={() => show(here() - 1)}
                >
                  ‹ ,
                </Key>
                <Key kind="line" disabled={played === undefined} onClick={toggle}>
                  {t(playing ? "disputes.pause" : "disputes.play")}
                </Key>
                <Key
                  kind="line"
                  disabled={frame >= frames.length - 1}
                  aria-label={t("disputes.frameOn")}
                  onClick={() => show(here() + 1)}
                >
                  . ›
                </Key>
                {onMark !== undefined && (
                  <Key kind="line" disabled={played === undefined} onClick={mark}>
                    {t("disputes.markKey")}
                  </Key>
                )}
                <output className={`${css["time"]} num`}>{clock(at)}</output>
                <Segment
                  label={t("disputes.speed")}
                  value={speed}
                  onChange={setSpeed}
                  options={SPEEDS.map((value) => ({ value, label: <bdi className="num">×{value}</bdi> }))}
                />
                <span className={`${css["count"]} num`} dir="auto">
                  {t("disputes.frameOf", { frame: String(frame + 1), count: String(frames.length) })}
                </span>
              </fieldset>
              <ReplayLanes
                {...{
                  clip,
                  marks,
                  frames,
                  frame,
                  at: gap === undefined ? at : atMs,
                  clock,
                  onFrame: show,
                }}
              />
            </>
          ) : (
            <Note kind="bad">{t(`disputes.${problem}`)}</Note>
          )}
        </figure>
        {!isWhole && <Note kind="wait">{t("disputes.firstPart")}</Note>}
      </Panel>
      <MarkList {...{ clip, marks, at, clock, onShow: showAt }} noAudit={of.facts.audit === null} />
    </>
  );
}

function useSpeed(video: RefObject<HTMLVideoElement | null>, played: PlayedClip | undefined) {
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>("1");
  useEffect(() => {
    if (video.current !== null && played !== undefined) video.current.playbackRate = Number(speed);
  }, [video, speed, played]);
  return [speed, setSpeed] as const;
}

/** Moves to the next mark before or after a moment. */
function useEventSeek(marks: readonly Mark[], now: () => number, showAt: (ms: number) => void) {
  return (direction: 1 | -1): void => {
    const at = now();
    const found =
      direction === 1 ? marks.find((mark) => mark.at > at + 40) : marks.findLast((mark) => mark.at < at - 40);
    if (found !== undefined) showAt(found.at);
  };
}

/** The venue's time of day to the millisecond. */
function useClock(): (ms: number) => string {
  const { venue } = useMe();
  const format = timeFormat("en", {
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" },
    timeZone: venue.timeZone,
  });
  return (ms) => format.format(ms);
}

/** Whose clock the axis has, how far it is from the platform's, and how the time of the frame is known that is shown. */
function Clocks({ clip, at }: { readonly clip: Clip; readonly at: number }) {
  const { t } = useText();
  const { skewMs, skewWithinMs, segments } = clip;
  const { frameClock } = segments.findLast(({ fromMs }) => fromMs <= at) ?? {};
  const known = skewMs !== null && skewMs < 0 ? "skewBehind" : "skewAhead";
  const params = { ms: String(Math.abs(Math.round(skewMs ?? 0))), within: String(Math.ceil(skewWithinMs ?? 0)) };
  return (
    <>
      {t(`disputes.${skewMs === null ? "skewUnknown" : known}`, params)}{" "}
      {frameClock !== undefined && t(framesText(frameClock), { ms: String(Math.round(frameClock.delayMs)) })}{" "}
      {t("disputes.ownReport")}
    </>
  );
}

function framesText({ by, delayMs }: NonNullable<Clip["segments"][number]["frameClock"]>): TextKey {
  if (by === "camera") return "disputes.framesCamera";
  if (delayMs > 0) return "disputes.framesSet";
  return by === "computer" ? "disputes.framesComputer" : "disputes.framesArrival";
}

type ListProps = {
  readonly clip: Clip;
  readonly marks: readonly Mark[];
  readonly at: number;
  readonly clock: (ms: number) => string;
  readonly noAudit: boolean;
  readonly onShow: (ms: number) => void;
};

/** The same marks as text, each with a key that shows its frame. */
function MarkList({ clip, marks, at, clock, noAudit, onShow }: ListProps) {
  const { t } = useText();
  const now = marks.findLast((mark) => mark.at <= at + 1);
  return (
    <Panel title={t("disputes.written")} foot={t("disputes.oneClock")}>
      {noAudit && <Note kind="wait">{t("disputes.noAudit")}</Note>}
      {clip.picture.length === 0 && <Note kind="wait">{t("disputes.noPicture")}</Note>}
      <Scroller>
        <table className={panelCss["table"]}>
          <thead>
            <tr>
              <th scope="col">{t("disputes.time")}</th>
              <th scope="col">{t("disputes.what")}</th>
              <th scope="col">{t("disputes.source")}</th>
            </tr>
          </thead>
          <tbody>
            {marks.map((mark, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: what was kept never changes.
              <tr key={index} aria-current={mark === now || undefined} className={css["row"] ?? ""}>
                <td className="num">
                  {mark.at >= clip.fromMs && mark.at <= clip.toMs ? (
                    <button type="button" className={css["jump"]} onClick={() => onShow(mark.at)}>
                      <bdi dir="ltr">{clock(mark.at)}</bdi>
                    </button>
                  ) : (
                    <bdi dir="ltr">{clock(mark.at)}</bdi>
                  )}
                </td>
                <td>
                  <bdi>{mark.words}</bdi>
                </td>
                <td>{t(`disputes.source_${mark.source}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </Panel>
  );
}
