import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { LOCALES } from "@longarm/ui/money/format.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { useEffect, useState } from "react";
import type { LinkReport } from "../../state/media/link-meter.ts";
import { suggestedShowing } from "../../state/media/link-meter.ts";
import type { MediaPath } from "../../state/media/rtc-port.ts";
import { usePlay } from "../play-context.ts";
import css from "./connection-sheet.module.css";
import { Fact, FactList } from "./game-sheet.tsx";

/** The link as it is measured now, and its last minute. */
export function LinkFigures() {
  const { t } = useText();
  const figures = useFigures();
  const { readout, press, path, samples, sourceDelayMs } = useLinkReport();
  const latest = samples.at(-1);
  return (
    <>
      <Showing suggested={suggestedShowing(samples)} />
      <FactList className={css["figures"]}>
        <Fact wide name={t("connection.delay")} about={t(aboutOf(readout.estimated, sourceDelayMs))}>
          <span className="num" dir="ltr">
            {readout.estimated && "≈ "}
            {figures.ms(readout.delayMs)}
          </span>
          <b data-quality={readout.quality}>{t(`play.${readout.quality}`)}</b>
        </Fact>
        {sourceDelayMs !== 0 && <Figure name={t("connection.camera")} value={figures.camera(sourceDelayMs)} />}
        <Figure name={t("connection.roundTrip")} value={figures.ms(readout.roundTripMs)} />
        <Figure name={t("connection.frames")} value={figures.fps(readout.framesPerSecond)} />
        <Figure name={t("connection.toMachine")} value={figures.ms(press?.toMachineMs)} />
        <Figure name={t("connection.toPicture")} value={figures.ms(press?.toFrameMs)} />
        <Figure name={t("connection.loss")} value={figures.percent(readout.lossShare)} />
        <Figure name={t("connection.bitrate")} value={figures.bitrate(latest?.bitsPerSecond)} />
        <Figure name={t("connection.transport")} value={figures.transport(path)} />
        <Figure name={t("connection.codec")} value={figures.video(path)} />
        <Fact wide name={t("connection.addresses")}>
          <bdi>{figures.addresses(path)}</bdi>
        </Fact>
      </FactList>
      <section className={css["plots"]} aria-label={t("connection.lastMinute")}>
        <h3 className="plate">{t("connection.lastMinute")}</h3>
        <Plot
          name={t("connection.delay")}
          values={samples.map(({ delayMs }) => delayMs)}
          write={figures.ms}
          top={100}
        />
        <Plot
          name={t("connection.frames")}
          values={samples.map(({ framesPerSecond }) => framesPerSecond)}
          write={figures.fps}
          top={32}
        />
        <Plot
          name={t("connection.loss")}
          values={samples.map(({ lossShare }) => lossShare)}
          write={figures.percent}
          top={0.05}
        />
        <Plot
          name={t("connection.bitrate")}
          values={samples.map(({ bitsPerSecond }) => bitsPerSecond)}
          write={figures.bitrate}
          top={2_000_000}
        />
      </section>
    </>
  );
}

/** What the delay is made of. */
function aboutOf(estimated: boolean, sourceDelayMs: number | undefined) {
  if (estimated) return "connection.estimatedAbout";
  return sourceDelayMs === undefined ? "connection.delayOursAbout" : "connection.delayAbout";
}

const SHOWINGS = ["instant", "smooth"] as const;
const SUGGESTIONS = { smooth: "connection.trySmooth", instant: "connection.tryInstant" } as const;

/** The player's choice how frames are shown, and what the measurements suggest. */
function Showing({ suggested }: { suggested: (typeof SHOWINGS)[number] | undefined }) {
  const { t } = useText();
  const { preferences } = usePlay();
  const chosen = useLive(preferences.now, ({ smooth }) => SHOWINGS[smooth ? 1 : 0]);
  return (
    <section className={css["showing"]}>
      <h3 className="plate">{t("connection.showing")}</h3>
      <Segment
        label={t("connection.showing")}
        className={css["views"] ?? ""}
        value={chosen}
        onChange={(value) => preferences.change({ smooth: value === "smooth" })}
        options={SHOWINGS.map((value) => ({ value, label: t(`connection.${value}`) }))}
      />
      <p className={css["about"]} role="status">
        {t(`connection.${chosen}About`)}{" "}
        {suggested !== undefined && suggested !== chosen && <b>{t(SUGGESTIONS[suggested])}</b>}
      </p>
    </section>
  );
}

const READ_MS = 500;

/** Read into a state by a timer: the report has no event that would redraw the component. */
function useLinkReport(): LinkReport {
  const { session, deps } = usePlay();
  const [report, setReport] = useState(() => session.meter.report);
  useEffect(() => {
    let stop = (): void => {};
    const read = (): void => {
      setReport(session.meter.report);
      stop = deps.timers.after(READ_MS, read);
    };
    read();
    return () => stop();
  }, [session, deps]);
  return report;
}

/** One figure, read from left to right in every language. */
function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Fact name={name}>
      <span className="num" dir="ltr">
        {value}
      </span>
    </Fact>
  );
}

/** Formats the figures of the link. */
type Figures = {
  ms(value: number | undefined): string;
  camera(value: number | undefined): string;
  fps(value: number | undefined): string;
  /** `share`: 0 to 1. */
  percent(share: number | undefined): string;
  bitrate(bitsPerSecond: number | undefined): string;
  transport(path: MediaPath): string;
  addresses(path: MediaPath): string;
  video(path: MediaPath): string;
};

const KINDS = { host: "host", srflx: "srflx", prflx: "prflx", relay: "relayed" } as const;
const NAMES: Readonly<Record<string, string>> = { H264: "H.264" };
const isKind = (kind: string | undefined): kind is keyof typeof KINDS => kind !== undefined && kind in KINDS;

function useFigures(): Figures {
  const { t, language } = useText();
  const number = (value: number, digits: number): string =>
    new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: digits }).format(value);
  const unknown = t("connection.unknown");
  const of = (value: number | undefined, write: (value: number) => string): string =>
    value === undefined ? unknown : write(value);
  const kind = (one: string | undefined): string => (isKind(one) ? t(`connection.${KINDS[one]}`) : unknown);
  return {
    ms: (value) => of(value, (ms) => t("connection.ms", { value: number(ms, 0) })),
    camera: (value) =>
      value === undefined ? t("connection.unmeasured") : t("connection.ms", { value: number(value, 0) }),
    fps: (value) => of(value, (fps) => t("connection.fps", { value: number(fps, 0) })),
    percent: (value) => of(value, (share) => t("connection.percent", { value: number(share * 100, 1) })),
    bitrate: (value) =>
      of(value, (bits) =>
        bits < 1_000_000
          ? t("connection.kbits", { value: number(bits / 1_000, 0) })
          : t("connection.mbits", { value: number(bits / 1_000_000, 1) }),
      ),
    transport({ protocol, own, theirs }) {
      if (protocol === undefined) return unknown;
      const word = t(`connection.${protocol}`);
      return own === "relay" || theirs === "relay" ? t("connection.relay", { protocol: word }) : word;
    },
    addresses: ({ own, theirs }) => (own === undefined ? unknown : `${kind(own)} / ${kind(theirs)}`),
    video: ({ codec, width, height }) =>
      codec === undefined
        ? unknown
        : [NAMES[codec] ?? codec, width !== undefined && height !== undefined && `${width} × ${height}`]
            .filter((part) => part !== false)
            .join(", "),
  };
}

const WIDTH = 240;
const HEIGHT = 44;
const SECONDS = 60;

/** One figure over the last minute, newest at the right. A screen reader reads its current, lowest and highest value. */
function Plot(props: {
  readonly name: string;
  /** Second by second, oldest first; undefined where nothing was measured. */
  readonly values: readonly (number | undefined)[];
  readonly write: (value: number | undefined) => string;
  /** The top of the scale while nothing is higher. */
  readonly top: number;
}) {
  const { t } = useText();
  const { name, values, write, top } = props;
  const known = values.filter((value) => value !== undefined);
  const most = Math.max(...known, Number.NEGATIVE_INFINITY);
  const scale = Math.max(top, most * 1.1);
  const label =
    known.length === 0
      ? t("connection.plotEmpty", { what: name })
      : t("connection.plot", {
          what: name,
          now: write(values.at(-1)),
          least: write(Math.min(...known)),
          most: write(most),
        });
  return (
    <figure className={css["plot"]}>
      <figcaption aria-hidden="true">
        <span>{name}</span>
        <span className="num" dir="ltr">
          {write(values.at(-1))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path className={css["ground"]} d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {stretches(values).map((points) => (
          <path key={points[0]?.[0]} className={css["curve"]} d={curve(points, scale)} />
        ))}
      </svg>
    </figure>
  );
}

type Point = readonly [second: number, value: number];

/** Runs of seconds with a measurement, separated by gaps. */
function stretches(values: readonly (number | undefined)[]): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  for (const [index, value] of values.entries()) {
    const second = SECONDS - values.length + index;
    if (value === undefined) run = [];
    else if (run.push([second, value]) === 1) runs.push(run);
  }
  return runs;
}

function curve(points: readonly Point[], scale: number): string {
  const x = (second: number): number => Math.round((second * WIDTH * 10) / (SECONDS - 1)) / 10;
  const y = (value: number): number => Math.round((HEIGHT - 1 - (value * (HEIGHT - 3)) / scale) * 10) / 10;
  const [first] = points;
  // A single second is a dot.
  if (points.length === 1 && first !== undefined) return `M${x(first[0])} ${y(first[1])}h0.5`;
  return points.map(([second, value], index) => `${index === 0 ? "M" : "L"}${x(second)} ${y(value)}`).join("");
}
