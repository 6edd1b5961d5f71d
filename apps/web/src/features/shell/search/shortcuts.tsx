import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, keyClass } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Link } from "@tanstack/react-router";
import { createStore } from "zustand/vanilla";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import type { Findable } from "./find-items.ts";
import css from "./search.module.css";

/** The ids of the items that a player has starred, in the order of starring. */
export type Shortcuts = { readonly ids: Live<readonly string[]>; toggle(id: string): void };

/** Players whose stars one browser keeps; the longest unused go. */
const PLAYERS_MAX = 20;

/** Keeps the ids with the account. Resolves with whether they are kept. */
type SaveShortcuts = (ids: readonly string[]) => Promise<boolean>;

/**
 * The stars of one player. The account keeps them; this browser has a copy of those that the account does not have yet, and it counts
 * before what the platform says.
 */
export function createShortcuts(
  storage: Storage,
  playerId: string,
  saved: readonly string[] | undefined,
  save: SaveShortcuts,
): Shortcuts {
  const ids = createStore<readonly string[]>(() => read(storage).get(playerId) ?? saved ?? []);
  const isKept = (saved: readonly string[]) => {
    // A later star may be under way by now.
    if (ids.getState() === saved) copy(storage, playerId, undefined);
  };
  return {
    ids,
    toggle(id) {
      const next = toggled(ids.getState(), id);
      ids.setState(next, true);
      copy(storage, playerId, next);
      save(next).then(
        (saved) => saved && isKept(next),
        () => undefined,
      );
    },
  };
}

/** The stars of a guest: they last as long as the page. */
export function createGuestShortcuts(): Shortcuts {
  const ids = createStore<readonly string[]>(() => []);
  return { ids, toggle: (id) => ids.setState(toggled(ids.getState(), id), true) };
}

const toggled = (ids: readonly string[], id: string): readonly string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id];

/** Writes the browser's copy of a player's stars; undefined takes it away. */
function copy(storage: Storage, playerId: string, ids: readonly string[] | undefined): void {
  const kept = read(storage);
  kept.delete(playerId);
  if (ids !== undefined) kept.set(playerId, ids);
  storage.write(STORAGE_KEYS.shortcuts, JSON.stringify([...kept].slice(-PLAYERS_MAX)));
}

function read(storage: Storage): Map<string, readonly string[]> {
  const kept = new Map<string, readonly string[]>();
  for (const entry of list(storage.read(STORAGE_KEYS.shortcuts))) {
    const [player, ids]: unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof player !== "string" || !Array.isArray(ids)) continue;
    kept.set(
      player,
      ids.filter((id): id is string => typeof id === "string"),
    );
  }
  return kept;
}

function list(text: string | null): unknown[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

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

/** A button with the item's icon that leads where the item does. */
export function ShortcutKey({ item: { label, icon, to, open } }: { item: Findable }) {
  if (to === undefined) return <IconButton icon={icon} label={label} aria-haspopup="dialog" onClick={open} />;
  return (
    <Link to={to} preload={false} className={keyClass({ kind: "bare" }, css["link"])} aria-label={label} title={label}>
      <Icon name={icon} />
    </Link>
  );
}
