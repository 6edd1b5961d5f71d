import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { defaultSettings } from "@longarm/contract/settings";
import { fold } from "@longarm/ui/i18n/fold.ts";
import { describe, expect, test } from "vitest";
import { memoryStorage } from "../../shared/testing/fakes.ts";
import { countFree, countLamps, keepLast, NO_FILTERS, readFilters, shownIds, writeFilters } from "./filters.ts";
import { reservedFor, reservedUntil, viewMachine } from "./machine-view.ts";
import { createFavourites, createRecent } from "./own-machines.ts";
import { jackpotsOf, largestJackpots } from "./view/jackpots.tsx";

const statusMap = defaultSettings().machineStatus;
const machine = (id: string, status: number, more: Partial<LobbyMachine> = {}): LobbyMachine => ({
  id,
  name: `Nar ${id}`,
  brand: "Nar",
  status,
  ...more,
});

describe("viewMachine", () => {
  test.each([
    [0, "off", "lobby.notAvailable", undefined],
    [1, "available", "lobby.available", "play"],
    [2, "waiting", "lobby.waiting", undefined],
    [3, "playing", "lobby.playing", undefined],
    [4, "reserved", "lobby.reserved", undefined],
    [99, "off", "lobby.notAvailable", undefined],
    [-1.5, "off", "lobby.notAvailable", undefined],
  ])("R-4.1: status %d shows %s", (status, lamp, word, action) => {
    const view = viewMachine(machine("1", status), statusMap, false);
    expect(view).toMatchObject({ lamp, word, action });
    expect(view.refusal === undefined).toBe(action !== undefined);
  });

  test.each([2, 3])("the player's own seat waits for them at status %d", (status) => {
    expect(viewMachine(machine("1", status), statusMap, true)).toMatchObject({
      lamp: "waiting",
      action: "continue",
      word: "lobby.waitingMine",
    });
  });

  test("a machine that somebody else plays may be watched, while it is played and where the platform says so", () => {
    const of = (status: number, mine = false) =>
      viewMachine(machine("1", status, { watchable: true }), statusMap, mine);
    expect(of(3)).toMatchObject({ lamp: "playing", word: "lobby.playing", action: "watch", refusal: undefined });
    expect(of(3, true).action).toBe("continue");
    expect([0, 2, 4].map((status) => of(status).action)).toEqual([undefined, undefined, undefined]);
    expect(of(1).action).toBe("play");
  });

  test("settings may give other numbers", () => {
    expect(viewMachine(machine("1", 7), { ...statusMap, "7": "available" }, false).action).toBe("play");
    expect(viewMachine({ ...machine("1", 1), status: "constructor" as never }, statusMap, false).lamp).toBe("off");
  });

  test("D-27: any shape of reservation is read", () => {
    const of = (reservation: LobbyMachine["reservation"]) => machine("1", 4, { reservation: reservation ?? null });
    expect(viewMachine(of({ mine: true }), statusMap, false).action).toBe("play");
    expect(viewMachine(of(true), statusMap, false).action).toBeUndefined();
    expect(reservedFor(of("Deniz"))).toBe("Deniz");
    expect(reservedFor(of({ name: "Ece" }))).toBe("Ece");
    expect(reservedUntil(of({ until: "2026-01-01T00:00:00Z" }))).toBe("2026-01-01T00:00:00Z");
    expect(reservedUntil(of(true))).toBeUndefined();
    expect(reservedUntil(of(undefined))).toBeUndefined();
  });
});

describe("the floor", () => {
  const machines = [
    machine("1", 3),
    machine("2", 1),
    machine("3", 3, { mine: true }),
    machine("4", 0, { name: "İstanbul 4", brand: "Pera" }),
    machine("5", 1, { name: "Çığ 5", brand: "Kuzey" }),
  ];
  const liked = new Set(["2", "4"]);
  const ids = (filters: Partial<typeof NO_FILTERS>, open?: OpenSession) =>
    shownIds(machines, { ...NO_FILTERS, ...filters }, liked, { statusMap, open });

  test("the kept seat stands first, everything else as the platform orders it", () => {
    expect(ids({})).toEqual(["3", "1", "2", "4", "5"]);
    expect(ids({}, { status: true, id: "5", name: "", machine_status: "waiting" })).toEqual(["3", "5", "1", "2", "4"]);
  });

  test("several lamps mean any of them; favourites and search narrow it", () => {
    expect(ids({ lamps: ["available"] })).toEqual(["2", "5"]);
    expect(ids({ lamps: ["available", "off"] })).toEqual(["2", "4", "5"]);
    expect(ids({ lamps: ["available", "off"], favouritesOnly: true })).toEqual(["2", "4"]);
    expect(ids({ search: "kuzey" })).toEqual(["5"]);
  });

  test.each([
    ["istanbul", ["4"]],
    ["ISTANBUL", ["4"]],
    ["İstanbul", ["4"]],
    ["cig", ["5"]],
    ["  nar 2 ", ["2"]],
    ["(.*", []],
  ])("searching %j finds %j", (search, found) => {
    expect(ids({ search })).toEqual(found);
  });

  // player 17
  test.each([
    ["pera 2", ["02"]],
    ["2 pera", ["02"]],
    ["PERA 002", ["02"]],
    ["pera2", ["02"]],
    ["ışık 12", ["12"]],
    ["isik", ["12"]],
    ["kuzey 12", ["12"]],
    ["pera 3", []],
  ])("player 17: searching %j finds %j", (search, found) => {
    const floor = [
      machine("02", 1, { name: "Pera 02", brand: "Pera" }),
      machine("12", 1, { name: "Işık 12", brand: "Kuzey" }),
    ];
    expect(shownIds(floor, { ...NO_FILTERS, search }, liked, { statusMap, open: undefined })).toEqual(found);
  });

  // player, missing for a casino player: sort, stakes and what was played.
  test("the floor is ordered by jackpot, stake, name or what was played last, the kept seat first in each", () => {
    const floor = [
      machine("a", 1, { name: "Nar 11", stakes: { min: 500, max: 9_000 } }),
      machine("b", 1, { name: "Pera 02", brand: "Pera", stakes: { min: 100, max: 400 } }),
      machine("c", 1, { name: "Nar 2" }),
      machine("d", 3, { name: "Kuzey 1", brand: "Kuzey", mine: true }),
    ];
    const jackpots = new Map([
      ["Nar", 5],
      ["Pera", 900],
    ]);
    const by = (more: Partial<typeof NO_FILTERS>) =>
      shownIds(floor, { ...NO_FILTERS, ...more }, liked, { statusMap, open: undefined, recent: ["c", "b"], jackpots });
    expect(by({})).toEqual(["d", "a", "b", "c"]);
    expect(by({ sort: "jackpot" })).toEqual(["d", "b", "a", "c"]);
    expect(by({ sort: "stake" })).toEqual(["d", "b", "a", "c"]);
    expect(by({ sort: "name" })).toEqual(["d", "c", "a", "b"]);
    expect(by({ sort: "recent" })).toEqual(["d", "c", "b", "a"]);
    expect(by({ stake: 400 })).toEqual(["b"]);
    expect(by({ stake: 500, search: "nar" })).toEqual(["a"]);
  });

  test("what was played is kept for its player: the last one first, and not for another player of the browser", () => {
    const storage = memoryStorage();
    const recent = createRecent(storage, "p_1");
    for (const id of ["1", "2", "1"]) recent.played(id);
    expect(recent.ids.getState()).toEqual(["1", "2"]);
    expect(createRecent(storage, "p_1").ids.getState()).toEqual(["1", "2"]);
    expect(createRecent(storage, "p_2").ids.getState()).toEqual([]);
    storage.write("longarm.recentMachines", '{"player":"p_1","ids":[7,"3"]}');
    expect(createRecent(storage, "p_1").ids.getState()).toEqual(["3"]);
    storage.write("longarm.recentMachines", "{");
    expect(createRecent(storage, "p_1").ids.getState()).toEqual([]);
  });

  test("counts", () => {
    expect(countLamps(machines, { statusMap, open: undefined })).toEqual({
      available: 2,
      playing: 1,
      waiting: 1,
      reserved: 0,
      off: 1,
    });
    expect([...countFree(machines, statusMap)]).toEqual([
      ["Nar", 1],
      ["Kuzey", 1],
    ]);
    expect(fold("ÇIĞ")).toBe("cig");
  });
});

describe("filters in the address", () => {
  test.each([
    [{}, NO_FILTERS],
    [
      { status: "playing,available,nonsense", favourites: "1", search: "nar 0" },
      { ...NO_FILTERS, lamps: ["available", "playing"], favouritesOnly: true, search: "nar 0" },
    ],
    [{ status: 7, favourites: "yes", search: ["x"] }, NO_FILTERS],
    [{ status: "not-available,constructor" }, { ...NO_FILTERS, lamps: ["off"] }],
    [
      { stake: "500", sort: "jackpot" },
      { ...NO_FILTERS, stake: 500, sort: "jackpot" },
    ],
    [{ stake: "-5", sort: "worst" }, NO_FILTERS],
    [{ search: "x".repeat(5_000) }, { ...NO_FILTERS, search: "x".repeat(64) }],
  ])("%j asks for %j", (query, filters) => {
    expect(readFilters(query)).toEqual(filters);
    expect(readFilters(writeFilters(readFilters(query)))).toEqual(filters);
  });

  test("no filter leaves nothing in the address", () => {
    expect(Object.values(writeFilters({ ...NO_FILTERS, search: "  " })).filter((value) => value !== undefined)).toEqual(
      [],
    );
  });
});

describe("jackpots", () => {
  const brand = (id: string, jackpot: unknown, more = {}) => ({
    id,
    name: id,
    machineCount: 0,
    jackpot: jackpot as string,
    ...more,
  });

  test("R-3-14: a text is split at its commas, trimmed, and empty parts are left out; a list is read the same", () => {
    const amounts = (jackpot: unknown) => jackpotsOf(brand("Nar", jackpot), 0).map(({ minor }) => minor);
    expect(amounts("1, 2,,3")).toEqual([1, 2, 3]);
    expect(amounts([1, "2", " 3 "])).toEqual([1, 2, 3]);
    expect(amounts(null)).toEqual([]);
  });

  test("R-2.6-03, R-9-05: the list in minor units with its names; hot above the limit, not at it", () => {
    const list = jackpotsOf(brand("Nar", "2000001, 2000000,5", { jackpotNames: ["Grand"] }), 2_000_000);
    expect(list.map(({ minor, hot, name, number }) => [minor, hot, name, number])).toEqual([
      [2_000_001, true, "Grand", 1],
      [2_000_000, false, undefined, 2],
      [5, false, undefined, 3],
    ]);
  });

  test.each([[null], [undefined], [""], ["abc,-5,1.5,,"], [["x", Number.NaN]]])("%j is no jackpot", (jackpot) => {
    expect(jackpotsOf(brand("Nar", jackpot), 0)).toEqual([]);
  });

  test("a list is read like a text, and the largest of each brand leads", () => {
    const brands = [brand("A", [5, "70"]), brand("B", "900"), brand("C", null)];
    expect(largestJackpots(brands, 0).map(({ brand: name, minor }) => [name, minor])).toEqual([
      ["B", 900],
      ["A", 70],
    ]);
  });
});

test("favourites are kept, and garbage in the storage is none", () => {
  const storage = memoryStorage();
  createFavourites(storage).toggle("m_1");
  const again = createFavourites(storage);
  expect([...again.ids.getState()]).toEqual(["m_1"]);
  again.toggle("m_1");
  expect(storage.all.get("longarm.favourites")).toBe("[]");
  for (const kept of ["{", "7", '{"a":1}', "[1,null]"]) {
    expect(createFavourites(memoryStorage({ "longarm.favourites": kept })).ids.getState().size).toBe(0);
  }
});

test("the last answer is kept until an argument is another one", () => {
  let asked = 0;
  const pair = keepLast((one: object, other: object | undefined) => {
    asked += 1;
    return [one, other];
  });
  const [a, b] = [{}, {}];
  const first = pair(a, undefined);
  expect(pair(a, undefined)).toBe(first);
  expect(pair(a, b)).toEqual([a, b]);
  expect(pair(b, b)).toEqual([b, b]);
  expect(pair(a, undefined)).toEqual([a, undefined]);
  expect(asked).toBe(4);
});
