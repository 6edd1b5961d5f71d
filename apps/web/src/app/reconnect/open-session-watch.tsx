import { useEffect, useState } from "react";
import { useLive } from "../../shared/live/live.ts";
import type { App } from "../app.ts";
import type { PlayerPart } from "../player/player-part.ts";

type Layer = typeof import("./reconnect-layer.tsx").ReconnectLayer;

/** Brings the reconnect dialog once a play session is open: who has none never loads it, and a page that cannot load it goes on without. */
export function OpenSessionWatch({ app, part }: { app: App; part: PlayerPart }) {
  const isOpen = useLive(part.openSession, (open) => open !== undefined);
  const [layer, setLayer] = useState<{ readonly Layer: Layer }>();
  const isWanted = isOpen && layer === undefined;
  useEffect(() => {
    if (!isWanted) return;
    let gone = false;
    Promise.all([import("./reconnect-layer.tsx"), app.texts.need("reconnect")]).then(
      ([{ ReconnectLayer }]) => gone || setLayer({ Layer: ReconnectLayer }),
      (error: unknown) => app.log("The reconnect dialog could not be loaded.", error),
    );
    return () => {
      gone = true;
    };
  }, [isWanted, app]);
  return layer === undefined ? null : <layer.Layer app={app} part={part} />;
}
