import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import type { LinkReport } from "../../state/connection/link-report.ts";
import { usePlay } from "../play-context.ts";
import css from "./connection.module.css";
import { Plot } from "./plot.tsx";
import { useFigures } from "./use-figures.ts";

/** The link as it is measured now, and its last minute. */
export function LinkFigures() {
  const { t } = useText();
  const figures = useFigures();
  const { readout, press, path, samples } = useLinkReport();
  const latest = samples.at(-1);
  return (
    <>
      <dl className={css["facts"]}>
        <Fact wide name={t("connection.delay")} value={figures.ms(readout.delayMs)} about={readout.estimated}>
          <b data-quality={readout.quality}>{t(`play.${readout.quality}`)}</b>
        </Fact>
        <Fact name={t("connection.roundTrip")} value={figures.ms(readout.roundTripMs)} />
        <Fact name={t("connection.frames")} value={figures.fps(readout.framesPerSecond)} />
        <Fact name={t("connection.toMachine")} value={figures.ms(press?.toMachineMs)} />
        <Fact name={t("connection.toPicture")} value={figures.ms(press?.toPictureMs)} />
        <Fact name={t("connection.loss")} value={figures.percent(readout.lossShare)} />
        <Fact name={t("connection.bitrate")} value={figures.bitrate(latest?.bitsPerSecond)} />
        <Fact name={t("connection.transport")} value={figures.transport(path)} />
        <Fact name={t("connection.codec")} value={figures.picture(path)} />
        <Fact wide name={t("connection.addresses")} value={figures.addresses(path)} words />
      </dl>
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

const READ_MS = 500;

/** Kept as a state: what is only read while drawing is read once, because nothing tells that it has changed. */
function useLinkReport(): LinkReport {
  const { session, deps } = usePlay();
  const [report, setReport] = useState(() => session.linkReport());
  useEffect(() => {
    let stop = (): void => {};
    const read = (): void => {
      setReport(session.linkReport());
      stop = deps.timers.after(READ_MS, read);
    };
    read();
    return () => stop();
  }, [session, deps]);
  return report;
}

function Fact(props: {
  readonly name: string;
  readonly value: string;
  readonly wide?: boolean;
  /** Words, not a figure. */
  readonly words?: boolean;
  /** Of the delay: how it came about; true: put together from its parts. */
  readonly about?: boolean;
  readonly children?: ReactNode;
}) {
  const { t } = useText();
  const { name, value, wide, words = false, about, children } = props;
  return (
    <div data-wide={wide}>
      <dt>{name}</dt>
      <dd>
        {words ? (
          <bdi>{value}</bdi>
        ) : (
          <span className="num" dir="ltr">
            {about === true && "≈ "}
            {value}
          </span>
        )}
        {children}
      </dd>
      {about !== undefined && (
        <dd className={css["about"]}>{t(about ? "connection.estimatedAbout" : "connection.delayAbout")}</dd>
      )}
    </div>
  );
}
