import { Link } from "@tanstack/react-router";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { IconButton, keyClass } from "../../../shared/ui/key.tsx";
import type { Findable } from "./find-items.ts";
import css from "./search.module.css";
import type { Shortcuts } from "./shortcuts.ts";

/** The starred items that are there for this viewer, in the order of their stars. */
export const starredOf = (items: readonly Findable[], ids: readonly string[]): readonly Findable[] =>
  ids.flatMap((id) => items.filter((item) => item.id === id));

/** The starred items as keys. A star whose item is not there for this player is passed over. */
export function ShortcutBar({ items, shortcuts }: { items: readonly Findable[]; shortcuts: Shortcuts }) {
  const { t } = useText();
  const starred = starredOf(items, useLive(shortcuts.ids));
  if (starred.length === 0) return null;
  return (
    <nav className={css["bar"]} aria-label={t("shell.shortcuts")}>
      <ul>
        {starred.map((item) => (
          <li key={item.id}>
            <ShortcutKey item={item} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A key with the item's picture that leads where the item does. */
export function ShortcutKey({ item: { label, icon, to, open } }: { item: Findable }) {
  if (to === undefined) return <IconButton icon={icon} label={label} aria-haspopup="dialog" onClick={open} />;
  return (
    <Link to={to} preload={false} className={keyClass({ kind: "bare" }, css["link"])} aria-label={label} title={label}>
      <Icon name={icon} />
    </Link>
  );
}
