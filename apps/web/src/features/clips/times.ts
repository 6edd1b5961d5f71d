import type { Language } from "@longarm/contract/settings";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";

const two = (value: number): string => String(value).padStart(2, "0");

/** The time of day of the player's own zone to the second, or to the ms: "22:58:41.120". */
export function clockText(ms: number, isExact: boolean): string {
  const date = new Date(ms);
  const seconds = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return isExact ? `${seconds}.${String(date.getMilliseconds()).padStart(3, "0")}` : seconds;
}

/** Day and exact time. */
export const dayText = (ms: number, language: Language): string =>
  `${dayAndTime(ms, language)[0]} ${clockText(ms, true)}`;
