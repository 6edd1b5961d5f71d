import type { Brand, LobbyMachine } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { defaultSettings } from "@longarm/contract/settings";
import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import { memoryStorage, realTexts } from "../../../shared/testing/fakes.ts";
import { NO_FILTERS } from "../filters.ts";
import type { MachinesNow } from "../machine-lists.ts";
import { createFavourites, createRecent } from "../own-machines.ts";
import type { LobbyScreenProps } from "../use-lobby.ts";
import { LobbyScreen } from "./lobby-screen.tsx";

/** Whatever is watched can be seen. */
class EverythingSeen {
  readonly #tell: IntersectionObserverCallback;
  constructor(tell: IntersectionObserverCallback) {
    this.#tell = tell;
  }
  observe(): void {
    this.#tell([{ isIntersecting: true } as IntersectionObserverEntry], this as never);
  }
  disconnect(): void {}
}
const decoded = vi.fn<() => Promise<void>>();
beforeEach(() => {
  vi.stubGlobal("scrollTo", () => {});
  vi.stubGlobal("IntersectionObserver", EverythingSeen);
  decoded.mockReset();
  HTMLImageElement.prototype.decode = decoded;
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

const NOW_MS = Date.parse("2026-11-21T12:00:00Z");
const BRANDS: readonly Brand[] = [
  { id: "nar", name: "Nar", machineCount: 2, jackpot: "2500000,100", jackpotNames: ["Grand", "Mini"] },
];
const machines: LobbyMachine[] = [
  { id: "m1", name: "Nar 01", brand: "Nar", status: 1, image: "/v1/machine/m1/still" },
  { id: "m2", name: "Nar 02", brand: "Nar", status: 3 },
  { id: "m3", name: "Pera 03", brand: "Pera", status: 3, mine: true, until: "2026-11-21T12:00:42Z" },
];

async function lobby(start: readonly LobbyMachine[] | "loading" = machines, more: Partial<LobbyScreenProps> = {}) {
  const texts = await realTexts("en", "app", "lobby");
  const list = createStore<MachinesNow>(() => (start === "loading" ? undefined : start));
  const brands = createStore<readonly Brand[]>(() => more.brands ?? BRANDS);
  const open = createStore<OpenSession | undefined>(() => undefined);
  const favourites = createFavourites(memoryStorage());
  const say = vi.fn<(text: string) => void>();
  const onSit = vi.fn<LobbyScreenProps["onSit"]>(() => false);
  const retry = vi.fn();
  // biome-ignore lint/correctness/noComponentHookFactories: one view per test, over that test's stores.
  function View() {
    const now = useLive(brands);
    const [filters, setFilters] = useState(NO_FILTERS);
    return (
      <LobbyScreen
        isQuiet
        settings={defaultSettings()}
        machines={list}
        allMachines={list}
        filters={filters}
        onFilters={setFilters}
        brandsAwaited={false}
        chosen={undefined}
        failure={undefined}
        openSession={open}
        favourites={favourites}
        recent={createRecent(memoryStorage(), "p_1")}
        clock={{ now: () => NOW_MS }}
        still={(image) => `http://api.test${image}`}
        {...{ say, onSit, retry, ...more, brands: now }}
      />
    );
  }
  const rootRoute = createRootRoute({ component: View });
  const index = createRoute({ getParentRoute: () => rootRoute, path: "/lobby" });
  const history = createMemoryHistory({ initialEntries: ["/lobby"] });
  const router = createRouter({ routeTree: rootRoute.addChildren([index]), history });
  await router.load();
  render(
    <TextsContext value={texts}>
      <RouterProvider router={router as never} />
    </TextsContext>,
  );
  return { list, brands, open, say, onSit, retry, favourites };
}
/** Everything that can be chosen, signs and cards alike. */
const links = () => screen.queryAllByRole("link").length;
const names = () => screen.getAllByRole("article").map((card) => within(card).getByRole("link").textContent);
const cardOf = (name: string) => screen.getByRole("link", { name: new RegExp(name) }).closest("article") as HTMLElement;

test("stake and order are loaded once the first screen is drawn", async () => {
  await lobby(machines, { isQuiet: false });
  expect(screen.getByRole("button", { name: /Favourites/ })).toBeDefined();
  expect(screen.queryByRole("combobox")).toBeNull();
  cleanup();
  await lobby(machines, { isQuiet: true });
  expect(await screen.findByRole("combobox")).toBeDefined();
});

test("signs and floor are drawn together: what came first would be pushed down by the other", async () => {
  await lobby(machines, { brandsAwaited: true });
  expect([links(), screen.getByRole("status").textContent]).toEqual([0, "Loading"]);
  cleanup();
  await lobby("loading");
  expect(links()).toBe(0);
  cleanup();
  await lobby("loading", { failure: "No answer" });
  expect(links()).toBeGreaterThan(0);
});

test("the cabinets that are seen first have their pictures at once, the others near the window", async () => {
  const many = Array.from({ length: 8 }, (_, n) => ({ id: `m${n}`, name: `Nar ${n}`, brand: "Nar", status: 1 }));
  await lobby(many);
  const loading = [...document.querySelectorAll("article img")].map((image) => image.getAttribute("loading"));
  expect(loading).toEqual([...Array.from({ length: 6 }, () => "eager"), "lazy", "lazy"]);
});

test("every cabinet says its state in a word; the kept seat stands first and can be continued", async () => {
  await lobby();
  expect(names()).toEqual(["Pera 03", "Nar 01", "Nar 02"]);
  expect(within(cardOf("Pera 03")).getByText("Waiting for you")).toBeTruthy();
  expect(within(cardOf("Pera 03")).getByText("42 s to continue")).toBeTruthy();
  expect(within(cardOf("Nar 01")).getByText("Available")).toBeTruthy();
  expect(within(cardOf("Nar 02")).getByText("Playing")).toBeTruthy();
});

test("a pushed status changes its card and leaves the nodes of all others alone", async () => {
  const { list } = await lobby();
  const changed: Node[] = [];
  const observer = new MutationObserver((records) => changed.push(...records.map(({ target }) => target)));
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  act(() =>
    list.setState(
      machines.map((each) => (each.id === "m1" ? { ...each, status: 3 } : each)),
      true,
    ),
  );
  await vi.waitFor(() => expect(within(cardOf("Nar 01")).getByText("Playing")).toBeTruthy(), { timeout: 15_000 });
  observer.disconnect();
  const cards = changed.map((node) => (node as Element).closest?.("article")).filter(Boolean);
  expect(new Set(cards)).toEqual(new Set([cardOf("Nar 01")]));
});

test("R-2.6-06: the machine's still, then its brand's picture, then dark glass", async () => {
  await lobby();
  const picture = () => cardOf("Nar 01").querySelector("img");
  expect(picture()?.src).toBe("http://api.test/v1/machine/m1/still");
  fireEvent.error(picture() as HTMLImageElement);
  expect(picture()?.getAttribute("src")).toBe("/assets/machines/Nar.png");
  fireEvent.error(picture() as HTMLImageElement);
  expect(picture()).toBeNull();
});

test("a new still takes the old one's place once it is decoded; one that cannot be had leaves the old one", async () => {
  const { list } = await lobby();
  const renew = (image: string) => act(async () => list.setState([{ ...machines[0], image } as LobbyMachine], true));
  const shown = () => cardOf("Nar 01").querySelector("img")?.getAttribute("src");
  const slow = Promise.withResolvers<void>();
  decoded.mockReturnValueOnce(slow.promise);
  await renew("/still?v=2");
  expect(shown()).toBe("http://api.test/v1/machine/m1/still");
  await act(async () => slow.resolve());
  expect(shown()).toBe("http://api.test/still?v=2");
  decoded.mockRejectedValueOnce(new Error("gone"));
  await renew("/still?v=3");
  expect(shown()).toBe("http://api.test/still?v=2");
});

test("R-2.6-07: without an image the brand's picture stands there, whatever its name is made of", async () => {
  const brands = ["Alpha", 'a/b "c" <i>', "نار", "İnci & Mercan", "..", "\ud800"];
  await lobby(brands.map((brand, index) => ({ id: `x${index}`, name: `X ${index}`, brand, status: 1 })));
  expect(screen.getAllByRole("article").map((card) => card.querySelector("img")?.getAttribute("src"))).toEqual([
    "/assets/machines/Alpha.png",
    "/assets/machines/a%2Fb%20%22c%22%20%3Ci%3E.png",
    "/assets/machines/%D9%86%D8%A7%D8%B1.png",
    "/assets/machines/%C4%B0nci%20%26%20Mercan.png",
    "/assets/machines/...png",
    "/assets/machines/%EF%BF%BD.png",
  ]);
});

test("a cabinet that cannot be played says why; one that can asks to sit down", async () => {
  const { say, onSit } = await lobby();
  fireEvent.click(screen.getByRole("link", { name: /Nar 02/ }));
  expect(say).toHaveBeenCalledWith("Nar 02 is being played now.");
  expect(onSit).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("link", { name: /Nar 01/ }));
  expect(onSit.mock.calls[0]?.[0].id).toBe("m1");
});

test("a pointer or the focus at a cabinet is reported with its way, and none at one that cannot be entered, or is left or chosen", async () => {
  const onPoint = vi.fn<NonNullable<LobbyScreenProps["onPoint"]>>();
  await lobby(machines, { onPoint });
  const free = screen.getByRole("link", { name: /Nar 01/ });
  const played = screen.getByRole("link", { name: /Nar 02/ });
  const ways = () => onPoint.mock.calls.splice(0).map(([way]) => way?.params.gameId);
  fireEvent.pointerEnter(free);
  fireEvent.pointerLeave(free);
  expect(ways()).toEqual(["m1", undefined]);
  fireEvent.focus(free);
  fireEvent.click(free);
  expect(ways()).toEqual(["m1", undefined]);
  fireEvent.pointerEnter(played);
  expect(ways()).toEqual([undefined]);
});

test("filters narrow the floor, and nothing found says what was asked", async () => {
  const { favourites } = await lobby();
  fireEvent.click(screen.getByRole("button", { name: /Available/ }));
  expect(names()).toEqual(["Nar 01"]);
  fireEvent.change(screen.getByLabelText("Search machines"), { target: { value: "zeytin" } });
  expect(await screen.findByText("We found no machine called “zeytin”. Filters on: Available.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Clear the filters" }));
  fireEvent.click(screen.getByRole("button", { name: "Add to favourites: Nar 02" }));
  expect([...favourites.ids.getState()]).toEqual(["m2"]);
  fireEvent.click(screen.getByRole("button", { name: "Favourites" }));
  expect(names()).toEqual(["Nar 02"]);
});

test("counter wheels roll at most every 2 s, rightmost first; a screen reader hears the newest amount at once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const brand = (jackpot: string) => [{ id: "nar", name: "Nar", machineCount: 2, jackpot }];
  const { brands } = await lobby(machines, { brands: brand("111") });
  const wheels = () => [...document.querySelectorAll<HTMLElement>("[aria-hidden] span[style]")];
  const digits = () =>
    wheels()
      .map(({ style }) => -Number(/-?\d+/.exec(style.transform)?.[0]) / 10)
      .join("");
  const roll = (jackpot: string) => act(() => brands.setState(brand(jackpot), true));
  expect(digits()).toBe("1");
  roll("99900");
  expect(digits()).toBe("999");
  expect(wheels().map(({ style }) => style.transitionDelay)).toEqual(["80ms", "40ms", "0ms"]);
  roll("88800");
  expect(screen.getByText("₺888.00")).toBeTruthy();
  act(() => vi.advanceTimersByTime(1_900));
  expect(digits()).toBe("999");
  act(() => vi.advanceTimersByTime(200));
  expect(digits()).toBe("888");
});

test("jackpots are read as one amount, and a hot one says so", async () => {
  await lobby();
  expect(screen.getByText("₺25,000.00")).toBeTruthy();
  expect(screen.getAllByText("Hot")).toHaveLength(1);
});

test("loading, failure and no machines each have their words", async () => {
  await lobby("loading");
  expect(screen.getByText("Loading")).toBeTruthy();
  cleanup();
  const { retry } = await lobby("loading", { failure: "The machine cannot be reached" });
  expect(screen.getByText("The machine cannot be reached")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(retry).toHaveBeenCalledOnce();
  cleanup();
  await lobby([]);
  expect(screen.getByText("There are no machines on the floor yet")).toBeTruthy();
});

// player 17
test("player 17: inside a brand the empty floor names the brand, and offers the other brands", async () => {
  await lobby(machines, { chosen: BRANDS[0] });
  fireEvent.change(screen.getByRole("searchbox"), { target: { value: "pera 9" } });
  await screen.findByText("No machine matches");
  expect(screen.getByText(/Filters on: Nar\./)).toBeTruthy();
  expect(screen.getByRole<HTMLAnchorElement>("link", { name: "Search all brands" }).href).toContain("/lobby");
  fireEvent.click(screen.getByRole("button", { name: "Clear the filters" }));
  expect(await screen.findAllByRole("article")).toHaveLength(3);
});

// player, missing for a casino player: stakes on tiles and what was played.
test("a tile says what a game costs, and the machines that were played lead back", async () => {
  const recent = createRecent(memoryStorage(), "p_1");
  recent.played("m2");
  await lobby([{ ...(machines[0] as LobbyMachine), stakes: { min: 200, max: 100_000 } }, ...machines.slice(1)], {
    recent,
  });
  expect(within(cardOf("Nar 01")).getByText(/₺2–₺1/)).toBeTruthy();
  const row = await screen.findByRole("navigation", { name: "Recently played" });
  expect(within(row).getByRole<HTMLAnchorElement>("link", { name: "Nar 02" }).href).toContain("/game/m2/");
  fireEvent.change(screen.getByRole("combobox", { name: "Stake" }), { target: { value: "500" } });
  await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(1));
});
