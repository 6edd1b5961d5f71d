import type { NavigationItem } from "../../shared/navigation/navigation-item.ts";
import type { ShowcaseGroup, ShowcasePage } from "./pages.ts";
import { SHOWCASE } from "./pages.ts";

/** The showcase as the navigation shows it: its two groups, with parts that open and close. */
export const SHOWCASE_NAVIGATION: readonly NavigationItem[] = SHOWCASE.map((group) => ({
  ...groupOf(group),
  type: "group",
}));

function groupOf({ id, title, label, icon, pages }: ShowcaseGroup): NavigationItem {
  const children = pages.map((one) => ("pages" in one ? groupOf(one) : itemOf(one)));
  return { id, type: "collapse", title, label, ...(icon && { icon }), children };
}

function itemOf({ path, title, label, icon, auth }: ShowcasePage): NavigationItem {
  return { id: path, type: "item", title, label, url: path, exact: true, ...(icon && { icon }), ...(auth && { auth }) };
}
