import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { CSSProperties } from "react";
import type { Clip, Mark, MarkSource } from "./marks.ts";
import { creditSteps, gameBars } from "./marks.ts";
import css from "./replay.module.css";

type LanesProps = {
  readonly clip: Clip;
  readonly marks: readonly Mark[];
  readonly frames: readonly number[];
  readonly frame: number;
  /** Where the playhead is. */
  readonly at: number;
  readonly clock: (ms: number) => string;
  readonly onFrame: (frame: number) => void;
};

/** One axis for all sources, left to right in every language. A slider over the frames moves the playhead; the list below has the same as text. */
export function ReplayLanes({ clip, marks, frames, frame, at, clock, onFrame }: LanesProps) {
  const { t } = useText();
  const { fromMs, toMs } = clip;
  const place = (ms: number): number => (100 * (Math.min(Math.max(ms, fromMs), toMs) - fromMs)) / (toMs - fromMs);
  const span = (from: number, to: number): CSSProperties => ({
    insetInlineStart: `${place(from)}%`,
    inlineSize: `max(2px, ${place(to) - place(from)}%)`,
  });
  const within = (source: MarkSource) =>
    marks.filter((mark) => mark.source === source && (mark.until ?? mark.at) >= fromMs && mark.at <= toMs);
  const dots = (source: MarkSource) =>
    within(source).map((mark, index) => (
      <i
        // biome-ignore lint/suspicious/noArrayIndexKey: what was kept never changes.
        key={index}
        className={css[source]}
        data-fault={mark.isFault || undefined}
        style={source === "page" ? span(mark.at, mark.until ?? mark.at) : { insetInlineStart: `${place(mark.at)}%` }}
        title={`${clock(mark.at)} ${mark.words}`}
      />
    ));
  const credits = creditSteps(clip);
  const reported = clip.picture.length > 0;
  return (
    <div className={css["lanes"]}>
      <span />
      <div className={`${css["lane"]} ${css["ticks"]} num`} aria-hidden="true">
        {ticks(fromMs, toMs).map((tick) => (
          <span key={tick} style={{ insetInlineStart: `${place(tick)}%` }}>
            {clock(tick).slice(0, 8)}
          </span>
        ))}
      </div>
      <Name of="press" />
      <div className={css["lane"]}>{dots("press")}</div>
      <Name of="machine" />
      <div className={css["lane"]}>
        {gameBars(clip).map(({ number, at: from, until }) => (
          <span key={number} className={css["game"]} style={span(from, until)}>
            <span>{t("disputes.gameBar", { number: String(number) })}</span>
          </span>
        ))}
        {dots("machine")}
      </div>
      <span className={css["name"]}>{t("disputes.credit")}</span>
      <div className={css["lane"]}>
        {credits.map((step, n) => {
          const until = credits[n + 1]?.at ?? toMs;
          return (
            <span
              key={step.at}
              className={css["credit"]}
              style={span(step.at, until)}
              data-now={(at >= step.at && (at < until || until === toMs)) || undefined}
              data-late={place(step.at) > 85 || undefined}
            >
              <span>
                <Money minor={step.credit} tone="ink" />
              </span>
            </span>
          );
        })}
      </div>
      <Name of="ledger" />
      <div className={css["lane"]}>{dots("ledger")}</div>
      <Name of="audit" />
      <div className={css["lane"]}>{dots("audit")}</div>
      <Name of="page" />
      <div className={css["lane"]} data-reported={reported || undefined}>
        {!reported && <span className={css["unsaid"]}>{t("disputes.notReported")}</span>}
        {dots("page")}
      </div>
      {within("staff").length > 0 && (
        <>
          <Name of="staff" />
          <div className={css["lane"]}>{dots("staff")}</div>
        </>
      )}
      <div className={css["over"]}>
        {clip.gaps.map((gap) => (
          <i key={gap.fromMs} className={css["blank"]} style={span(gap.fromMs, gap.toMs)} title={t("disputes.gap")} />
        ))}
        <i className={css["head"]} style={{ insetInlineStart: `${place(at)}%` }}>
          <b className="num">{clock(at).slice(6)}</b>
        </i>
        <input
          type="range"
          min={0}
          max={Math.max(0, frames.length - 1)}
          step={1}
          value={frame}
          aria-label={t("disputes.axis")}
          aria-valuetext={`${clock(at)}, ${t("disputes.frameOf", { frame: String(frame + 1), count: String(frames.length) })}`}
          onChange={({ target }) => onFrame(Number(target.value))}
        />
      </div>
    </div>
  );
}

function Name({ of }: { readonly of: MarkSource }) {
  const { t } = useText();
  return <span className={css["name"]}>{t(`disputes.lane_${of}`)}</span>;
}

/** Whole seconds, at most eight. */
function ticks(from: number, to: number): number[] {
  const step = ([1, 2, 5, 10, 30, 60, 300].find((seconds) => (to - from) / (seconds * 1_000) <= 8) ?? 600) * 1_000;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, n) => first + n * step);
}
