import { Menu } from "@base-ui/react/menu";
import { useRouterState } from "@tanstack/react-router";
import { Fragment } from "react";
import { useText } from "../i18n/use-text.ts";
import { Icon } from "../ui/icon.tsx";
import css from "../ui/pop-out.module.css";
import { EntryFace, EntryLink } from "./entry.tsx";
import { HOVER_MS } from "./hover.ts";
import type { NavigationItem } from "./navigation-item.ts";
import type { NavigationTree } from "./tree.ts";
import { holdsPath, titleOf } from "./tree.ts";

/** What is below an entry, in a panel under its key, or beside its row: on the side where the writing ends. */
export function PopOut({ of, side }: { of: NavigationItem; side: "bottom" | "inline-end" }) {
  return (
    <Menu.Portal>
      <Menu.Positioner className={css["place"]} side={side} align="start" sideOffset={4} collisionPadding={8}>
        <Menu.Popup className={css["panel"]} data-region="navbar">
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
    if (item.type === "divider") return <Menu.Separator key={item.id} className={css["divider"]} />;
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
        <Menu.GroupLabel className={`${css["heading"]} plate`}>{titleOf(item, t)}</Menu.GroupLabel>
        {entries}
      </Menu.Group>
    );
  });
}

function Row({ item }: { item: NavigationItem }) {
  return <Menu.LinkItem closeOnClick className={css["row"]} render={<EntryLink item={item} />} />;
}

function Submenu({ item }: { item: NavigationItem }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <Menu.SubmenuRoot>
      <Menu.SubmenuTrigger
        delay={HOVER_MS}
        closeDelay={HOVER_MS}
        className={css["row"]}
        data-holds={holdsPath(item, path) || undefined}
      >
        <EntryFace item={item} end={<Icon name="down" className={css["arrow"] ?? ""} />} />
      </Menu.SubmenuTrigger>
      <PopOut of={item} side="inline-end" />
    </Menu.SubmenuRoot>
  );
}
