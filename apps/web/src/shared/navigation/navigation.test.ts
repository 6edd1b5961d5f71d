import { expect, test } from "vitest";
import type { NavigationItem, NavigationViewer } from "./navigation.ts";
import { holdsPath, isHere, visibleTree } from "./navigation.ts";

const item = (id: string, rest: Partial<NavigationItem> = {}): NavigationItem => ({
  ...{ id, type: "item", title: id, url: `/${id}` },
  ...rest,
});
const part = (id: string, children: readonly NavigationItem[], rest: Partial<NavigationItem> = {}): NavigationItem => ({
  ...{ id, type: "collapse", title: id, children },
  ...rest,
});
const guest: NavigationViewer = { roles: [], permissions: undefined, type: undefined };
const viewers = {
  guest,
  user: { ...guest, roles: ["user"] },
  admin: { ...guest, roles: ["admin"] },
} as const satisfies Record<string, NavigationViewer>;

test.each([
  ["guest", ["open", "guests"]],
  ["user", ["open", "users"]],
  ["admin", ["open", "users", "admins"]],
] as const)("R-6-07: %s sees the entries whose auth list has one of their roles", (who, expected) => {
  const tree = visibleTree(
    [
      item("open"),
      item("guests", { auth: [] }),
      item("users", { auth: ["admin", "staff", "user"] }),
      item("admins", { auth: ["admin"] }),
    ],
    viewers[who],
  );
  expect(tree.map(({ id }) => id)).toEqual(expected);
});

test("levels and types hide at every depth; what is hidden hides what is below it, and a part that stands empty goes", () => {
  const tree = [
    part("a", [item("a1", { levels: ["145"] }), item("a2", { types: ["7"] })]),
    part("b", [item("b1", { levels: ["1"] })]),
    part("c", [item("c1")], { auth: ["admin"] }),
    part("d", [part("d1", [item("d2", { levels: ["1"] })])]),
    part("e", [item("e1", { levels: ["1"] })], { type: "group", url: "/e" }),
  ];
  const ids = (items: readonly NavigationItem[]): string[] =>
    items.flatMap(({ id, children = [] }) => [id, ...ids(children)]);
  expect(ids(visibleTree(tree, { roles: ["user"], permissions: ["145"], type: "7" }))).toEqual(["a", "a1", "a2", "e"]);
  expect(ids(visibleTree(tree, { roles: ["admin"], permissions: ["1"], type: undefined }))).toEqual([
    ...["b", "b1", "c", "c1", "d", "d1", "d2", "e", "e1"],
  ]);
});

test("an entry is that of its path and of those below, an exact one only of its own", () => {
  const icons = item("icons", { url: "/ui/icons" });
  expect(["/ui/icons", "/ui/icons/star", "/ui/icons-2", "/ui"].map((path) => isHere(icons, path))).toEqual([
    ...[true, true, false, false],
  ]);
  expect(isHere({ ...icons, exact: true }, "/ui/icons/star")).toBe(false);
  expect(isHere(part("p", []), "/p")).toBe(false);
});

test("a part holds the paths of all that is below it, not its own", () => {
  const outer = part("outer", [item("first"), part("inner", [item("deep")])], { url: "/outer" });
  expect(["/first", "/deep/er", "/outer", "/other"].map((path) => holdsPath(outer, path))).toEqual([
    ...[true, true, false, false],
  ]);
});
