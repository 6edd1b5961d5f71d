import { startTransition, useEffect, useState } from "react";
import { painted } from "../../shared/time/painted.ts";
import type { PlayerPart } from "../player/player-part.ts";
import { queryCacheOf } from "../player/player-views.ts";

/** Pictures that do not come, and cannot be said not to, hold nothing up for longer, ms. */
const PICTURES_MS = 5_000;

/** Whether what the page opened with has been answered, well or not, and its first pictures are seen: what nobody waits for is fetched after it. */
export function useQuiet(part: PlayerPart | undefined): boolean {
  const [drawn, setDrawn] = useState(false);
  const [quiet, setQuiet] = useState(false);
  useEffect(() => {
    const cache = part && queryCacheOf(part);
    const look = () => {
      // After what was answered has been drawn, so that its pictures are asked for first.
      if (cache === undefined || cache.isFetching() === 0) startTransition(() => setDrawn(true));
    };
    // The pages inside have asked by now.
    look();
    return cache?.getQueryCache().subscribe(look);
  }, [part]);
  useEffect(() => {
    if (!drawn) return;
    const first = [...document.images].filter(({ loading }) => loading === "eager");
    // One that cannot be had is none.
    const late = new Promise((done) => setTimeout(done, PICTURES_MS));
    void Promise.race([Promise.allSettled(first.map((picture) => picture.decode())), late])
      .then(painted)
      .then(() => startTransition(() => setQuiet(true)));
  }, [drawn]);
  return quiet;
}
