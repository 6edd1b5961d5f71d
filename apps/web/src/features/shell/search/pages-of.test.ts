import { expect, test } from "vitest";
import type { NavigationItem } from "../../../shared/navigation/navigation-item.ts";
import { pagesOf } from "./pages-of.ts";

const item = (id: string, rest: Partial<NavigationItem> = {}): NavigationItem => ({
  ...{ id, type: "item", title: id, url: `/${id}` },
  ...rest,
});

test("the pages of all parts are found, those of a part by its name and picture, and nothing that is no page", () => {
  const pages = pagesOf(
    [
      item("lobby", { icon: "machine" }),
      {
        ...{ id: "group", type: "group", title: "Group" },
        children: [
          item("plain"),
          { id: "line", type: "divider", title: "" },
          item("out", { type: "link", url: "https://example.org" }),
          { ...item("part", { type: "collapse", icon: "lock" }), children: [item("inner")] },
        ],
      },
    ],
    (key) => key,
  );
  expect(pages.map(({ label, icon, to, asked }) => [label, icon, to, asked])).toEqual([
    ["lobby", "machine", "/lobby", false],
    ["plain", "info", "/plain", true],
    ["part: inner", "lock", "/inner", true],
  ]);
});
