import { lazy, Suspense } from "react";
import type { LateSheetName } from "./late-sheets.tsx";

export const loadLateSheets = () => import("./late-sheets.tsx");
const LateSheets = lazy(async () => ({ default: (await loadLateSheets()).LateSheets }));

/** A sheet whose code is fetched when it is first wanted. `open` undefined: not wanted yet. */
export function LateSheet({
  open,
  ...sheet
}: LateSheetName & { readonly open: boolean | undefined; readonly onClose: () => void }) {
  if (open === undefined) return null;
  return (
    <Suspense fallback={null}>
      <LateSheets open={open} {...sheet} />
    </Suspense>
  );
}
