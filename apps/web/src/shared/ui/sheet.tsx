import type { ReactNode } from "react";
import { lazy, Suspense, useEffect, useState } from "react";

export type SheetProps = {
  readonly open: boolean;
  /** Called when Escape, the scrim or a close key asks for it; leave out where a choice is required. */
  readonly onClose?: () => void;
  readonly title: string;
  readonly bareTitle?: boolean;
  /** What stands above the title. */
  readonly head?: ReactNode;
  /** `sheet`: 480 px in the middle, from the lower edge on phones; `drawer`: from the start edge, full height; `end`: from the end edge. */
  readonly form?: "sheet" | "drawer" | "end";
  readonly className?: string;
  /** Where the focus goes when it opens; true, and without it: to its first key. */
  readonly initialFocus?: () => HTMLElement | true;
  /** Where the focus goes when it closes; true, and without it: back to where it came from. */
  readonly finalFocus?: () => HTMLElement | true;
  readonly children: ReactNode;
};

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
