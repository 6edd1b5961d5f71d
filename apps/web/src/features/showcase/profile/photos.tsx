import { useText } from "../../../shared/i18n/use-text.ts";
import { timeFormat } from "../../../shared/time/time-text.ts";
import { Picture } from "./picture.tsx";
import css from "./profile.module.css";

const PERIODS = [
  {
    month: "2026-10-01",
    info: "templateSample.periodOpening",
    pictures: ["nar-1", "kuzey-1", "mercan-1", "pera-1"],
  },
  { month: "2026-06-01", info: "templateSample.periodTests", pictures: ["nar-2", "mercan-3", "pera-2", "kuzey-3"] },
] as const;

/** Pictures by month. */
export function Photos() {
  const { t, language } = useText();
  const month = timeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" });
  return PERIODS.map((period) => (
    <section key={period.month} className={css["period"]} aria-labelledby={period.month}>
      <h2 id={period.month}>{month.format(Date.parse(period.month))}</h2>
      <p>{t(period.info)}</p>
      <ul>
        {period.pictures.map((picture) => (
          <li key={picture}>
            <Picture of={picture} />
          </li>
        ))}
      </ul>
    </section>
  ));
}
