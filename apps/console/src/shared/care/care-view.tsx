import type { CareMeasure, CareSign } from "@longarm/contract/player-care";
import { CARE_UNITS } from "@longarm/contract/player-care";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import type { AnswerOf } from "../api.ts";
import { useConsole } from "../console.ts";
import { useMe } from "../me.ts";
import { whenText } from "../times.ts";
import css from "./care-view.module.css";

export type CareRow = AnswerOf<"careCases">["rows"][number];

/** A time by the venue's clock. */
export function useWhen(): (when: string) => string {
  const { language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  return (when) => whenText(when, clock.now(), venue.timeZone, language);
}

/** `21 h 40 min`, `120%`, `5×`: isolated, so that a sentence of any direction keeps its order. */
export function useFigureText(): (measure: CareMeasure, figure: number) => string {
  const { t } = useText();
  const whole = new Intl.NumberFormat("en");
  return (measure, figure) => {
    const unit = CARE_UNITS[measure];
    if (unit !== "minutes" || figure < 60) return isolated(t(`care.${unit}`, { count: whole.format(figure) }));
    const [hours, minutes] = [whole.format(Math.floor(figure / 60)), figure % 60];
    return isolated(minutes === 0 ? t("care.wholeHours", { count: hours }) : t("care.hours", { hours, minutes }));
  };
}

const isolated = (text: string): string => `\u2068${text}\u2069`;

/** How clear the signs are, or what came of it. */
export function CaseLamp({ row: { level, outcome } }: { readonly row: Pick<CareRow, "level" | "outcome"> }) {
  const { t } = useText();
  if (outcome !== null) return <Lamp status="off">{t(`care.outcome_${outcome}`)}</Lamp>;
  return <Lamp status={level === "strong" ? "fault" : "waiting"}>{t(`care.level_${level}`)}</Lamp>;
}

/** What was seen: each figure as it was, and from where it counted. */
export function Signs({ signs }: { readonly signs: readonly CareSign[] }) {
  const { t } = useText();
  const figure = useFigureText();
  const at = useWhen();
  if (signs.length === 0) return <p className="soft">{t("care.bySeen")}</p>;
  return (
    <ul className={css["signs"]}>
      {signs.map((sign) => (
        <li key={`${sign.measure} ${sign.level}`}>
          <span>
            {t(`care.measure_${sign.measure}`)}
            <small>{at(sign.at)}</small>
          </span>
          <b className="num">{figure(sign.measure, sign.value)}</b>
          <span>
            <Lamp status={sign.level === "strong" ? "fault" : "waiting"}>{t(`care.level_${sign.level}`)}</Lamp>
            <small>{t("care.limit", { limit: figure(sign.measure, sign.limit) })}</small>
          </span>
        </li>
      ))}
    </ul>
  );
}
