import { lazy, Suspense, useEffect, useState } from "react";
import type { SheetProps } from "./sheet-frame.tsx";

const load = () => import("./sheet-frame.tsx");
const SheetFrame = lazy(async () => ({ default: (await load()).SheetFrame }));

/**
 * A dialog over the page: focus is kept inside and given back, Escape closes unless a choice is required. Its machinery is fetched when
 * the page has nothing better to do, or with the first opening.
 */
export function Sheet(props: SheetProps) {
  const [isNeeded, setNeeded] = useState(props.open);
  if (props.open && !isNeeded) setNeeded(true);
  useEffect(fetchWhenIdle, []);
  if (!isNeeded) return null;
  return (
    <Suspense fallback={null}>
      <SheetFrame {...props} />
    </Suspense>
  );
}

/** A failed fetch is tried again by the opening. */
function fetchWhenIdle(): () => void {
  const fetchNow = () => void load().catch(() => undefined);
  // Safari knows no idle callback.
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(fetchNow, 1_000);
    return () => clearTimeout(timer);
  }
  const callback = requestIdleCallback(fetchNow, { timeout: 5_000 });
  return () => cancelIdleCallback(callback);
}
