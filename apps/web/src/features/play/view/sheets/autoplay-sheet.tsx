import { Check, Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyParts, moneyText } from "@longarm/ui/money/format.ts";
import type { TypedAmount } from "@longarm/ui/money/read-amount.ts";
import { AMOUNT_LENGTH_MAX, readAmount } from "@longarm/ui/money/read-amount.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import type { AutoplayPlan, MoneyLimit } from "../../state/autoplay.ts";
import { FIRST_PLAN, GAME_CHOICES, MONEY_LIMITS } from "../../state/autoplay.ts";
import { useClick, usePlay } from "../play-context.ts";
import css from "./autoplay-sheet.module.css";
import { GameSheet } from "./game-sheet.tsx";
import { typedText } from "./transfer-text.ts";

type Typed = Readonly<Record<MoneyLimit, string>>;
const NOTHING_TYPED: Typed = { lossReaches: "", winAbove: "", creditBelow: "", creditAbove: "" };
const LABELS = {
  lossReaches: "play.autoLoss",
  winAbove: "play.autoWin",
  creditBelow: "play.autoCredit",
  creditAbove: "play.autoCreditAbove",
} as const satisfies Record<MoneyLimit, string>;

/** How many games, and what else ends them. The choice is kept for the whole play session. */
export function AutoplaySheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useText();
  const { session } = usePlay();
  const [plan, setPlan] = useState(FIRST_PLAN);
  const [typed, setTyped] = useState(NOTHING_TYPED);
  return (
    <GameSheet
      open={open}
      onClose={onClose}
      title={t("play.autoTitle")}
      arrangement={css["arrangement"]}
      // Once it runs the next button is STOP.
      finalFocus={() =>
        (session.autoplay.state.getState().on ? document.querySelector<HTMLElement>("[data-spin]") : null) ?? true
      }
    >
      <Choice plan={plan} onPlan={setPlan} typed={typed} onTyped={setTyped} onClose={onClose} />
    </GameSheet>
  );
}

function Choice(props: {
  readonly plan: AutoplayPlan;
  readonly onPlan: (plan: AutoplayPlan) => void;
  /** The limits in money as they were typed. */
  readonly typed: Typed;
  readonly onTyped: (typed: Typed) => void;
  readonly onClose: () => void;
}) {
  const { plan, onPlan, typed, onTyped, onClose } = props;
  const speech = useText();
  const { t, language } = speech;
  const currency = useCurrency();
  const { session, throttle } = usePlay();
  const click = useClick();
  const { meters, online } = useLive(session.state);
  const stake = meters?.bet ?? 0;
  const money = (minor: number): string => moneyText(minor, currency, language, true);
  const { limits, problems } = readLimits(typed, moneyParts(0, currency, language).symbol, stake);
  const wrong = Object.keys(problems).length > 0;
  const sayProblem = (problem: LimitProblem | undefined): string | undefined => {
    if (problem === undefined) return undefined;
    return problem === "tooSmall"
      ? t("play.autoLossTooSmall", { stake: money(stake) })
      : typedText(problem, speech, currency);
  };
  const { games } = plan;
  const anyWin = plan.winAbove === 0;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const whole = { ...plan, ...limits, ...(anyWin && { winAbove: 0 }) };
        if (wrong || !throttle("autoplay") || !session.autoplay.start(whole)) return;
        click("spin");
        onClose();
      }}
    >
      <section className={css["part"]}>
        <span aria-hidden="true">{t("play.autoGames")}</span>
        <Segment
          className={css["choices"] ?? ""}
          label={t("play.autoGames")}
          value={String(games)}
          onChange={(value) => onPlan({ ...plan, games: GAME_CHOICES.find((each) => String(each) === value) })}
          options={GAME_CHOICES.map((count) => ({
            value: String(count),
            ...(count === undefined ? { label: "∞", name: t("play.autoForever") } : { label: String(count) }),
          }))}
        />
        <p className={css["cost"]} role="status">
          {games === undefined
            ? `${t("play.autoForever")}. ${t("play.autoEach", { stake: money(stake) })}`
            : t("play.autoCost", { count: games, stake: money(stake), total: money(stake * games) })}
        </p>
      </section>
      <fieldset className={css["limits"]}>
        <legend>{t("play.autoStops")}</legend>
        {MONEY_LIMITS.map((limit) => (
          <Field
            key={limit}
            data-limit={limit}
            label={t(LABELS[limit])}
            value={limit === "winAbove" && anyWin ? "" : typed[limit]}
            disabled={limit === "winAbove" && anyWin}
            inputMode="decimal"
            autoComplete="off"
            maxLength={AMOUNT_LENGTH_MAX}
            dir="ltr"
            wellClass={css["floor"] ?? ""}
            placeholder="—"
            before={<i aria-hidden="true">{moneyParts(0, currency, language).symbol}</i>}
            error={sayProblem(problems[limit])}
            onChange={({ target }) => onTyped({ ...typed, [limit]: target.value })}
          />
        ))}
      </fieldset>
      <section className={css["checks"]}>
        <Check
          label={t("play.autoAnyWin")}
          checked={anyWin}
          onChange={({ target }) => onPlan({ ...plan, winAbove: target.checked ? 0 : undefined })}
        />
        <Check
          label={t("play.autoFreeSpins")}
          checked={plan.atFreeSpins}
          onChange={({ target }) => onPlan({ ...plan, atFreeSpins: target.checked })}
        />
      </section>
      <p className={css["fine"]}>{t("play.autoAlways")}</p>
      <Key kind="brass" big type="submit" className={css["go"]} disabled={!online || meters === undefined || wrong}>
        {games === undefined ? t("play.autoStartForever") : t("play.autoStart", { count: games })}
      </Key>
    </form>
  );
}

type LimitProblem = TypedAmount | "tooSmall";

/** The typed limits as amounts, and what is wrong with them: a loss limit below one stake cannot be kept. */
function readLimits(typed: Typed, symbol: string, stake: number) {
  const limits: Partial<Record<MoneyLimit, number>> = {};
  const problems: Partial<Record<MoneyLimit, LimitProblem>> = {};
  for (const limit of MONEY_LIMITS) {
    if (typed[limit] === "") continue;
    const amount = readAmount(typed[limit], symbol);
    if (amount.is !== "amount") problems[limit] = amount;
    else if (limit === "lossReaches" && amount.minor < stake) problems[limit] = "tooSmall";
    else limits[limit] = amount.minor;
  }
  return { limits, problems };
}
