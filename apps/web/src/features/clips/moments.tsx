import type { ClipMoment, GameClip } from "@longarm/contract/clips";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import css from "./clips.module.css";
import { clockText } from "./times.ts";

type Line = { readonly at: number; readonly text: string; readonly detail?: string };
type MomentsProps = {
  readonly clip: GameClip;
  /** What is shown now, ms. */
  readonly at: number;
  readonly onShow: (ms: number) => void;
};

/** Presses, games, events and gaps of a recording, in order; each leads to its picture. */
export function Moments({ clip, at, onShow }: MomentsProps) {
  const speech = useText();
  const { t } = speech;
  const currency = useCurrency();
  const money = (minor: number) => isolated(moneyText(minor, currency, speech.language));
  const gaps = clip.gaps.map(({ fromMs, toMs }) => ({
    at: fromMs,
    text: t("clips.gapNow", { from: clockText(fromMs, false), to: clockText(toMs, false) }),
  }));
  const lines: Line[] = [...clip.moments.map((moment) => lineOf(moment, speech, money)), ...gaps];
  const inOrder = lines.toSorted((one, other) => one.at - other.at);
  const now = inOrder.findLastIndex((line) => line.at <= at + 0.5);
  return (
    <section className={css["moments"]} aria-label={t("clips.moments")}>
      <b>{t("clips.moments")}</b>
      {inOrder.length === 0 ? (
        <p>{t("clips.noMoments")}</p>
      ) : (
        <ol>
          {inOrder.map((line, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change their places.
            <li key={n}>
              <button type="button" aria-current={n === now ? "true" : undefined} onClick={() => onShow(line.at)}>
                <bdi className="num" dir="ltr">
                  {clockText(line.at, true)}
                </bdi>
                <span>
                  {line.text}
                  {line.detail !== undefined && <small>{line.detail}</small>}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
      <p className={css["fine"]}>{clockNote(clip, speech)}</p>
    </section>
  );
}

const isolated = (text: string | number): string => `\u2068${text}\u2069`;

function lineOf(moment: ClipMoment, { t, find }: Speech, money: (minor: number) => string): Line {
  const { at } = moment;
  if (moment.is === "press") {
    const { button, outcome, doneAt } = moment;
    const kind = button.startsWith("band:") ? "band" : button;
    const text = t("clips.press", { button: isolated(find(`clips.button_${kind}`) ?? button) });
    const after = t("clips.answeredAfter", { ms: isolated(`${Math.round(doneAt - at)} ms`) });
    return { at, text, detail: `${t(outcomeText(outcome))} · ${after}` };
  }
  if (moment.is === "problem") return { at, text: t("clips.problem") };
  if (moment.is === "event") {
    const { kind, amount, credit } = moment;
    const text = find(`clips.event_${kind}`) ?? t("clips.event_unknown");
    const of = amount === null ? [] : [money(amount)];
    return { at, text, detail: [...of, t("clips.credit", { amount: money(credit) })].join(" · ") };
  }
  const { phase, number, stake, win, credit } = moment;
  const figures = [
    ...(stake === null ? [] : [t("clips.stake", { amount: money(stake) })]),
    ...(win === null ? [] : [t("clips.win", { amount: money(win) })]),
    t("clips.credit", { amount: money(credit) }),
  ];
  return { at, text: t(`clips.game_${phase}`, { number: isolated(number) }), detail: figures.join(" · ") };
}

function outcomeText(outcome: string | null) {
  if (outcome === "started" || outcome === "done") return `clips.outcome_${outcome}` as const;
  return outcome === null || outcome === "unconfirmed" ? "clips.outcome_silent" : "clips.outcome_refused";
}

/** Whose clock it is, how far it is from the platform's, and how the times of a camera's pictures are known. */
function clockNote(clip: GameClip, { t }: Speech): string {
  const { skewMs, skewWithinMs, segments, gameFromMs, gameToMs } = clip;
  const notes = [t("clips.clock")];
  if (skewMs !== null) {
    const by = isolated(`${Math.abs(Math.round(skewMs))} ms`);
    const within = isolated(`${Math.ceil(skewWithinMs ?? 0)} ms`);
    notes.push(t(skewMs < 0 ? "clips.clockBehind" : "clips.clockAhead", { by, within }));
  }
  // What holds of the whole game: the least exact.
  const ofGame = segments.filter(({ fromMs, toMs }) => toMs > gameFromMs && fromMs <= gameToMs);
  const clocks = ofGame.flatMap(({ frameClock }) => frameClock ?? []);
  const { by, delayMs = 0 } = clocks.find((one) => one.by === "arrival") ?? clocks[0] ?? {};
  if (by === "camera") notes.push(t("clips.framesCamera"));
  else if (delayMs > 0) notes.push(t("clips.framesSet", { ms: isolated(`${Math.round(delayMs)} ms`) }));
  else if (by === "arrival") notes.push(t("clips.framesArrival"));
  return notes.join(" ");
}
