import type { SeatHold } from "@longarm/contract/game-socket";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { useState } from "react";
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
  const { machine, meters, spectators, hold } = useLive(session.state);
  const credit = meters?.credit ?? 0;
  return (
    <GameSheet open={open} onClose={onClose} title={t("play.leaveTitle", { machine: machine?.name ?? machineName })}>
      <div className={css["why"]}>
        {credit > 0 && <p>{t("play.leaveCredit", { amount: moneyText(credit, currency, language, true) })}</p>}
        <p>{spectators > 0 ? t("play.leaveOthers", { count: spectators }) : t("play.leaveSeat")}</p>
      </div>
      {hold !== undefined && hold.left > 0 && credit > 0 && <HoldSeat {...hold} onHeld={onClose} />}
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

/** Keeps the seat for some minutes: until when, what it costs, and what happens then. */
function HoldSeat({ minutes, left, price, onHeld }: SeatHold & { onHeld: () => void }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session, deps } = usePlay();
  const wallet = useLive(deps.wallet)?.balance;
  const now = useNow(deps.clock, deps.timers);
  const [busy, setBusy] = useState(false);
  const timeOf = (ms: number): string => dayAndTime(ms, language)[1];
  const amountOf = (minor: number): string => moneyText(minor, currency, language, true);
  const isPoor = wallet !== undefined && wallet < price;
  const hold = async () => {
    setBusy(true);
    const held = await session.holdSeat(price);
    setBusy(false);
    if (held.is !== "held") return deps.say("bad", t(held.is === "unknown" ? "play.holdUnknown" : "play.holdFailed"));
    onHeld();
    const paid = held.price > 0 ? [t("play.holdPaid", { amount: amountOf(held.price) })] : [];
    deps.say("good", [t("play.heldUntil", { time: timeOf(held.untilMs) }), ...paid].join(" "));
  };
  const until = { time: timeOf(now + minutes * 60_000) };
  return (
    <div className={css["why"]} data-hold>
      <p>{price > 0 ? t("play.holdForPrice", { ...until, amount: amountOf(price) }) : t("play.holdAbout", until)}</p>
      <p>{t("play.holdLeft", { count: left })}</p>
      {isPoor && <p>{t("play.holdPoor", { amount: amountOf(wallet) })}</p>}
      <Key kind="plain" icon="clock" busy={busy} disabled={isPoor} onClick={() => void hold()}>
        {t("play.hold", { count: minutes })}
        {price > 0 && ` · ${amountOf(price)}`}
      </Key>
    </div>
  );
}
