import { useId, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { IconButton } from "../../../shared/ui/key.tsx";
import { ShortcutKey, starredOf } from "../search/shortcut-bar.tsx";
import css from "./side-panel.module.css";
import type { StarMenuProps } from "./star-menu.tsx";
import { StarMenu } from "./star-menu.tsx";

/** The shortcuts in a column of 56 px, which its key folds away; only beside a page with room for it. */
export function SidePanel({ items, shortcuts }: StarMenuProps) {
  const { t } = useText();
  const list = useId();
  const [open, setOpen] = useState(true);
  const starred = starredOf(items, useLive(shortcuts.ids));
  return (
    <aside className={css["panel"]} data-region="navbar" data-open={open || undefined} aria-label={t("bars.sidePanel")}>
      <div className={css["keys"]} id={list} hidden={!open}>
        <ul>
          {starred.map((item) => (
            <li key={item.id}>
              <ShortcutKey item={item} />
            </li>
          ))}
        </ul>
        <StarMenu items={items} shortcuts={shortcuts} />
      </div>
      <IconButton
        icon={open ? "fold" : "unfold"}
        label={t("bars.toggleSidePanel")}
        kind={open ? "bare" : "plain"}
        className={css["toggle"] ?? ""}
        aria-expanded={open}
        aria-controls={list}
        onClick={() => setOpen(!open)}
      />
    </aside>
  );
}
