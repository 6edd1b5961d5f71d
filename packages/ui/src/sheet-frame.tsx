import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { useRef } from "react";
import css from "./sheet-frame.module.css";

export type SheetProps = {
  readonly open: boolean;
  /** Called when Escape, the scrim or a close key asks for it; leave out where a choice is required. */
  readonly onClose?: () => void;
  readonly title: string;
  readonly bareTitle?: boolean;
  /** It interrupts, and must be answered: read as an alert, with the focus on its title. */
  readonly alert?: boolean;
  /** Content above the title. */
  readonly head?: ReactNode;
  /** `sheet`: 480 px in the middle, from the lower edge on phones; `drawer`: from the start edge, full height; `end`: from the end edge. */
  readonly form?: "sheet" | "drawer" | "end";
  readonly className?: string;
  /** Where the focus goes when it opens; true, and without it: to its first key. */
  readonly initialFocus?: () => HTMLElement | true;
  /** Where the focus goes when it closes; true, and without it: back to where it came from; false: it stays where it is. */
  readonly finalFocus?: () => HTMLElement | boolean;
  readonly children: ReactNode;
};

/** The sheet itself, with the machinery of a dialog. */
export function SheetFrame({
  open,
  onClose,
  title,
  bareTitle = false,
  alert = false,
  head,
  form = "sheet",
  className = "",
  initialFocus,
  finalFocus,
  children,
}: SheetProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => !next && onClose?.()}
      disablePointerDismissal={onClose === undefined}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={css["scrim"]} />
        <Dialog.Viewport className={css["view"]} data-form={form}>
          <Dialog.Popup
            className={`${css["sheet"]} ${className}`}
            data-form={form}
            {...(alert && { role: "alertdialog" })}
            initialFocus={alert ? heading : initialFocus}
            finalFocus={finalFocus}
          >
            {head}
            <Dialog.Title
              ref={heading}
              {...(alert && { tabIndex: -1 })}
              className={bareTitle ? "visually-hidden" : css["title"]}
            >
              {title}
            </Dialog.Title>
            {children}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
