import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import type { PointerEvent } from "react";
import { useId, useState } from "react";
import type { PlottedLine, Step } from "../plotted-line.ts";
import { fittedStart, roundAmounts, shortAmount, timeTicks } from "../plotted-line.ts";
import { actionText } from "../row.ts";
import { timeText } from "../times.ts";
import css from "./history-plot.module.css";

type PlotAreaProps = {
  readonly line: PlottedLine;
  /** Where the period begins; the axis may begin later. */
  readonly fromMs: number;
  readonly nowMs: number;
  /** What is plotted: the balance, or a result that may be below zero. */
  readonly of: "balance" | "result";
};

/** A plot has at least this much time, so that it is one just after midnight too, ms. */
const SPAN_MS_MIN = 3_600_000;
/** Room above the highest and below the lowest balance, %. */
const MARGIN = 8;

/** Places of a plot, in % of its sides. */
function placesOf({ lowest, highest }: PlottedLine, fromMs: number, toMs: number) {
  const height = highest - lowest;
  return {
    x: (ms: number) => Math.min(100, Math.max(0, ((ms - fromMs) / (toMs - fromMs)) * 100)),
    y: (balance: number) => (height === 0 ? 50 : MARGIN + (1 - (balance - lowest) / height) * (100 - 2 * MARGIN)),
  };
}
type Places = ReturnType<typeof placesOf>;

function pathOf(steps: readonly Step[], { x, y }: Places): string {
  const [first, ...rest] = steps;
  if (first === undefined) return "";
  const begin = `M${x(first.ms).toFixed(2)} ${y(first.balance).toFixed(2)}`;
  return `${begin}${rest.map(({ ms, balance }) => `H${x(ms).toFixed(2)}V${y(balance).toFixed(2)}`).join("")}H100`;
}

/** The line itself, read out point by point by pointer, finger or arrow keys. */
export function PlotArea({ line, fromMs: periodMs, nowMs, of }: PlotAreaProps) {
  const speech = useText();
  const currency = useCurrency();
  const { t, language } = speech;
  const fill = useId();
  const [pointed, point] = useState<number | undefined>();
  const toMs = Math.max(nowMs, periodMs + SPAN_MS_MIN, line.steps.at(-1)?.ms ?? 0);
  const fromMs = fittedStart(line.steps, periodMs, toMs);
  const places = placesOf(line, fromMs, toMs);
  const path = pathOf(line.steps, places);
  // A balance is filled to the ground, a result to zero.
  const ground = of === "result" ? places.y(0).toFixed(2) : "100";
  const left = places.x(line.steps[0]?.ms ?? fromMs);
  const money = (minor: number) => moneyText(minor, currency, language);
  const lastIndex = line.steps.length - 1;
  const shown = pointed === undefined ? undefined : line.steps[Math.min(pointed, lastIndex)];

  function pointAt({ clientX, currentTarget }: PointerEvent<HTMLElement>) {
    const box = currentTarget.getBoundingClientRect();
    const ms = fromMs + ((clientX - box.left) / box.width) * (toMs - fromMs);
    point(
      Math.max(
        0,
        line.steps.findLastIndex((step) => step.ms <= ms),
      ),
    );
  }
  return (
    <>
      <p className="visually-hidden">
        {t(of === "result" ? "history.resultSummary" : "history.plotSummary", {
          lowest: money(line.lowest),
          highest: money(line.highest),
          now: money(line.now),
        })}
      </p>
      <div
        className={css["area"]}
        onPointerDown={pointAt}
        onPointerMove={pointAt}
        onPointerLeave={() => point(undefined)}
      >
        <Marks line={line} places={places} />
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <linearGradient id={fill} x2="0" y2="1">
            <stop className={css["lit"]} />
            <stop className={css["dark"]} offset="1" />
          </linearGradient>
          <path fill={`url(#${fill})`} d={`${path}V${ground}H${left.toFixed(2)}z`} />
          <path className={css["line"]} d={path} />
        </svg>
        {line.jackpot && <Jackpot step={line.jackpot} places={places} />}
        <i className={css["dot"]} style={{ left: "100%", top: `${places.y(line.now)}%` }} />
        {shown && <Dot step={shown} places={places} kind="pointed" />}
        {shown && <ReadOut text={readOut(shown, speech, money)} x={places.x(shown.ms)} />}
        <input
          type="range"
          dir="ltr"
          className={css["keys"]}
          aria-label={t("history.plotPoint")}
          min={0}
          max={lastIndex}
          value={pointed ?? lastIndex}
          aria-valuetext={readOut(shown ?? line.steps[lastIndex], speech, money)}
          onChange={({ target }) => point(Number(target.value))}
          onBlur={() => point(undefined)}
        />
      </div>
      <div className={css["days"]} aria-hidden="true">
        {timeTicks(fromMs, toMs, language).map(({ ms, text }) => (
          <span key={ms} style={{ left: `${places.x(ms)}%` }}>
            {text}
          </span>
        ))}
      </div>
    </>
  );
}

function readOut(step: Step | undefined, speech: Speech, money: (minor: number) => string): string {
  if (step === undefined) return "";
  const { row } = step;
  const action = row?.type === undefined ? [] : [actionText(row.type, speech)];
  // A session has no action: it is known by its machine.
  const machine = row?.type === undefined && row?.machine !== undefined ? [row.machine] : [];
  return [timeText(step.ms, speech.language), ...action, ...machine, money(step.balance)].join(" · ");
}

/** Round amounts as dotted lines with their figures. */
function Marks({ line, places }: { readonly line: PlottedLine; readonly places: Places }) {
  const { language } = useText();
  return roundAmounts(line.lowest, line.highest).map((minor) => (
    <span key={minor} className={css["mark"]} style={{ top: `${places.y(minor)}%` }} aria-hidden="true">
      <span>
        <bdi>{shortAmount(minor, language)}</bdi>
      </span>
    </span>
  ));
}

type DotProps = { readonly step: Step; readonly places: Places; readonly kind: "open" | "pointed" };

function Dot({ step, places, kind }: DotProps) {
  return (
    <i
      className={css["dot"]}
      data-kind={kind}
      style={{ left: `${places.x(step.ms)}%`, top: `${places.y(step.balance)}%` }}
    />
  );
}

/** The largest jackpot has a dot and a word of its own. */
function Jackpot({ step, places }: Pick<DotProps, "step" | "places">) {
  const { t } = useText();
  const [x, y] = [places.x(step.ms), places.y(step.balance)];
  return (
    <>
      <Dot step={step} places={places} kind="open" />
      <span
        className={css["word"]}
        aria-hidden="true"
        style={{ left: `${x}%`, top: `${y}%`, translate: `${-x}% -1.75rem` }}
      >
        {t("history.jackpot")}
      </span>
    </>
  );
}

/** Moved by its own width in step with its place, so that it never leaves the plot. */
function ReadOut({ text, x }: { readonly text: string; readonly x: number }) {
  return (
    <output className={css["readOut"]} aria-hidden="true" style={{ left: `${x}%`, translate: `${-x}% 0` }}>
      {text}
    </output>
  );
}
