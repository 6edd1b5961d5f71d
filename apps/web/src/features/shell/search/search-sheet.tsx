import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useNavigate } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { useId, useRef, useState } from "react";
import type { Findable } from "./find-items.ts";
import { findItems, splitAtMatch } from "./find-items.ts";
import css from "./search.module.css";
import type { Shortcuts } from "./shortcuts.tsx";

export type SearchSheetProps = {
  readonly items: readonly Findable[];
  readonly shortcuts: Shortcuts;
  readonly onClose: () => void;
  readonly finalFocus: () => HTMLElement | boolean;
};

/** The search over the navigation: type, arrows, Enter; the star beside an item puts it into the header. */
export function SearchSheet({ items, shortcuts, onClose, finalFocus }: SearchSheetProps) {
  const { t } = useText();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const navigate = useNavigate();
  const found = findItems(items, text);
  const active = Math.min(at, found.length - 1);

  function choose(item: Findable) {
    onClose();
    item.open?.();
    if (item.to !== undefined) void navigate({ to: item.to });
  }
  function press(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || found.length === 0) return;
    const moves: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1 };
    const to = moves[event.key];
    const item = found[active];
    if (to !== undefined) setAt((to + found.length) % found.length);
    else if (event.key === "Enter" && item !== undefined) choose(item);
    else return;
    event.preventDefault();
  }
  return (
    <Sheet
      open
      onClose={onClose}
      title={t("shell.search")}
      bareTitle
      className={css["sheet"] ?? ""}
      initialFocus={() => field.current ?? true}
      finalFocus={finalFocus}
    >
      <div className={css["head"]}>
        <Icon name="search" />
        <input
          ref={field}
          role="combobox"
          aria-label={t("shell.searchField")}
          aria-expanded={found.length > 0}
          aria-controls={list}
          aria-activedescendant={found.length > 0 ? `${list}-${active}` : undefined}
          aria-autocomplete="list"
          placeholder={t("shell.searchField")}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <IconButton icon="close" label={t("app.close")} onClick={onClose} />
      </div>
      <Suggestions {...{ found, text, active, list, shortcuts }} onChoose={choose} />
      <p className={css["none"]} role="status">
        {found.length === 0 ? t("shell.noResults") : ""}
      </p>
    </Sheet>
  );
}

/** The arrows may lead below the edge of a low window. */
function bringIntoSight(option: HTMLElement | null) {
  option?.scrollIntoView({ block: "nearest" });
}

/** A list box, and a column of stars beside it: an option cannot hold a key of its own. */
function Suggestions(props: {
  found: readonly Findable[];
  text: string;
  active: number;
  list: string;
  shortcuts: Shortcuts;
  onChoose: (item: Findable) => void;
}) {
  const { found, text, active, list, shortcuts, onChoose } = props;
  const { t } = useText();
  const starred = useLive(shortcuts.ids);
  return (
    <div className={css["found"]}>
      <div id={list} role="listbox" aria-label={t("shell.suggestions")} className={css["list"]}>
        {found.map((item, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: as above.
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses.
          <div
            key={item.id}
            id={`${list}-${index}`}
            role="option"
            ref={index === active ? bringIntoSight : null}
            aria-selected={index === active}
            className={css["option"]}
            onClick={() => onChoose(item)}
          >
            <Icon name={item.icon} />
            <Marked label={item.label} text={text} />
          </div>
        ))}
      </div>
      <div className={css["stars"]}>
        {found.map(({ id, label }) => (
          <IconButton
            key={id}
            icon="star"
            label={t("shell.star", { name: label })}
            pressed={starred.includes(id)}
            filled={starred.includes(id)}
            onClick={() => shortcuts.toggle(id)}
          />
        ))}
      </div>
    </div>
  );
}

/** The label, with what was looked for set off. */
function Marked({ label, text }: { label: string; text: string }) {
  const [before, match, after] = splitAtMatch(label, text);
  return (
    <span>
      {before}
      {match !== "" && <b>{match}</b>}
      {after}
    </span>
  );
}
