import { useState } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { moneyParts, moneyText } from "../../../../shared/money/format.ts";
import { AMOUNT_LENGTH_MAX, readAmount } from "../../../../shared/money/read-amount.ts";
import { Check, Field } from "../../../../shared/ui/field.tsx";
import { Key } from "../../../../shared/ui/key.tsx";
import { Segment } from "../../../../shared/ui/segment.tsx";
import type { AutoplayPlan } from "../../state/autoplay/plan.ts";
import { FIRST_PLAN, GAME_CHOICES, WIN_CHOICES } from "../../state/autoplay/plan.ts";
import { GameSheet } from "../game-sheet.tsx";
import { typedText } from "../money/transfer-text.ts";
import { useClick, usePlay } from "../play-context.ts";
import css from "./autoplay-sheet.module.css";

/** How many games, and what else ends them. What was chosen stays for as long as the player sits. */
export function AutoplaySheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useText();
  const { session } = usePlay();
  const [plan, setPlan] = useState(FIRST_PLAN);
  const [floor, setFloor] = useState("");
  return (
    <GameSheet
      open={open}
      onClose={onClose}
      title={t("play.autoTitle")}
      arrangement={css["arrangement"]}
      // Once it runs the next key is STOP.
      finalFocus={() =>
        (session.autoplay.state.getState().on ? document.querySelector<HTMLElement>("[data-spin]") : null) ?? true
      }
    >
      <Choice plan={plan} onPlan={setPlan} floor={floor} onFloor={setFloor} onClose={onClose} />
    </GameSheet>
  );
}

function Choice(props: {
  readonly plan: AutoplayPlan;
  readonly onPlan: (plan: AutoplayPlan) => void;
  /** The least credit as it was typed. */
  readonly floor: string;
  readonly onFloor: (text: string) => void;
  readonly onClose: () => void;
}) {
  const { plan, onPlan, floor, onFloor, onClose } = props;
  const speech = useText();
  const { t, language } = speech;
  const currency = useCurrency();
  const { session, throttle } = usePlay();
  const click = useClick();
  const { meters, online } = useLive(session.state);
  const stake = meters?.bet ?? 0;
  const typedFloor = readAmount(floor, moneyParts(0, currency, language).symbol);
  const creditBelow = typedFloor.is === "amount" ? typedFloor.minor : undefined;
  const wrong = floor !== "" && creditBelow === undefined;
  const money = (minor: number): string => moneyText(minor, currency, language, true);
  const { games } = plan;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (wrong || !throttle("autoplay") || !session.autoplay.start({ ...plan, creditBelow })) return;
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
      <StopRules plan={plan} onPlan={onPlan} />
      <Field
        label={t("play.autoCredit")}
        value={floor}
        inputMode="decimal"
        autoComplete="off"
        maxLength={AMOUNT_LENGTH_MAX}
        dir="ltr"
        wellClass={css["floor"] ?? ""}
        placeholder="—"
        before={<i aria-hidden="true">{moneyParts(0, currency, language).symbol}</i>}
        error={wrong ? typedText(typedFloor, speech, currency) : undefined}
        onChange={({ target }) => onFloor(target.value)}
      />
      <p className={css["fine"]}>{t("play.autoAlways")}</p>
      <Key kind="brass" big type="submit" className={css["go"]} disabled={!online || meters === undefined || wrong}>
        {games === undefined ? t("play.autoStartForever") : t("play.autoStart", { count: games })}
      </Key>
    </form>
  );
}

function StopRules({ plan, onPlan }: { plan: AutoplayPlan; onPlan: (plan: AutoplayPlan) => void }) {
  const { t } = useText();
  return (
    <section className={css["part"]}>
      <span aria-hidden="true">{t("play.autoWin")}</span>
      <Segment
        className={css["choices"] ?? ""}
        label={t("play.autoWin")}
        value={String(plan.winAbove)}
        onChange={(value) => onPlan({ ...plan, winAbove: WIN_CHOICES.find((each) => String(each) === value) })}
        options={WIN_CHOICES.map((times) => {
          const value = String(times);
          if (times === undefined) return { value, label: "—", name: t("play.autoNever") };
          if (times === 0) return { value, label: t("play.autoAnyWin") };
          return { value, label: `${times}×`, name: t("play.autoTimes", { count: times }) };
        })}
      />
      <Check
        label={t("play.autoFreeSpins")}
        checked={plan.atFreeSpins}
        onChange={({ target }) => onPlan({ ...plan, atFreeSpins: target.checked })}
      />
    </section>
  );
}
