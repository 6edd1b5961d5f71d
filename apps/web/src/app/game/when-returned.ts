import type { Timers } from "@longarm/link/socket";
import type { Live } from "../../shared/live/live.ts";
import type { LeaveReason, WalletNow } from "../../shared/play-deps.ts";

/** A machine that takes longer to give its credits back is no news in the lobby any more, ms. */
const PATIENCE_MS = 2 * 60_000;

/** Whether the platform ended the play session, and with it takes the credits back by itself. One who left was told already. */
export function endsForGood(reason: LeaveReason): boolean {
  if (reason.is === "status") return reason.state !== "waiting" && reason.state !== "playing";
  return reason.is === "ended" || (reason.is === "closed" && reason.reason === "ended");
}

/** Tells once, in minor units, what has come back to the wallet when that names no machine any more; nothing when nothing came. */
export function whenReturned(wallet: Live<WalletNow>, timers: Timers, tell: (returned: number) => void): void {
  const before = wallet.getState();
  if (before?.onMachine === undefined) return;
  const stopWaiting = timers.after(PATIENCE_MS, () => stop());
  const stop = wallet.subscribe((now) => {
    if (now === undefined || now.onMachine !== undefined || now.pending !== undefined) return;
    stop();
    stopWaiting();
    if (now.balance > before.balance) tell(now.balance - before.balance);
  });
}
