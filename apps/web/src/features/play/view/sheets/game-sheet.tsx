import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import type { SheetProps } from "@longarm/ui/sheet-frame.tsx";
import type { ReactNode } from "react";
import { SheetCountdown } from "../countdown.tsx";
import css from "./game-sheet.module.css";

export type GameSheetProps = Pick<SheetProps, "open" | "title" | "children"> & {
  readonly onClose: () => void;
  readonly initialFocus?: () => HTMLElement | true;
  readonly finalFocus?: () => HTMLElement | true;
  /** Room for figures beside each other. */
  readonly wide?: boolean;
  /** A class that arranges its rows on a low screen; its first row is the head. */
  readonly arrangement?: string | undefined;
};

/** A sheet over a running game: its countdown stays visible, with a close button beside the title. */
export function GameSheet({ title, onClose, wide = false, arrangement = "", children, ...dialog }: GameSheetProps) {
  const { t } = useText();
  return (
    <Sheet
      {...dialog}
      title={title}
      onClose={onClose}
      bareTitle
      className={css[wide ? "wide" : "sheet"] ?? ""}
      head={<SheetCountdown />}
    >
      <div className={`${css["contents"]} ${arrangement}`}>
        <div className={css["head"]}>
          <p className={css["title"]} aria-hidden="true">
            {title}
          </p>
          <IconButton icon="close" label={t("app.close")} onClick={onClose} />
        </div>
        {children}
      </div>
    </Sheet>
  );
}

/** Named values of a sheet, two beside each other. */
export function FactList({ className = "", children }: { className?: string | undefined; children: ReactNode }) {
  return <dl className={`${css["facts"]} ${className}`}>{children}</dl>;
}

/** `wide`: over both columns. `about`: what the value means. */
export function Fact(props: {
  readonly name: string;
  readonly wide?: boolean;
  readonly about?: string;
  readonly children: ReactNode;
}) {
  const { name, wide = false, about, children } = props;
  return (
    <div data-wide={wide || undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {about !== undefined && <dd className={css["about"]}>{about}</dd>}
    </div>
  );
}
