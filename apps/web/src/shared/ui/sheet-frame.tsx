import { Dialog } from "@base-ui/react/dialog";
import type { SheetProps } from "./sheet.tsx";
import css from "./sheet-frame.module.css";

/** The sheet itself, with the machinery of a dialog. */
export function SheetFrame({
  open,
  onClose,
  title,
  bareTitle = false,
  head,
  form = "sheet",
  className = "",
  initialFocus,
  finalFocus,
  children,
}: SheetProps) {
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
            initialFocus={initialFocus}
            finalFocus={finalFocus}
          >
            {head}
            <Dialog.Title className={bareTitle ? "visually-hidden" : css["title"]}>{title}</Dialog.Title>
            {children}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
