import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { useRouterState } from "@tanstack/react-router";
import { useId, useState } from "react";
import { EntryFace, EntryLink } from "./entry.tsx";
import type { NavigationItem, NavigationTree } from "./navigation.ts";
import { holdsPath, titleOf } from "./navigation.ts";
import css from "./vertical.module.css";

export type VerticalNavigationProps = {
  readonly items: NavigationTree;
  /** Folded: icons only, names as tooltips, nothing of what is below an entry. */
  readonly narrow?: boolean;
  /** A page was chosen: a drawer closes. */
  readonly onChosen?: (() => void) | undefined;
  /** An entry with children was pressed while the menu is folded: the owner may unfold it. */
  readonly onWiden?: (() => void) | undefined;
};
type Folding = Omit<VerticalNavigationProps, "items">;

/** The navigation as a tree. Parts start open and open again when a page inside is entered (decision D-48). */
export function VerticalNavigation({ items, ...folding }: VerticalNavigationProps) {
  return (
    <ul className={css["tree"]} data-narrow={folding.narrow || undefined}>
      <Branch items={items} level={0} {...folding} />
    </ul>
  );
}

type BranchProps = Folding & { readonly items: NavigationTree; readonly level: number };

function Branch({ items, ...place }: BranchProps) {
  return items.map((item) => {
    if (item.type === "divider") {
      return (
        <li key={item.id}>
          <hr className={css["divider"]} />
        </li>
      );
    }
    if (item.type === "group") return <Group key={item.id} item={item} {...place} />;
    if (item.type === "collapse") return <Collapse key={item.id} item={item} {...place} />;
    return <Leaf key={item.id} item={item} {...place} />;
  });
}

type EntryProps = Folding & { readonly item: NavigationItem; readonly level: number };

/** How far a row is set in: under the title of the one above it, then a little more each time, no more than 80 px in all. */
const levelOf = (level: number): number => Math.min(level, 3);

function Leaf({ item, level, narrow, onChosen }: EntryProps) {
  const { t } = useText();
  return (
    <li>
      <EntryLink
        item={item}
        className={css["row"]}
        data-level={levelOf(level)}
        title={narrow ? titleOf(item, t) : undefined}
        onClick={onChosen}
      />
    </li>
  );
}

/** A heading over its entries; with an address it leads there. */
function Group({ item, ...place }: EntryProps) {
  const { t } = useText();
  const id = useId();
  const { url, children = [] } = item;
  return (
    <li className={css["group"]}>
      {url === undefined ? (
        <span id={id} className={`${css["heading"]} plate`}>
          {titleOf(item, t)}
        </span>
      ) : (
        <EntryLink id={id} item={item} className={`${css["heading"]} plate`} onClick={place.onChosen} />
      )}
      <ul aria-labelledby={id}>
        <Branch items={children} {...place} />
      </ul>
    </li>
  );
}

/** A row that shows and hides what is below it. */
function Collapse({ item, level, ...folding }: EntryProps) {
  const { t } = useText();
  const id = useId();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [open, setOpen] = useState(true);
  const [seenPath, setSeenPath] = useState(path);
  if (seenPath !== path) {
    setSeenPath(path);
    if (holdsPath(item, path)) setOpen(true);
  }
  const { narrow, onWiden } = folding;
  function press() {
    if (narrow) onWiden?.();
    setOpen(narrow || !open);
  }
  return (
    <li>
      <button
        type="button"
        id={id}
        className={css["row"]}
        data-level={levelOf(level)}
        data-holds={holdsPath(item, path) || undefined}
        aria-expanded={open && !narrow}
        title={narrow ? titleOf(item, t) : undefined}
        onClick={press}
      >
        <EntryFace item={item} end={<Icon name="down" className={css["arrow"] ?? ""} />} />
      </button>
      {open && !narrow && (
        <ul aria-labelledby={id}>
          <Branch items={item.children ?? []} level={level + 1} {...folding} />
        </ul>
      )}
    </li>
  );
}
