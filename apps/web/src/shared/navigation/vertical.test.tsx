import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { realTexts } from "../testing/fakes.ts";
import type { NavigationItem } from "./navigation.ts";
import { visibleTree } from "./navigation.ts";
import { VerticalNavigation } from "./vertical.tsx";

beforeEach(() => vi.stubGlobal("scrollTo", () => undefined));
afterEach(cleanup);

const TREE: readonly NavigationItem[] = [
  {
    ...{ id: "group", type: "group", title: "Games", url: "/games", exact: true },
    children: [
      {
        ...{ id: "item", type: "item", title: "untranslated", label: "shell.transactions", icon: "transactions" },
        ...{ url: "/transactions", badge: { title: "12", bg: "led-playing", fg: "room" } },
      },
      { id: "line", type: "divider", title: "" },
      {
        ...{ id: "collapse", type: "collapse", title: "More", icon: "columns" },
        children: [
          { id: "below", type: "item", title: "Below", url: "/below" },
          {
            ...{ id: "deeper", type: "collapse", title: "Deeper" },
            children: [{ id: "deep", type: "item", title: "Deep", url: "/deep", exact: true }],
          },
        ],
      },
    ],
  },
  { id: "away", type: "link", title: "Away", url: "https://example.org/a" },
  { id: "same", type: "link", title: "Here", url: "https://example.org/b", target: "_self" },
  { id: "admins", type: "item", title: "Admins", url: "/admins", auth: ["admin"] },
  { id: "others", type: "item", title: "Others", url: "/others", levels: ["7"] },
];

/** The navigation on a page of its own, as a player with level 145 sees it. */
async function stand({ path = "/", narrow = false } = {}) {
  const texts = await realTexts("en", "bars", "shell");
  const [onChosen, onWiden] = [vi.fn(), vi.fn()];
  const items = visibleTree(TREE, { roles: ["user"], permissions: ["145"], type: undefined });
  const root = createRootRoute({
    component: () => (
      <nav>
        <VerticalNavigation items={items} narrow={narrow} onChosen={onChosen} onWiden={onWiden} />
      </nav>
    ),
  });
  const router = createRouter({
    routeTree: root.addChildren([createRoute({ getParentRoute: () => root, path: "$" })]),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  await router.load();
  render(
    <TextsContext value={texts}>
      <RouterProvider router={router as never} />
    </TextsContext>,
  );
  await screen.findByRole("navigation");
  const go = (to: string) => act(() => router.navigate({ to }));
  return { onChosen, onWiden, go, path: () => router.state.location.pathname };
}
const link = (name: string) => screen.queryByRole<HTMLAnchorElement>("link", { name });
const key = (name: string) => screen.getByRole("button", { name });

test("R-2.10-09, R-2.10-13, R-3-22: a group is a heading over its entries, here one that leads somewhere; a divider is a line", async () => {
  const { path } = await stand();
  const list = screen.getByRole("list", { name: "Games" });
  expect(within(list).getAllByRole("listitem").length).toBeGreaterThan(3);
  expect(within(list).getByRole("separator")).toBeTruthy();
  fireEvent.click(link("Games") as HTMLElement);
  await expect.poll(path).toBe("/games");
});

test("R-2.10-11, R-2.10-14, R-3-22: an item has picture, title, badge and address, leads there and is marked there", async () => {
  const { path, onChosen } = await stand();
  const item = link("Transactions 12") as HTMLAnchorElement;
  expect(item.querySelector("svg")).toBeTruthy();
  expect(item.getAttribute("href")).toBe("/transactions");
  expect(within(item).getByText("12").style.background).toBe("var(--led-playing)");
  fireEvent.click(item);
  await expect.poll(path).toBe("/transactions");
  expect(onChosen).toHaveBeenCalledOnce();
  await expect.poll(() => link("Transactions 12")?.getAttribute("aria-current")).toBe("page");
});

test("an exact item is marked on its very path only, another also below its own", async () => {
  const { go } = await stand({ path: "/deep/er" });
  expect(link("Deep")?.getAttribute("aria-current")).toBeNull();
  await go("/deep");
  await expect.poll(() => link("Deep")?.getAttribute("aria-current")).toBe("page");
  await go("/below/that");
  await expect.poll(() => link("Below")?.getAttribute("aria-current")).toBe("page");
});

test("R-2.10-12: a link leads to outside, in a new tab unless it names where", async () => {
  await stand();
  const [away, same] = [link("Away (new tab)"), link("Here")];
  expect([away?.getAttribute("href"), away?.target, away?.rel]).toEqual([
    ...["https://example.org/a", "_blank", "noopener noreferrer"],
  ]);
  expect([same?.getAttribute("href"), same?.target]).toEqual(["https://example.org/b", "_self"]);
});

test("R-2.10-10, R-2.10-15: a part starts open and its key shows and hides what is below it", async () => {
  await stand();
  expect(key("More").getAttribute("aria-expanded")).toBe("true");
  expect(link("Below")).toBeTruthy();
  expect(link("Deep")).toBeTruthy();
  fireEvent.click(key("More"));
  expect(key("More").getAttribute("aria-expanded")).toBe("false");
  expect(link("Below")).toBeNull();
  fireEvent.click(key("More"));
  expect(link("Below")).toBeTruthy();
});

test("R-2.10-16: a closed part opens again when a page of it is entered, however deep, and not for another page", async () => {
  const { go } = await stand();
  fireEvent.click(key("More"));
  await go("/transactions");
  expect(link("Deep")).toBeNull();
  await go("/deep");
  await expect.poll(() => link("Deep")?.getAttribute("aria-current")).toBe("page");
});

test("R-6-07: an entry for administrators is hidden from a player, and one of another level too", async () => {
  await stand();
  expect(link("Admins")).toBeNull();
  expect(link("Others")).toBeNull();
});

test("folded, an entry keeps its name as a tooltip, and a part asks to be unfolded", async () => {
  const { onWiden } = await stand({ narrow: true });
  expect(link("Transactions 12")?.title).toBe("Transactions");
  expect(link("Below")).toBeNull();
  fireEvent.click(key("More"));
  expect(onWiden).toHaveBeenCalledOnce();
});
