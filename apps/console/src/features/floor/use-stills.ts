import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import type { Stills } from "../../shared/floor/still.tsx";
import { createStillLoader, loadImage } from "../../shared/floor/still-loader.ts";
import { useMe, useSkewMs } from "../../shared/me.ts";

/** The stills of one page of a person who is signed in. */
export function useStills(): Stills {
  const { timers } = useConsole();
  const { venue } = useMe();
  const skewMs = useSkewMs();
  const [loader] = useState(() => createStillLoader({ timers, load: loadImage }));
  return { base: "/staff/v1/stills/", loader, timeZone: venue.timeZone, skewMs };
}
