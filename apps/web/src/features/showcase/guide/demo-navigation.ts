import type { NavigationItem } from "../../../shared/navigation/navigation-item.ts";
import { paths } from "../../../shared/paths/paths.ts";

/** Every kind of entry and every field that one may have (row R-3-22). */
export const DEMO_NAVIGATION: readonly NavigationItem[] = [
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
