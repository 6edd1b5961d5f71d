import { startTransition, useEffect, useState } from "react";
import type { PlayerPart } from "../player/player-part.ts";
import { queryCacheOf } from "../player/player-views.ts";

/** Whether what the page opened with has been answered, well or not: what nobody waits for is fetched after it. */
export function useQuiet(part: PlayerPart | undefined): boolean {
  const [quiet, setQuiet] = useState(false);
  useEffect(() => {
    const cache = part && queryCacheOf(part);
    const look = () => {
      // After what was answered has been drawn, so that its pictures are asked for first.
      if (cache === undefined || cache.isFetching() === 0) startTransition(() => setQuiet(true));
    };
    // The pages inside have asked by now.
    look();
    return cache?.getQueryCache().subscribe(look);
  }, [part]);
  return quiet;
}
