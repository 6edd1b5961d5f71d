import { Popover } from "@base-ui/react/popover";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useNavigate } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import type { Findable } from "../search/find-items.ts";
import { matching } from "../search/find-items.ts";
import type { Shortcuts } from "../search/shortcuts.tsx";
import { ShortcutKey, starredOf } from "../search/shortcuts.tsx";
import css from "./star-menu.module.css";

export type StarMenuProps = { readonly items: readonly Findable[]; readonly shortcuts: Shortcuts };

/** The shortcuts, to be changed: with an empty field those that are there, with a text everything that has it in its name. */
export function StarMenu({ items, shortcuts }: StarMenuProps) {
  const { t } = useText();
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className={keyClass({ kind: "bare" }, css["opener"])}
        aria-label={t("bars.starMenu")}
        title={t("bars.starMenu")}
      >
        <Icon name="star" filled />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={css["place"]} align="start" sideOffset={4} collisionPadding={8}>
          <Popover.Popup
            className={css["panel"]}
            data-region="toolbar"
            aria-label={t("bars.starMenu")}
            initialFocus={field}
          >
            <StarList {...{ items, shortcuts, field }} onChosen={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type StarListProps = StarMenuProps & {
  readonly field: React.RefObject<HTMLInputElement | null>;
  readonly onChosen: () => void;
};

/** It is made anew with every opening, so its field begins empty. */
function StarList({ items, shortcuts, field, onChosen }: StarListProps) {
  const { t } = useText();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const ids = useLive(shortcuts.ids);
  const found = text.trim() === "" ? starredOf(items, ids) : matching(items, text);
  function choose({ to, open }: Findable) {
    onChosen();
    open?.();
    if (to !== undefined) void navigate({ to });
  }
  return (
    <>
      <div className={css["head"]}>
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label={t("bars.searchPage")}
          placeholder={t("bars.searchPage")}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <ul className={css["list"]}>
        {found.map((item) => {
          const starred = ids.includes(item.id);
          return (
            <li key={item.id}>
              <button type="button" className={css["page"]} onClick={() => choose(item)}>
                <Icon name={item.icon} />
                <span>{item.label}</span>
              </button>
              <IconButton
                icon="star"
                label={t("shell.star", { name: item.label })}
                pressed={starred}
                filled={starred}
                onClick={() => shortcuts.toggle(item.id)}
              />
            </li>
          );
        })}
      </ul>
      <p className={css["none"]} role="status">
        {found.length === 0 ? t("shell.noResults") : ""}
      </p>
    </>
  );
}

/** The shortcuts in a column of 56 px, which its key folds away; only beside a page with room for it. */
export function SidePanel({ items, shortcuts }: StarMenuProps) {
  const { t } = useText();
  const list = useId();
  const [open, setOpen] = useState(true);
  const starred = starredOf(items, useLive(shortcuts.ids));
  return (
    <aside className={css["side"]} data-region="navbar" data-open={open || undefined} aria-label={t("bars.sidePanel")}>
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
