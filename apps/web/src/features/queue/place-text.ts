import type { QueueAnswer, QueueOutlook, QueueWish, WaitRange } from "@longarm/contract/player-queue";
import { problems } from "@longarm/contract/problems";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { codeText } from "../../shared/i18n/problem-text.ts";

/** What a place waits for, as its name. `machine`: what the one machine of the wish is called. */
export function wishText(speech: Speech, currency: string, wish: QueueWish, machine: string): string {
  const { t, language } = speech;
  if ("brand" in wish) return t("queue.any", { brand: shownMachine({ name: wish.brand, id: "" }) });
  if ("denomination" in wish)
    return t("queue.anyBand", { band: `\u2066${moneyText(wish.denomination, currency, language)}\u2069` });
  if ("machines" in wish) return t("queue.anyOf", { count: wish.machines.length });
  return shownMachine({ name: machine, id: wish.machine });
}

const MINUTE_S = 60;
/** Up to these minutes a time is shown as "a few", to the minute, and in fives. */
const FEW_MIN = 5;
const EXACT_MIN = 20;
const HOUR_MIN = 60;
const STEP_MIN = 5;

/**
 * A wait in minutes, no finer than it is known: a few, whole ones up to twenty, in fives up to an hour. The range only becomes wider by that.
 * `about`: with that word before it.
 */
export function rangeText({ t }: Pick<Speech, "t">, wait: WaitRange | null, about = false): string {
  if (wait === null) return t("queue.unknown");
  const low = downTo(wait.lowS / MINUTE_S);
  const high = upTo(wait.highS / MINUTE_S);
  if (high <= FEW_MIN) return t("queue.fewMinutes");
  if (low >= HOUR_MIN) return t("queue.long");
  if (high > HOUR_MIN) return t("queue.rangeFrom", { low });
  return t(about ? "queue.about_range" : "queue.range", { low, high });
}

const stepOf = (minutes: number): number => (minutes <= EXACT_MIN ? 1 : STEP_MIN);
const downTo = (minutes: number): number => Math.floor(minutes / stepOf(minutes)) * stepOf(minutes);
const upTo = (minutes: number): number => Math.ceil(minutes / stepOf(minutes)) * stepOf(minutes);

const ENDS = { missed: "queue.ended_missed", away: "queue.ended_away", staff: "queue.ended_staff" } as const;

/** Why a place ended, and whether waiting again can be offered: not where something keeps the player from play. */
export function endText(speech: Speech, reason: string): { readonly text: string; readonly again: boolean } {
  if (Object.hasOwn(ENDS, reason)) return { text: speech.t(ENDS[reason as keyof typeof ENDS]), again: true };
  const problem = Object.hasOwn(problems, reason) ? problems[reason as keyof typeof problems] : undefined;
  const why = problem && codeText(speech, problem.code);
  return { text: [why, speech.t("queue.endedOther")].filter(Boolean).join(" "), again: false };
}

/** The brand whose machines a place could wait for instead of its chosen ones. */
export function brandInstead(
  { state, wish, machines }: QueueAnswer["places"][number],
  any: QueueAnswer["any"],
): string | undefined {
  const [brand = "", ...others] = new Set(machines.map((machine) => machine.brand));
  const isChosen = "machine" in wish || "machines" in wish;
  return isChosen && any.brand && state !== "called" && others.length === 0 && brand !== "" ? brand : undefined;
}

/** How many would be before, and about how long it would take. */
export function outlookText(speech: Pick<Speech, "t">, { ahead, wait }: Pick<QueueOutlook, "ahead" | "wait">): string {
  const before = ahead === 0 ? speech.t("queue.firstIf") : speech.t("queue.before", { count: ahead });
  return `${before} · ${rangeText(speech, wait)}`;
}
