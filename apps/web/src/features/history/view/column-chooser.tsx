import { Popover } from "@base-ui/react/popover";
import { useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { pressed } from "../../../shared/time/pressed.ts";
import { Check } from "../../../shared/ui/field.tsx";
import { Icon } from "../../../shared/ui/icon.tsx";
import { Key, keyClass } from "../../../shared/ui/key.tsx";
import type { ChosenColumns, Column } from "../model/columns.ts";
import { COLUMN_TEXTS } from "../model/columns.ts";
import css from "./column-chooser.module.css";

type ColumnChooserProps = { readonly columns: ChosenColumns; readonly all: readonly Column[] };

/** Which of the ten columns are shown; the last one cannot be taken away. */
export function ColumnChooser({ columns, all }: ColumnChooserProps) {
  const { t } = useText();
  const shown = useLive(columns.shown);
  const [open, setOpen] = useState(false);
  const wanted = useRef(false);
  /** The list is drawn and placed behind the picture in which its key is pressed. */
  async function change(next: boolean, { trigger }: Popover.Root.ChangeEventDetails): Promise<void> {
    // Pressed again before it is there: it is not wanted after all.
    wanted.current = next && !wanted.current;
    if (wanted.current) await pressed(trigger ?? null);
    setOpen(wanted.current);
  }
  return (
    <Popover.Root open={open} onOpenChange={change}>
      <Popover.Trigger className={keyClass({ kind: "line" }, css["opener"])} aria-label={t("history.columns")}>
        <Icon name="columns" />
        <span>{t("history.columns")}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={css["place"]} sideOffset={8} collisionPadding={8} align="end">
          <Popover.Popup className={css["popup"]}>
            <Popover.Title className={css["title"]}>{t("history.columnsAbout")}</Popover.Title>
            {all.map((column) => (
              <Check
                key={column}
                label={t(COLUMN_TEXTS[column])}
                checked={shown.includes(column)}
                disabled={shown.length === 1 && shown.includes(column)}
                onChange={() => columns.toggle(column)}
              />
            ))}
            <Key kind="bare" className={css["reset"]} onClick={columns.reset}>
              {t("history.resetColumns")}
            </Key>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
