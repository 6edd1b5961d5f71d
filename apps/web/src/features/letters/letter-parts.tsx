import type { CareLetter, CareMeasure } from "@longarm/contract/player-care";
import { CARE_UNITS } from "@longarm/contract/player-care";
import type { LimitPeriod } from "@longarm/contract/player-protection";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import css from "./letters.module.css";

/** A limit that the letter suggests. No amount is filled in anywhere: the player decides. */
export function Advice({ letter: { advice } }: { readonly letter: CareLetter }) {
  const { t } = useText();
  const figureText = useFigureText();
  if (advice === null) return null;
  const [kind = "", period] = advice.key.split(".") as [string, LimitPeriod];
  return (
    <div className={css["advice"]}>
      <small>{t("letters.advice")}</small>
      <b>
        {t(`letters.limit_${kind}` as TextKey)} · {t(`letters.period_${period}`)}
      </b>
      {kind === "time" ? (
        <span className="num">{figureText("time", advice.value)}</span>
      ) : (
        <Money minor={advice.value} />
      )}
      <p>{t("letters.adviceAbout")}</p>
    </div>
  );
}

/** Why it was written: what was seen, with the figures as they were. Opened on request. */
export function Why({ letter: { why } }: { readonly letter: CareLetter }) {
  const { t } = useText();
  const figureText = useFigureText();
  return (
    <details className={css["why"]}>
      <summary>{t("letters.why")}</summary>
      {why.length === 0 ? (
        <p>{t("letters.whyNone")}</p>
      ) : (
        <>
          <p>{t("letters.whyAbout")}</p>
          <dl>
            {why.map(({ measure, level, value, limit }) => (
              <div key={`${measure} ${level}`}>
                <dt>{t(`letters.measure_${measure}`)}</dt>
                <dd>
                  {t("letters.seen", { value: figureText(measure, value), limit: figureText(measure, limit) })}
                  <small>{t(`letters.about_${measure}`)}</small>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </details>
  );
}

/** `21 h 40 min`, `120 %`, `5×`: isolated, so that a sentence of any direction keeps its order. */
function useFigureText(): (measure: CareMeasure, figure: number) => string {
  const { t, language } = useText();
  const whole = new Intl.NumberFormat(`${language}-u-nu-latn`);
  return (measure, figure) => {
    const unit = CARE_UNITS[measure];
    if (unit !== "minutes" || figure < 60) return isolated(t(`letters.${unit}`, { count: whole.format(figure) }));
    const [hours, minutes] = [whole.format(Math.floor(figure / 60)), figure % 60];
    return isolated(minutes === 0 ? t("letters.wholeHours", { count: hours }) : t("letters.hours", { hours, minutes }));
  };
}

const isolated = (text: string): string => `\u2068${text}\u2069`;
