import { expect, test } from "vitest";
import { maySee } from "../../shared/navigation/navigation.ts";
import { MENU_ITEMS } from "./navbar.tsx";

const player = { roles: ["user"], permissions: ["145"], type: undefined } as const;
const seen = (permissions: readonly string[] | undefined, type?: string) =>
  MENU_ITEMS.filter((item) => maySee(item, { ...player, permissions, type })).length;

test("R-2.3-01, R-2.3-07, R-6-08, R-6-09: five items of the specification and two of ours at level 145, which decides unless the platform sends no permissions at all", () => {
  expect(MENU_ITEMS.map(({ title, url, levels = [] }) => [title, url, ...levels])).toEqual([
    ["Lobby", "/lobby", "145"],
    ["profile", "/profile", "145"],
    ["Slot Sessions", "/slot-sessions", "145"],
    ["Transactions", "/transactions", "145"],
    ["Wallet", "/wallet", "145"],
    ["Safer play", "/safer-play", "145"],
    ["Logout", "/logout", "145"],
  ]);
  expect(seen(["145", "2"])).toBe(7);
  expect(seen(["1"])).toBe(0);
  expect(seen([])).toBe(0);
  expect(seen(undefined)).toBe(7);
});

test("R-2.3-08: the player's type only counts for an item that names types", () => {
  expect(seen(["145"], "7")).toBe(7);
  const [first] = MENU_ITEMS;
  if (first === undefined) throw new Error("There is no item");
  const forOnes = { ...first, types: ["1"] };
  expect(maySee(forOnes, { ...player, type: "1" })).toBe(true);
  expect(maySee(forOnes, { ...player, type: "7" })).toBe(false);
  expect(maySee(forOnes, player)).toBe(false);
  expect(maySee(forOnes, { ...player, permissions: ["1"], type: "1" })).toBe(false);
});

test("a guest has no casino, though the platform has sent no permissions", () => {
  const guest = { roles: [], permissions: undefined, type: undefined };
  expect(MENU_ITEMS.filter((item) => maySee(item, guest))).toEqual([]);
});
