import { useDirection } from "@base-ui/react/direction-provider";
import { Drawer } from "@base-ui/react/drawer";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import type { ReactNode } from "react";
import css from "./end-panel.module.css";

export type EndPanelProps = {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** Adds a width of its own; 380 px and at most 90 % of the window without. */
  readonly className?: string;
  /** Where the focus goes when it closes, when what opened it is gone. */
  readonly finalFocus?: () => HTMLElement | true;
  readonly children: ReactNode;
};

/**
 * A panel over the end edge, full height. The page stays bright beside it, so that what is changed in the panel is seen there. Escape, a
 * press beside it, a swipe towards the edge and its key close it.
 */
export function EndPanel({ open, title, onClose, className = "", finalFocus = () => true, children }: EndPanelProps) {
  const { t } = useText();
  const side = useDirection() === "rtl" ? "left" : "right";
  return (
    <Drawer.Root
      open={open}
      modal="trap-focus"
      swipeDirection={side}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Drawer.Portal>
        <Drawer.Backdrop className={css["backdrop"]} />
        <Drawer.Viewport className={css["view"]}>
          <Drawer.Popup className={`${css["panel"]} ${className}`} finalFocus={finalFocus}>
            <header className={css["head"]}>
              <Drawer.Title className={css["title"]}>{title}</Drawer.Title>
              <IconButton icon="close" label={t("app.close")} onClick={onClose} />
            </header>
            <Drawer.Content className={css["content"]}>{children}</Drawer.Content>
          </Drawer.Popup>
        </Drawer.Viewport>
      </Drawer.Portal>
    </Drawer.Root>
  );
}
