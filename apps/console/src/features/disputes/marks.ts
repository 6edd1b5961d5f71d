import type { ClipMoment } from "@longarm/contract/clips";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import type { AnswerOf } from "../../shared/api.ts";
import type { TextKey } from "../../shared/texts.ts";
import { useWrittenWords } from "./written-words.ts";

/** `steps`: of the question, whose marks are among the rest. */
export type GameFacts = Pick<AnswerOf<"dispute">, "game" | "facts"> & Partial<Pick<AnswerOf<"dispute">, "steps">>;
export type Clip = AnswerOf<"clip">;

export const MARK_SOURCES = ["press", "machine", "ledger", "audit", "page", "recording", "staff"] as const;
export type MarkSource = (typeof MARK_SOURCES)[number];

/** Something that one source says of a moment, or of a time. Ms since 1970 by the agent's clock. */
export type Mark = {
  readonly at: number;
  readonly until?: number;
  readonly source: MarkSource;
  readonly words: string;
  /** It did not do what it was to do. */
  readonly isFault: boolean;
};

/** A delay from which on the player's page calls its own link poor, ms. */
const POOR_MS = 180;

/** Without trouble the player's page reports its delay so often, ms: the report after a game is of the seconds about it. */
const REPORT_MS = 60_000;

/** All that is known of the seconds about a game, in one order: times of the platform are moved to the agent's clock by the measured difference. */
export function useMarks(clip: Clip, { facts, steps = [] }: GameFacts): readonly Mark[] {
  const { t, language } = useText();
  const currency = useCurrency();
  const words = useWrittenWords();
  const money = (minor: number) => moneyText(minor, currency, language);
  const skew = clip.skewMs ?? 0;
  const ofMoment = (moment: ClipMoment): Mark => {
    const { at } = moment;
    switch (moment.is) {
      case "press": {
        const { button, outcome, reason, doneAt } = moment;
        const isFault = outcome !== "started" && outcome !== "done";
        const how = [outcome ?? t("disputes.silent"), reason].filter(Boolean).join(", ");
        return { at, until: doneAt, source: "press", words: t("disputes.markPress", { button, how }), isFault };
      }
      case "game": {
        const { phase, number, stake, win, credit } = moment;
        const key: TextKey = phase === "started" ? "disputes.markBegan" : "disputes.markEnded";
        const amount = money((phase === "started" ? stake : win) ?? 0);
        const said = t(key, { number: String(number), amount, credit: money(credit) });
        return { at, source: "machine", words: said, isFault: false };
      }
      case "event": {
        const { kind, amount } = moment;
        return { at, source: "machine", words: amount === null ? kind : `${kind} ${money(amount)}`, isFault: false };
      }
      case "problem":
        return { at, source: "recording", words: moment.why, isFault: true };
    }
  };
  const marks: Mark[] = [
    ...marksOfStaff(steps, t),
    ...clip.moments.map(ofMoment),
    ...clip.gaps.map(
      ({ fromMs, toMs, why }): Mark => ({
        ...{ at: fromMs, until: toMs, source: "recording", isFault: true },
        words: t("disputes.markGap", { seconds: secondsText(toMs - fromMs), why }),
      }),
    ),
    ...facts.booked.map(
      ({ at, from, to, amount, kind }): Mark => ({
        ...{ at: Date.parse(at) + skew, source: "ledger", isFault: false },
        words: `${words.kind(kind)} ${money(amount)}, ${words.way({ from, to })}`,
      }),
    ),
    ...(facts.audit ?? []).map(
      ({ at, type, actor }): Mark => ({
        ...{ at: Date.parse(at) + skew, source: "audit", isFault: false },
        words: `${type}, ${words.party(actor)}`,
      }),
    ),
    ...marksOfPage(clip.picture, { skew, from: Date.parse(facts.from), to: Date.parse(facts.to) }, t),
  ];
  return marks.toSorted((one, other) => one.at - other.at);
}

type Say = ReturnType<typeof useText>["t"];

/** Moments that staff marked, by the agent's clock already. */
function marksOfStaff(steps: NonNullable<GameFacts["steps"]>, t: Say): Mark[] {
  return steps.flatMap(({ momentMs: at, text, person }): Mark[] => {
    if (at === undefined) return [];
    return [{ at, source: "staff", words: `${person?.name ?? ""}: ${text ?? t("disputes.erased")}`, isFault: false }];
  });
}

type Reported = { readonly skew: number; readonly from: number; readonly to: number };

/** What the player's page reported of its picture from then to then, by the platform's clock. Reports come up to a minute later, with more than these seconds. */
function marksOfPage(picture: Clip["picture"], { skew, from, to }: Reported, t: Say): Mark[] {
  return picture.flatMap(({ at, delayMs, freezes }): Mark[] => [
    ...freezes
      .filter(({ fromMs, toMs }) => toMs >= from && fromMs <= to)
      .map(
        ({ fromMs, toMs }): Mark => ({
          ...{ at: fromMs + skew, until: toMs + skew, source: "page", isFault: true },
          words: t("disputes.markFroze", { seconds: secondsText(toMs - fromMs) }),
        }),
      ),
    ...(delayMs === null || at < from || at > to + REPORT_MS
      ? []
      : [
          {
            ...{ at: at + skew, source: "page" as const, isFault: delayMs >= POOR_MS },
            words: t("disputes.markDelay", { ms: String(delayMs) }),
          },
        ]),
  ]);
}

/** "1.4" of 1,400 ms. */
export const secondsText = (ms: number): string => (ms / 1_000).toFixed(1);

/** The credit on the machine from moment to moment, for a line. */
export function creditSteps({ moments }: Pick<Clip, "moments">): { readonly at: number; readonly credit: number }[] {
  const steps = moments.flatMap((moment) =>
    moment.is === "game" || moment.is === "event" ? [{ at: moment.at, credit: moment.credit }] : [],
  );
  return steps.filter(({ credit }, n) => credit !== steps[n - 1]?.credit);
}

/** Games that the clip shows, from their begin to their end; one that goes beyond the clip ends with it. */
export function gameBars({ moments, toMs, fromMs }: Pick<Clip, "moments" | "toMs" | "fromMs">) {
  const bars: { number: number; at: number; until: number }[] = [];
  for (const moment of moments) {
    if (moment.is !== "game") continue;
    const open = bars.find(({ number }) => number === moment.number);
    if (moment.phase === "started") bars.push({ number: moment.number, at: moment.at, until: toMs });
    else if (open === undefined) bars.push({ number: moment.number, at: fromMs, until: moment.at });
    else open.until = moment.at;
  }
  return bars;
}
