import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { moneyText } from "../../../../shared/money/format.ts";
import { lockupOf } from "../../state/machine/lockup.ts";
import { usePlay } from "../play-context.ts";

/** How a cap of the deck stands, as attributes of its button: off without a link; while the machine is locked it is out, and says why. */
export function useCap() {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const online = useLive(session.state, (state) => state.online);
  const lockup = useLive(session.state, ({ meters }) => meters && lockupOf(meters));
  const owed = useLive(session.state, ({ meters }) => meters?.handPay?.amount ?? 0);
  const { turning } = useLive(session.reels);
  const locked = lockup !== undefined;
  return {
    turning,
    locked,
    state: {
      disabled: !online,
      // Not disabled: that would throw the focus away with every game and every open door.
      "aria-disabled": turning || locked || undefined,
      ...(locked && {
        "data-locked": true,
        title: t(`play.${lockup}`, { amount: moneyText(owed, currency, language, true) }),
      }),
    },
  };
}
