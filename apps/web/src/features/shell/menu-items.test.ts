import { expect, test } from "vitest";
import { MENU_ITEMS, visibleItems } from "./menu-items.ts";

const seen = (permissions: readonly string[] | undefined, type?: string) =>
  visibleItems(MENU_ITEMS, { permissions, type }).length;

test("R-2.3-01, R-2.3-07, R-6-08, R-6-09: five items at level 145, which decides unless the platform sends no permissions at all", () => {
  expect(MENU_ITEMS.map(({ title, to, levels }) => [title, to, ...levels])).toEqual([
    ["Lobby", "/lobby", "145"],
    ["profile", "/profile", "145"],
    ["Slot Sessions", "/slot-sessions", "145"],
    ["Transactions", "/transactions", "145"],
    ["Logout", "/logout", "145"],
  ]);
  expect(seen(["145", "2"])).toBe(5);
  expect(seen(["1"])).toBe(0);
  expect(seen([])).toBe(0);
  expect(seen(undefined)).toBe(5);
});

test("R-2.3-08: the player's type only counts for an item that names types", () => {
  expect(seen(["145"], "7")).toBe(5);
  const [first] = MENU_ITEMS;
  if (first === undefined) throw new Error("There is no item");
  const forOnes = [{ ...first, types: ["1"] }];
  expect(visibleItems(forOnes, { permissions: ["145"], type: "1" })).toHaveLength(1);
  expect(visibleItems(forOnes, { permissions: ["145"], type: "7" })).toEqual([]);
  expect(visibleItems(forOnes, { permissions: ["145"], type: undefined })).toEqual([]);
  expect(visibleItems(forOnes, { permissions: ["1"], type: "1" })).toEqual([]);
});
