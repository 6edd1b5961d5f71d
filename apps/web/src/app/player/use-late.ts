import type { Area } from "@longarm/ui/i18n/texts.ts";
import { useEffect, useState } from "react";
import type { App } from "../app.ts";

/** What `load` fetches, with its texts, once it is wanted; until then, and on a page that cannot load it, undefined. `load` must not change. */
export function useLate<T>(app: App, isWanted: boolean, texts: Area, load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<{ readonly it: T }>();
  const isMissing = isWanted && loaded === undefined;
  useEffect(() => {
    if (!isMissing) return;
    let gone = false;
    Promise.all([load(), app.texts.need(texts)]).then(
      ([it]) => gone || setLoaded({ it }),
      (error: unknown) => app.log(`What draws ${texts} could not be loaded.`, error),
    );
    return () => {
      gone = true;
    };
  }, [isMissing, app, texts, load]);
  return loaded?.it;
}
