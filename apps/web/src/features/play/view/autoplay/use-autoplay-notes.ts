import { useEffect, useSyncExternalStore } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import type { PlayNow } from "../play-context.ts";

/** Whoever lets the machine play looks away now and then: why it stopped stays to be read, ms. */
const READ_MS = 30_000;

/** Says why autoplay ended, once the player can see it. What the player did needs no long look. */
export function useAutoplayNotes({ session, deps }: PlayNow): void {
  const { t } = useText();
  const ended = useLive(session.autoplay.ended);
  const seen = useSyncExternalStore(onVisibility, () => document.visibilityState === "visible");
  useEffect(() => {
    if (ended === undefined || !seen) return;
    deps.say("info", t(`play.autoEnd_${ended}`), ended === "player" ? undefined : READ_MS);
    session.autoplay.clearEnded();
  }, [ended, seen, session, deps, t]);
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
}
