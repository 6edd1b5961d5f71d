import { expect, test } from "vitest";
import { MENU_ITEMS, visibleItems } from "./menu-items.ts";

test("R-2.3-07, D-08: level 145 decides, unless the platform sends no permissions at all", () => {
  expect(visibleItems(MENU_ITEMS, ["145", "2"])).toEqual(MENU_ITEMS);
  expect(visibleItems(MENU_ITEMS, ["1"])).toEqual([]);
  expect(visibleItems(MENU_ITEMS, [])).toEqual([]);
  expect(visibleItems(MENU_ITEMS, undefined)).toEqual(MENU_ITEMS);
});
