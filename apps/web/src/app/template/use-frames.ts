import { useLive } from "@longarm/ui/live.ts";
import { useEffect, useState } from "react";
import type { Appearance } from "../../shared/appearance/appearance.ts";
import type { App } from "../app.ts";
import type { Frames } from "./frames.tsx";

const loaded = new WeakMap<App, Frames>();
async function load(app: App): Promise<Frames> {
  const { loadFrames } = await import("./frames.tsx");
  const frames = await loadFrames(app);
  loaded.set(app, frames);
  return frames;
}

/** Whether something else is wanted than the casino shell as it is. */
function wantsFrames({ layout: { style, config } }: Appearance): boolean {
  const { mode, navbar, toolbar, footer } = config;
  const isWhole = navbar.display && toolbar.display && footer.display && footer.style === "static";
  return style !== "layout3" || mode !== "fullwidth" || !isWhole;
}

/** Before the bars are drawn: a layout that is wanted from the start is there with them. */
export async function needFrames(app: App): Promise<void> {
  if (wantsFrames(app.appearance.current.getState())) await load(app);
}

/** The other layouts, fetched when the first of them is wanted; until they are there the bars stay as they were. */
export function useFrames(app: App): Frames | undefined {
  const wanted = useLive(app.appearance.current, wantsFrames);
  const [frames, setFrames] = useState(loaded.get(app));
  useEffect(() => {
    if (!wanted || frames !== undefined) return;
    load(app).then(setFrames, (error: unknown) => app.log("The layout could not be loaded.", error));
  }, [app, wanted, frames]);
  return frames;
}
