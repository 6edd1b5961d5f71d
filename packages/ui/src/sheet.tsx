import type { ComponentType } from "react";
import { lazy, Suspense, useEffect, useState } from "react";
import type { SheetProps } from "./sheet-frame.tsx";
import { painted } from "./time/painted.ts";

type Frame = ComponentType<SheetProps>;

let fetched: Frame | undefined;
export async function loadSheetFrame(): Promise<{ readonly default: Frame }> {
  fetched = (await import("./sheet-frame.tsx")).SheetFrame;
  return { default: fetched };
}
const LazyFrame = lazy(loadSheetFrame);

/**
 * A dialog over the page: focus is kept inside and given back, Escape closes unless a choice is required. Its machinery is fetched when
 * the page is first used.
 */
export function Sheet(props: SheetProps) {
  // A loaded frame is drawn without Suspense: after a fallback React waits a third of a second.
  const [Frame, setFrame] = useState<Frame>();
  if (props.open && Frame === undefined) setFrame(() => fetched ?? LazyFrame);
  useEffect(() => fetchWhenUsed(loadSheetFrame), []);
  if (Frame === undefined) return null;
  return (
    <Suspense fallback={null}>
      <Frame {...props} />
    </Suspense>
  );
}

/** Fetches at the first input what a press opens: the first load stays small, and a sheet is there before a button is released. */
export function fetchWhenUsed(load: () => Promise<unknown>): () => void {
  const signs = ["pointermove", "pointerdown", "keydown"] as const;
  const stop = () => {
    for (const sign of signs) removeEventListener(sign, fetchNow);
  };
  async function fetchNow({ type }: Event): Promise<void> {
    stop();
    // After the frame that answers the touch; letters may follow a shortcut, and are meant for what it opens.
    if (type !== "keydown") await painted();
    // A failed fetch is tried again by the opening.
    load().catch(() => undefined);
  }
  for (const sign of signs) addEventListener(sign, fetchNow, { passive: true });
  return stop;
}
