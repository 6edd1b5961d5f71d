import type { Area } from "@longarm/ui/i18n/texts.ts";
import { useEffect, useState } from "react";
import type { App } from "../app.ts";

/** Whether the words of a panel are there. Without them the page goes on, and the panel stays away. */
export function useTextsOf(app: App, area: Area): boolean {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    app.texts.need(area).then(
      () => setReady(true),
      (error: unknown) => app.log(`The texts of ${area} could not be loaded.`, error),
    );
  }, [app, area]);
  return ready;
}
