import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import type { PlayState } from "../../state/play-state.ts";
import { usePlay } from "../play-context.ts";
import css from "./game-sheet.module.css";
import { GameSheet } from "./game-sheet.tsx";

/** Whether leaving needs a confirmation: there is credit on the machine, or others watch. Not without a link, where the platform ends the session by itself. */
export function confirmsLeaving({ phase, online, meters, spectators }: PlayState): boolean {
  return phase === "playing" && online && ((meters?.credit ?? 0) > 0 || spectators > 0);
}

/** Confirms that the player leaves the seat, and says where the credit goes. */
export function LeaveSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session, machineName } = usePlay();
  const { machine, meters, spectators } = useLive(session.state);
  const credit = meters?.credit ?? 0;
  return (
    <GameSheet open={open} onClose={onClose} title={t("play.leaveTitle", { machine: machine?.name ?? machineName })}>
      <div className={css["why"]}>
        {credit > 0 && <p>{t("play.leaveCredit", { amount: moneyText(credit, currency, language, true) })}</p>}
        <p>{spectators > 0 ? t("play.leaveOthers", { count: spectators }) : t("play.leaveSeat")}</p>
      </div>
      <div className={css["keys"]}>
        <Key big kind="line" onClick={onClose}>
          {t("play.stay")}
        </Key>
        <Key
          big
          kind="danger"
          data-leave
          onClick={() => {
            onClose();
            session.leave();
          }}
        >
          {t("play.leave")}
        </Key>
      </div>
    </GameSheet>
  );
}
