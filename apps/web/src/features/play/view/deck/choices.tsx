import type { Band, Button } from "@longarm/contract/machine";
import { useId } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { labelText, moneyParts } from "../../../../shared/money/format.ts";
import { STOP } from "../../state/press/panel-keys.ts";
import { useClick, usePlay } from "../play-context.ts";
import cap from "./cap.module.css";
import css from "./choices.module.css";
import { useCap } from "./use-cap.ts";
import { usePanel } from "./use-panel.ts";

/** What the cabinet lets the player choose: its bands, and whatever other keys it has. */
export function Choices() {
  const { session } = usePlay();
  const bands = useLive(session.state, (state) => state.bands);
  const { others } = usePanel();
  if (bands.length === 0 && others.length === 0) return null;
  return (
    <div className={css["choices"]} data-choices>
      {bands.length > 0 && <Bands bands={bands} />}
      {others.length > 0 && <Others buttons={others} />}
    </div>
  );
}

/** The stake ranges, dearest first; a single one is a plain label. */
function Bands({ bands }: { bands: readonly Band[] }) {
  const { t, language } = useText();
  const { session } = usePlay();
  const id = useId();
  const active = useLive(session.state, ({ meters }) => meters?.activeBand);
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
            <BandCap key={band.id} band={band} button={panel.bands.get(band.id)} lit={band.id === active} />
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** A band is drawn without the currency for want of room; it is heard with it, or a figure alone would say nothing. */
function useSymbol(): string {
  const { language } = useText();
  return moneyParts(0, useCurrency(), language).symbol;
}

function BandCap({ band, button, lit }: { band: Band; button: Button | undefined; lit: boolean }) {
  const { language } = useText();
  const symbol = useSymbol();
  const { session } = usePlay();
  const click = useClick();
  const { state } = useCap();
  return (
    <button
      type="button"
      dir="ltr"
      className={cap["cap"]}
      aria-label={`${symbol}${labelText(band.name, language)}`}
      aria-pressed={lit}
      {...state}
      disabled={state.disabled || button === undefined}
      onClick={() => {
        if (button !== undefined && session.press(button.id) === "sent") click("key");
      }}
    >
      {labelText(band.name, language)}
    </button>
  );
}

/** Keys that only this cabinet has, by the labels that stand on it. */
function Others({ buttons }: { buttons: readonly Button[] }) {
  const { session } = usePlay();
  const click = useClick();
  const { turning, locked, state } = useCap();
  return (
    <div className={css["others"]}>
      {buttons.map(({ id, label, kind }) => (
        <button
          key={id}
          type="button"
          className={cap["cap"]}
          {...state}
          aria-disabled={locked || (kind === "select" && (id === STOP) !== turning) || undefined}
          onClick={() => {
            const pressed = session.press(id);
            if (pressed === "sent" || pressed === "queued") click("key");
          }}
        >
          <bdi>{label}</bdi>
        </button>
      ))}
    </div>
  );
}
