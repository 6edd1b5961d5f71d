import type { Band } from "@longarm/contract/machine";
import { useId } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { Key } from "../../../../shared/ui/key.tsx";
import { useClick, usePlay } from "../play-context.ts";
import { Bet, MaxBet } from "./bet.tsx";
import css from "./deck.module.css";
import { SpinButton } from "./spin-button.tsx";
import { Win } from "./win.tsx";

/** The deck: what the machine tells, and its keys. In the order of the hand: SPIN, bet, bands, money. */
export function Deck() {
  const { t } = useText();
  const { session, openMoney } = usePlay();
  const { meters, online, countdown } = useLive(session.state);
  const transfer = useLive(session.transfer);
  return (
    <section className={css["deck"]} aria-label={t("play.keys")} data-waiting={meters === undefined || undefined}>
      <SpinButton />
      <MaxBet />
      <Bet />
      <Bands />
      <Key
        kind={countdown?.code === "CODE_18800" ? "brass" : "plain"}
        icon="transfer"
        className={css["transfer"]}
        data-attention={countdown?.code === "CODE_18800" || undefined}
        aria-label={t("play.transfer")}
        busy={transfer.is === "busy"}
        disabled={!online}
        onClick={() => openMoney("cashIn")}
      >
        <span>{t("play.transfer")}</span>
      </Key>
      <div className={css["credit"]}>
        <span className="plate">{t("play.credit")}</span>
        <Money minor={meters?.credit ?? 0} />
      </div>
      <Win />
    </section>
  );
}

/** The stake ranges, dearest first; a single one is a plain label. */
function Bands() {
  const { t } = useText();
  const { session } = usePlay();
  const id = useId();
  const { bands, meters } = useLive(session.state);
  if (bands.length === 0) return null;
  const [only] = bands;
  return (
    <fieldset className={css["bands"]} aria-labelledby={id}>
      <span className="plate" id={id}>
        {t("play.band")}
      </span>
      {bands.length === 1 && only ? (
        <b className={css["onlyBand"]} dir="ltr">
          {only.name}
        </b>
      ) : (
        <div className={css["caps"]}>
          {bands.map((band) => (
            <BandCap key={band.id} band={band} lit={band.id === meters?.activeBand} />
          ))}
        </div>
      )}
    </fieldset>
  );
}

function BandCap({ band, lit }: { band: Band; lit: boolean }) {
  const { session } = usePlay();
  const click = useClick();
  const { online, buttons } = useLive(session.state);
  const { turning } = useLive(session.reels);
  const button = `band:${band.id}`;
  return (
    <button
      type="button"
      dir="ltr"
      className={css["cap"]}
      aria-pressed={lit}
      disabled={!online || !buttons.some(({ id }) => id === button)}
      // Not disabled: that would throw the focus away with every game.
      aria-disabled={turning || undefined}
      onClick={() => {
        if (session.press(button) === "sent") click("key");
      }}
    >
      {band.name}
    </button>
  );
}
