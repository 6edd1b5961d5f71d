import { useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { HorizontalNavigation } from "../../../shared/navigation/horizontal.tsx";
import type { NavigationItem } from "../../../shared/navigation/navigation-item.ts";
import { visibleTree } from "../../../shared/navigation/tree.ts";
import { VerticalNavigation } from "../../../shared/navigation/vertical.tsx";
import type { NavigationViewer } from "../../../shared/navigation/visible.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { Segment } from "../../../shared/ui/segment.tsx";
import css from "./guide.module.css";

const VIEWERS = {
  guest: { roles: [], permissions: undefined, type: undefined },
  player: { roles: ["user"], permissions: ["145"], type: "player" },
  admin: { roles: ["admin"], permissions: [], type: undefined },
} as const satisfies Record<string, NavigationViewer>;
type Who = keyof typeof VIEWERS;

/** Both forms of the navigation with an entry of every kind, as one viewer or another sees it. */
export function NavigationDemo() {
  const { t } = useText();
  const [who, setWho] = useState<Who>("player");
  const items = visibleTree(DEMO_NAVIGATION, VIEWERS[who]);
  const options = (["guest", "player", "admin"] as const).map((value) => ({
    value,
    label: t(`guide.viewer-${value}`),
  }));
  return (
    <>
      <Segment label={t("guide.viewer")} value={who} onChange={setWho} options={options} />
      <nav className={css["line"]} aria-label={t("guide.horizontal")} data-region="navbar">
        <HorizontalNavigation items={items} />
      </nav>
      <nav className={css["tree"]} aria-label={t("guide.vertical")} data-region="navbar">
        <VerticalNavigation items={items} />
      </nav>
    </>
  );
}

/** Every kind of entry and every field that one may have (row R-3-22). */
const DEMO_NAVIGATION: readonly NavigationItem[] = [
  {
    ...{ id: "demo-group", type: "group", title: "Group", label: "guide.navGroup" },
    children: [
      {
        ...{ id: "demo-item", type: "item", title: "Item", label: "guide.navItem", icon: "info" },
        ...{ url: paths.documentation, exact: true, badge: { title: "3", bg: "ink", fg: "room" } },
      },
      {
        ...{ id: "demo-collapse", type: "collapse", title: "Collapse", label: "guide.navCollapse", icon: "columns" },
        children: [
          { id: "demo-child", type: "item", title: "Icons", label: "pages.icons", url: "/ui/icons" },
          {
            ...{ id: "demo-deeper", type: "collapse", title: "Deeper", label: "guide.navDeeper" },
            children: [
              { id: "demo-leaf", type: "item", title: "Typography", label: "pages.typography", url: "/ui/typography" },
            ],
          },
        ],
      },
    ],
  },
  {
    ...{ id: "demo-more", type: "group", title: "More", label: "guide.navMore" },
    children: [
      {
        ...{ id: "demo-link", type: "link", title: "Link", label: "guide.navLink", icon: "download" },
        ...{ url: "/ui/helper-classes", target: "_blank" },
      },
      { id: "demo-divider", type: "divider", title: "Divider" },
      {
        ...{ id: "demo-players", type: "item", title: "Players", label: "guide.navPlayers", icon: "player" },
        ...{ url: paths.profile, auth: ["user"], levels: ["145"], types: ["player"] },
      },
      {
        ...{ id: "demo-admins", type: "item", title: "Admins", label: "guide.navAdmins", icon: "lock" },
        ...{ url: paths.lobby, auth: ["admin"] },
      },
    ],
  },
];
