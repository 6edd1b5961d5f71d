import { useMemo } from "react";
import { useLive } from "../../../../shared/live/live.ts";
import type { PanelKeys } from "../../state/press/panel-keys.ts";
import { panelKeys } from "../../state/press/panel-keys.ts";
import { usePlay } from "../play-context.ts";

/** The keys of the machine's panel, each by its place. */
export function usePanel(): PanelKeys {
  const { session } = usePlay();
  const { buttons, bands } = useLive(session.state);
  return useMemo(() => panelKeys(buttons, bands), [buttons, bands]);
}
