import type { PlayNow } from "../play-context.ts";

const SPIN_VIBRATION_MS = 8;

/** Presses SPIN with everything that belongs to it: the sound, the touch, and the money sheet when the credit is gone. */
export function useSpin({ session, preferences, sounds, openMoney }: PlayNow): () => void {
  return () => {
    const pressed = session.spin();
    if (pressed === "noCredit") openMoney("cashIn");
    if (pressed === "idle" || pressed === "locked") return;
    const { clickSound, muted, volume } = preferences.now.getState();
    if (clickSound && !muted) sounds.click(pressed === "stopped" ? "key" : "spin", volume);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!calm && "vibrate" in navigator) navigator.vibrate(SPIN_VIBRATION_MS);
  };
}
