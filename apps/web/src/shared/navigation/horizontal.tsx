import { Menu } from "@base-ui/react/menu";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import pop from "@longarm/ui/pop-out.module.css";
import { useRouterState } from "@tanstack/react-router";
import { Fragment } from "react";
import { EntryFace, EntryLink } from "./entry.tsx";
import css from "./horizontal.module.css";
import type { NavigationItem, NavigationTree } from "./navigation.ts";
import { HOVER_MS, holdsPath, isHere, titleOf } from "./navigation.ts";

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

/** What is below an entry, in a panel under its key, or beside its row: on the side where the writing ends. */
function PopOut({ of, side }: { of: NavigationItem; side: "bottom" | "inline-end" }) {
  return (
    <Menu.Portal>
      <Menu.Positioner className={pop["place"]} side={side} align="start" sideOffset={4} collisionPadding={8}>
        <Menu.Popup className={pop["panel"]} data-region="navbar">
          {/* A part that is a page itself can be opened from inside too: its key only opens the pop-out. */}
          {of.url !== undefined && <Row item={{ ...of, type: "item", exact: true }} />}
          <Rows items={of.children ?? []} />
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

function Rows({ items }: { items: NavigationTree }) {
  const { t } = useText();
  return items.map((item) => {
    if (item.type === "divider") return <Menu.Separator key={item.id} className={pop["divider"]} />;
    if (item.type === "collapse") return <Submenu key={item.id} item={item} />;
    if (item.type !== "group") return <Row key={item.id} item={item} />;
    const entries = <Rows items={item.children ?? []} />;
    if (item.url !== undefined) {
      return (
        <Fragment key={item.id}>
          <Row item={{ ...item, type: "item" }} />
          {entries}
        </Fragment>
      );
    }
    return (
      <Menu.Group key={item.id}>
        <Menu.GroupLabel className={`${pop["heading"]} plate`}>{titleOf(item, t)}</Menu.GroupLabel>
        {entries}
      </Menu.Group>
    );
  });
}

function Row({ item }: { item: NavigationItem }) {
  return <Menu.LinkItem closeOnClick className={pop["row"]} render={<EntryLink item={item} />} />;
}

function Submenu({ item }: { item: NavigationItem }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <Menu.SubmenuRoot>
      <Menu.SubmenuTrigger
        delay={HOVER_MS}
        closeDelay={HOVER_MS}
        className={pop["row"]}
        data-holds={holdsPath(item, path) || undefined}
      >
        <EntryFace item={item} end={<Icon name="down" className={pop["arrow"] ?? ""} />} />
      </Menu.SubmenuTrigger>
      <PopOut of={item} side="inline-end" />
    </Menu.SubmenuRoot>
  );
}
