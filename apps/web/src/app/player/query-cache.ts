import { painted } from "@longarm/ui/time/painted.ts";
import { QueryClient } from "@tanstack/react-query";
import { createContext, startTransition, useEffect, useState } from "react";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "./player-link.ts";

/** The query cache lives as long as the player is signed in: a player never sees the lists of another. */
export const queryCacheOf = oncePer<PlayerLink, QueryClient>(
  () =>
    new QueryClient({
      defaultOptions: { queries: { staleTime: 2_000, retry: 1, refetchOnWindowFocus: true, networkMode: "always" } },
    }),
);

/** What `useQuiet` says, for the pages inside the bars. No store: what it lets in is drawn in a transition, in short tasks. */
export const QuietContext = createContext(false);

/** A page that stays busy, and images that neither arrive nor fail, delay nothing for longer than this, ms. */
const IMAGES_MS = 5_000;

/** Whether the first requests of the page are done and its first images are drawn: what is not urgent is fetched after them. */
export function useQuiet(link: PlayerLink | undefined): boolean {
  const [drawn, setDrawn] = useState(false);
  const [quiet, setQuiet] = useState(false);
  useEffect(() => {
    const cache = link && queryCacheOf(link);
    const look = () => {
      // In a transition: the answers are drawn first, so that their images are requested first.
      if (cache === undefined || cache.isFetching() === 0) startTransition(() => setDrawn(true));
    };
    // The pages inside have sent their requests by now.
    look();
    return cache?.getQueryCache().subscribe(look);
  }, [link]);
  useEffect(() => {
    if (!drawn) return;
    let isLate = false;
    const late = new Promise<void>((done) => {
      setTimeout(() => {
        isLate = true;
        done();
      }, IMAGES_MS);
    });
    void Promise.race([shown(() => isLate), late])
      .then(painted)
      // The first frame that has them is on the screen once the next one is made.
      .then(painted)
      .then(() => startTransition(() => setQuiet(true)));
  }, [drawn]);
  return quiet;
}

/** Resolves once the page has drawn what came, which it may do in a transition of its own, with its first images. One that fails counts as drawn. */
async function shown(isLate: () => boolean): Promise<void> {
  while (!isLate() && document.querySelector("[aria-busy=true]") !== null) await painted();
  const first = [...document.images].filter(({ loading }) => loading === "eager");
  await Promise.allSettled(first.map((image) => image.decode()));
}

/** Reconnects the notification socket as soon as the network or the page is back, and fetches every list again after an outage. */
export function useReturns(link: PlayerLink | undefined): void {
  useEffect(() => {
    if (link === undefined) return;
    const retry = () => link.retryNow();
    addEventListener("online", retry);
    document.addEventListener("visibilitychange", retry);
    // What changed during the outage was not pushed.
    const end = link.returns.subscribe(() => void queryCacheOf(link).invalidateQueries());
    return () => {
      end();
      removeEventListener("online", retry);
      document.removeEventListener("visibilitychange", retry);
    };
  }, [link]);
}
