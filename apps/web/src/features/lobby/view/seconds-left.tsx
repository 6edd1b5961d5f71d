import type { ReactNode } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useNow } from "./use-now.ts";

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
  const now = useNow(clock, 1_000);
  const seconds = Math.ceil((Date.parse(until) - now) / 1_000);
  if (!(seconds > 0)) return over;
  return <span className={`${className} num`}>{t("lobby.secondsToContinue", { seconds })}</span>;
}
