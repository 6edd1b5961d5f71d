import { Menu } from "@base-ui/react/menu";
import { useRouterState } from "@tanstack/react-router";
import { Icon } from "../ui/icon.tsx";
import { EntryFace, EntryLink } from "./entry.tsx";
import css from "./horizontal.module.css";
import { HOVER_MS } from "./hover.ts";
import type { NavigationItem } from "./navigation-item.ts";
import { PopOut } from "./pop-out.tsx";
import type { NavigationTree } from "./tree.ts";
import { holdsPath, isHere } from "./tree.ts";

/** The navigation in one line. What has entries of its own is a key with a pop-out, for pointer, finger and keyboard. */
export function HorizontalNavigation({ items }: { items: NavigationTree }) {
  return (
    <ul className={css["line"]}>
      {items.map((item) => (
        <li key={item.id}>
          <TopEntry item={item} />
        </li>
      ))}
    </ul>
  );
}

function TopEntry({ item }: { item: NavigationItem }) {
  if (item.type === "divider") return <hr className={css["divider"]} aria-orientation="vertical" />;
  if (item.children !== undefined) return <TopKey item={item} />;
  return <EntryLink item={item} className={css["key"]} />;
}

function TopKey({ item }: { item: NavigationItem }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const holds = holdsPath(item, path) || isHere(item, path);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        openOnHover
        delay={HOVER_MS}
        closeDelay={HOVER_MS}
        className={css["key"]}
        data-holds={holds || undefined}
      >
        <EntryFace item={item} end={<Icon name="down" className={css["arrow"] ?? ""} />} />
      </Menu.Trigger>
      <PopOut of={item} side="bottom" />
    </Menu.Root>
  );
}
