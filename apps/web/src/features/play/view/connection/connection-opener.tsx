import { lazy, Suspense } from "react";
import type { ConnectionView } from "./connection-sheet.tsx";

export const loadSheets = () => import("../sheets.ts");
const ConnectionSheet = lazy(async () => ({ default: (await loadSheets()).ConnectionSheet }));

/** The connection sheet, whose code is fetched when it is first wanted. `open` undefined: not yet. */
export function ConnectionOpener(props: {
  readonly open: boolean | undefined;
  readonly first: ConnectionView;
  readonly onClose: () => void;
}) {
  const { open, ...rest } = props;
  if (open === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ConnectionSheet open={open} {...rest} />
    </Suspense>
  );
}
