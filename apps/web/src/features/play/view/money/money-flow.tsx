import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { Icon } from "../../../../shared/ui/icon.tsx";
import type { Direction } from "../../state/money/open-transfer.ts";
import type { Sheet } from "../../state/money/sheet-rules.ts";
import { usePlay } from "../play-context.ts";
import css from "./money-sheet.module.css";

/** From where to where, and what stands on each side before and after. */
export function MoneyFlow({ direction, sheet, moving }: { direction: Direction; sheet: Sheet; moving: boolean }) {
  const { t } = useText();
  const { session, machineName } = usePlay();
  const machine = useLive(session.state, (state) => state.machine?.name) ?? machineName;
  const names = direction === "cashIn" ? [t("play.wallet"), machine] : [machine, t("play.wallet")];
  return (
    <div className={css["flow"]}>
      <div>
        <span className="plate">
          <bdi>{names[0]}</bdi>
        </span>
        <Money minor={sheet.from.now} />
        <p className={css["later"]} data-shown={moving}>
          <Money minor={sheet.from.after} tone="ink" /> {t("play.remains")}
        </p>
      </div>
      <span className={css["arrow"]}>
        <Icon name="back" />
      </span>
      <div>
        <span className="plate">
          <bdi>{names[1]}</bdi>
        </span>
        <Money minor={sheet.to.now} />
        <p className={css["later"]} data-shown={moving}>
          <Money minor={sheet.to.after} tone="ink" /> {t("play.becomes")}
        </p>
      </div>
    </div>
  );
}
