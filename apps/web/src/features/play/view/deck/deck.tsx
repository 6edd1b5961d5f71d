import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { Key } from "../../../../shared/ui/key.tsx";
import { usePlay } from "../play-context.ts";
import { AutoButton } from "./auto-button.tsx";
import { Bet } from "./bet.tsx";
import { Choices } from "./choices.tsx";
import css from "./deck.module.css";
import { SpinButton } from "./spin-button.tsx";
import { Win } from "./win.tsx";

/** The deck: what the machine tells, and its keys. In the order of the hand: SPIN, autoplay, bet, bands, money. */
export function Deck() {
  const { t } = useText();
  const { session, openMoney } = usePlay();
  const { meters, online, countdown } = useLive(session.state);
  const transfer = useLive(session.transfer);
  return (
    <section className={css["deck"]} aria-label={t("play.keys")} data-waiting={meters === undefined || undefined}>
      <SpinButton />
      <AutoButton />
      <Bet />
      <Choices />
      <Key
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
