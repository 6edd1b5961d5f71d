import { AboutSheet } from "./about-sheet.tsx";
import { AutoplaySheet } from "./autoplay-sheet.tsx";
import { CheckSheet } from "./check-sheet.tsx";
import type { ConnectionView } from "./connection-sheet.tsx";
import { ConnectionSheet } from "./connection-sheet.tsx";

/** Which sheet: `first` is the view that the connection sheet opens with. */
export type LateSheetName =
  | { readonly sheet: "about" }
  | { readonly sheet: "autoplay" }
  | { readonly sheet: "check" }
  | { readonly sheet: "connection"; readonly first: ConnectionView };

/** Every sheet whose code is fetched once the video has started, in one file: each further file would be named in every first load. */
export function LateSheets(props: LateSheetName & { readonly open: boolean; readonly onClose: () => void }) {
  const { open, onClose } = props;
  if (props.sheet === "about") return <AboutSheet open={open} onClose={onClose} />;
  if (props.sheet === "check") return <CheckSheet open={open} />;
  if (props.sheet === "autoplay") return <AutoplaySheet open={open} onClose={onClose} />;
  return <ConnectionSheet open={open} onClose={onClose} first={props.first} />;
}
