import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { moneyText } from "../../../../shared/money/format.ts";
import { Icon } from "../../../../shared/ui/icon.tsx";
import { useClick, usePlay } from "../play-context.ts";
import css from "./auto-button.module.css";
import { usePanel } from "./use-panel.ts";

/** Autoplay, on or off. A market that forbids it has no such key. */
export function AutoButton() {
  const { t, language } = useText();
  const { session, openAutoplay } = usePlay();
  const click = useClick();
  const { on, lossLeft } = useLive(session.autoplay.state);
  const currency = useCurrency();
  const { online, limits, meters } = useLive(session.state);
  const { wager } = usePanel();
  if (limits?.autoplay !== true || wager === undefined) return null;
  return (
    <button
      type="button"
      className={css["round"]}
      aria-pressed={on}
      title={t("play.auto")}
      disabled={!online || meters === undefined}
      onClick={() => {
        click("key");
        if (on) session.autoplay.stop("player");
        else openAutoplay();
      }}
    >
      <span aria-hidden="true">
        <Icon name="autoplay" />
      </span>
      <b>
        {on && lossLeft !== undefined
          ? t("play.autoLossLeft", { amount: moneyText(lossLeft, currency, language, true) })
          : t("play.auto")}
      </b>
    </button>
  );
}
