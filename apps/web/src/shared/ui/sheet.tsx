import { lazy, Suspense, useEffect, useState } from "react";
import type { SheetProps } from "./sheet-frame.tsx";

export const loadSheetFrame = () => import("./sheet-frame.tsx");
const SheetFrame = lazy(async () => ({ default: (await loadSheetFrame()).SheetFrame }));

/**
 * A dialog over the page: focus is kept inside and given back, Escape closes unless a choice is required. Its machinery is fetched when
 * the page is first used.
 */
export function Sheet(props: SheetProps) {
  const [isNeeded, setNeeded] = useState(props.open);
  if (props.open && !isNeeded) setNeeded(true);
  useEffect(fetchWhenUsed, []);
  if (!isNeeded) return null;
  return (
    <Suspense fallback={null}>
      <SheetFrame {...props} />
    </Suspense>
  );
}

/** With the first sign of a person: the first load stays small, and whoever can press has it before the key is up. */
function fetchWhenUsed(): () => void {
  const signs = ["pointermove", "pointerdown", "keydown"] as const;
  const stop = () => {
    for (const sign of signs) removeEventListener(sign, fetchNow);
  };
  function fetchNow(): void {
    stop();
    // A failed fetch is tried again by the opening.
    loadSheetFrame().catch(() => undefined);
  }
  for (const sign of signs) addEventListener(sign, fetchNow, { passive: true });
  return stop;
}
