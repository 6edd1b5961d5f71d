import { useEffect } from "react";
import type { PlayerPart } from "../player/player-part.ts";
import { queryCacheOf } from "../player/player-views.ts";

/** Keeps the player's part from waiting for its back-off, and has every list told anew after an outage. */
export function useReturns(part: PlayerPart | undefined): void {
  useEffect(() => {
    if (part === undefined) return;
    const retry = () => part.retryNow();
    addEventListener("online", retry);
    document.addEventListener("visibilitychange", retry);
    // What happened meanwhile is in no push.
    const end = part.returns.subscribe(() => void queryCacheOf(part).invalidateQueries());
    return () => {
      end();
      removeEventListener("online", retry);
      document.removeEventListener("visibilitychange", retry);
    };
  }, [part]);
}
