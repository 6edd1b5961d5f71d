import type { Band, Button } from "@longarm/contract/machine";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyParts, moneyText } from "@longarm/ui/money/format.ts";
import { MoneySaid } from "@longarm/ui/money/money.tsx";
import { labelText } from "@longarm/ui/money/read-amount.ts";
import { useEffect, useId, useMemo, useRef } from "react";
import type { PanelButtons } from "../../state/panel.ts";
import { STOP, sortButtons } from "../../state/panel.ts";
import type { PlayState } from "../../state/play-state.ts";
import { lockupOf, owedByHand } from "../../state/play-state.ts";
import { useClick, usePlay } from "../play-context.ts";
import css from "./panel-buttons.module.css";
import { RuleMark } from "./rule-mark.tsx";

const HOLD_AFTER_MS = 400;
/** Six a second. */
const HOLD_EVERY_MS = 167;

/** The stake of the next game, with the machine's own buttons for less and more. */
export function Bet() {
  const { t } = useText();
  const { session } = usePlay();
  const id = useId();
  const bet = useLive(session.state, ({ meters }) => (meters === undefined ? 0 : meters.bet));
  const { less, more, max } = usePanel();
  const ruled = stakeRules(useLive(session.state));
  return (
    <fieldset className={css["bet"]} aria-labelledby={id}>
      <span className="plate" id={id}>
        {t("play.bet")}
      </span>
      <div className={css["betRow"]}>
        {less && <StepButton button={less} icon="minus" label={t("play.lessBet")} />}
        <output>
          <MoneySaid minor={bet} tone="ink" />
        </output>
        {more && <StepButton button={more} icon="plus" label={t("play.moreBet")} ruled={ruled.more} />}
        {max && <MaxButton button={max} ruled={ruled.max} />}
      </div>
    </fieldset>
  );
}

/** A step button; held down it repeats six times a second. `ruled`: a rule of the market keeps it from going further. */
function StepButton({
  button,
  icon,
  label,
  ruled = false,
}: {
  button: Button;
  icon: "minus" | "plus";
  label: string;
  ruled?: boolean;
}) {
  const { session, deps, openRules } = usePlay();
  const click = useClick();
  const { state } = useButtonState(ruled);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  /** Whether a held button may go on: a refusal is shown once. */
  function press(): boolean {
    if (ruled) {
      openRules?.();
      return false;
    }
    const pressed = session.panel.press(button.id);
    if (pressed === "sent") click("key");
    return pressed !== "locked";
  }
  function hold(afterMs: number): void {
    stop.current = deps.timers.after(afterMs, () => {
      if (press()) hold(HOLD_EVERY_MS);
    });
  }
  const letGo = (): void => stop.current();
  return (
    <button
      type="button"
      className={css["cap"]}
      aria-label={label}
      {...state}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        letGo();
        if (press()) hold(HOLD_AFTER_MS);
      }}
      onPointerUp={letGo}
      onPointerLeave={letGo}
      onPointerCancel={letGo}
      onContextMenu={(event) => event.preventDefault()}
      // A pointer has pressed already when it went down; a keyboard or a screen reader only clicks.
      onClick={({ detail }) => void (detail === 0 && press())}
    >
      <Icon name={icon} />
      {ruled && <RuleMark />}
    </button>
  );
}

/** The machine's button for its highest stake. */
function MaxButton({ button, ruled }: { button: Button; ruled: boolean }) {
  const { t } = useText();
  const { session, openRules } = usePlay();
  const click = useClick();
  const { state } = useButtonState(ruled);
  return (
    <button
      type="button"
      className={`${css["cap"]} ${css["max"]}`}
      data-max
      aria-label={t("play.maxBet")}
      title={t("play.maxBet")}
      {...state}
      onClick={() => {
        if (ruled) openRules?.();
        else if (session.panel.press(button.id) === "sent") click("key");
      }}
    >
      {t("play.max")}
      {ruled && <RuleMark />}
    </button>
  );
}

/** What the machine lets the player choose: its bands, and any other buttons it has. */
export function Choices() {
  const { session } = usePlay();
  const bands = useLive(session.state, (state) => state.bands);
  const { others } = usePanel();
  if (bands.length === 0 && others.length === 0) return null;
  return (
    <div className={css["choices"]} data-choices>
      {bands.length > 0 && <Bands bands={bands} />}
      {others.length > 0 && <OtherButtons buttons={others} />}
    </div>
  );
}

/** The stake ranges, highest first; a single one is a plain label. */
function Bands({ bands }: { bands: readonly Band[] }) {
  const { t, language } = useText();
  const { session } = usePlay();
  const id = useId();
  const active = useLive(session.state, ({ meters }) => meters?.activeBand);
  const now = useLive(session.state);
  const panel = usePanel();
  const symbol = useSymbol();
  const [only] = bands;
  return (
    <fieldset className={css["bands"]} aria-labelledby={id}>
      <span className="plate" id={id}>
        {t("play.band")}
      </span>
      {bands.length === 1 && only ? (
        <b className={css["onlyBand"]} dir="ltr">
          <span className="visually-hidden">{symbol}</span>
          {labelText(only.name, language)}
        </b>
      ) : (
        <div className={css["caps"]}>
          {bands.map((band) => (
            <BandButton
              key={band.id}
              band={band}
              button={panel.bands.get(band.id)}
              lit={band.id === active}
              ruled={isBandAbove(band, now)}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** There is no room to draw a band's currency; a screen reader announces it, because a figure alone would mean nothing. */
function useSymbol(): string {
  const { language } = useText();
  return moneyParts(0, useCurrency(), language).symbol;
}

function BandButton({
  band,
  button,
  lit,
  ruled,
}: {
  band: Band;
  button: Button | undefined;
  lit: boolean;
  ruled: boolean;
}) {
  const { language } = useText();
  const symbol = useSymbol();
  const { session, openRules } = usePlay();
  const click = useClick();
  const { state } = useButtonState(ruled);
  return (
    <button
      type="button"
      dir="ltr"
      className={css["cap"]}
      aria-label={`${symbol}${labelText(band.name, language)}`}
      aria-pressed={lit}
      {...state}
      disabled={state.disabled || button === undefined}
      onClick={() => {
        if (ruled) openRules?.();
        else if (button !== undefined && session.panel.press(button.id) === "sent") click("key");
      }}
    >
      {labelText(band.name, language)}
      {ruled && <RuleMark />}
    </button>
  );
}

/** Buttons that only this machine has, by the labels on it. */
function OtherButtons({ buttons }: { buttons: readonly Button[] }) {
  const { session } = usePlay();
  const click = useClick();
  const { turning, locked, state } = useButtonState();
  return (
    <div className={css["others"]}>
      {buttons.map(({ id, label, kind }) => (
        <button
          key={id}
          type="button"
          className={css["cap"]}
          {...state}
          aria-disabled={locked || (kind === "select" && (id === STOP) !== turning) || undefined}
          onClick={() => {
            const pressed = session.panel.press(id);
            if (pressed === "sent" || pressed === "queued") click("key");
          }}
        >
          <bdi>{label}</bdi>
        </button>
      ))}
    </div>
  );
}

/** Which keys of the bet a rule of the market holds back: at the highest stake the machine could only go beyond it. */
const stakeRules = ({ rules, limits, meters }: PlayState) => {
  const { maxStake } = rules ?? {};
  return {
    more: maxStake !== undefined && (meters?.bet ?? 0) >= maxStake,
    max: maxStake !== undefined && (limits?.maxStake ?? Number.POSITIVE_INFINITY) > maxStake,
  };
};

/** The worth of a band as its name says it, "0,10"; NaN: its name is a word. */
const worthOf = ({ name }: Band): number => Number(name.replace(",", "."));

/** Whether the stake would be above the player's highest one in this band, with the bet that is chosen now. */
function isBandAbove(band: Band, { rules, meters, bands }: PlayState): boolean {
  const active = bands.find(({ id }) => id === meters?.activeBand);
  if (rules?.maxStake === undefined || meters?.bet === undefined || active === undefined) return false;
  const times = worthOf(band) / worthOf(active);
  // A lower band is the way down, also from a stake that is above it.
  return times > 1 && meters.bet * times > rules.maxStake;
}

/** The attributes of a button on the deck: disabled without a link; unlit while the machine is locked or a rule holds it back, with the reason as its title. */
export function useButtonState(ruled = false) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const online = useLive(session.state, (state) => state.online);
  const lockup = useLive(session.state, ({ meters }) => meters && lockupOf(meters));
  const owed = useLive(session.state, ({ meters }) => (meters && owedByHand(meters)) ?? 0);
  const { turning } = useLive(session.reels);
  const maxStake = useLive(session.state, ({ rules }) => rules?.maxStake);
  const locked = lockup !== undefined;
  const stakeAtMost = moneyText(maxStake ?? 0, currency, language, true);
  return {
    turning,
    locked,
    state: {
      disabled: !online,
      // Not disabled: that would drop the focus with every game and every lockup.
      "aria-disabled": turning || locked || ruled || undefined,
      ...(ruled && { "data-ruled": true, title: t("play.ruleStake", { amount: stakeAtMost }) }),
      ...(locked && {
        "data-locked": true,
        title: t(`play.${lockup}`, { amount: moneyText(owed, currency, language, true) }),
      }),
    },
  };
}

/** The buttons of the machine's panel, each by its place. */
export function usePanel(): PanelButtons {
  const { session } = usePlay();
  const { buttons, bands } = useLive(session.state);
  return useMemo(() => sortButtons(buttons, bands), [buttons, bands]);
}
