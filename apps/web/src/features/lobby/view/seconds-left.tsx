import type { ReactNode } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useSecondsLeft } from "../../../shared/time/use-seconds-left.ts";

/** Seconds until a kept seat is given up; once they are over, what stands in their place. */
export function SecondsLeft({
  until,
  clock,
  className = "",
  over = null,
}: {
  until: string;
  clock: { now(): number };
  className?: string;
  over?: ReactNode;
}) {
  const { t } = useText();
  const seconds = useSecondsLeft(Date.parse(until), clock);
  if (!(seconds > 0)) return over;
  return <span className={`${className} num`}>{t("lobby.secondsToContinue", { seconds })}</span>;
}
