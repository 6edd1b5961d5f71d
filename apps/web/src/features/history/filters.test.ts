import { expect, test } from "vitest";
import { memoryStorage } from "../../shared/testing/fakes.ts";
import { createChosenColumns } from "./columns.ts";
import { filtersOf, isFiltered, NO_FILTERS, queryOf, rangeOf } from "./filters.ts";
import { dayOf, midnightOf } from "./times.ts";

const NOON = new Date(2026, 10, 20, 12).getTime();

test("filters survive the address, and what is none of ours stays in it", () => {
  const custom = { period: "custom", firstDay: "2026-11-01", lastDay: "" } as const;
  const filters = { ...custom, search: "Nar & 7", type: 6, size: 50, span: "day" } as const;
  const query = queryOf({ ref: "mail", limit: "10" }, filters);
  expect(query).toEqual({
    ...{ ref: "mail", search: "Nar & 7", type: "6", period: "custom", from: "2026-11-01", limit: "50", plot: "day" },
  });
  expect(filtersOf(query)).toEqual(filters);
  expect(queryOf(query, NO_FILTERS)).toEqual({ ref: "mail" });
});

test("whatever is no filter counts as left out", () => {
  const hostile = {
    search: ["x"],
    type: "1e3",
    period: "constructor",
    limit: "26",
    plot: 7,
    from: "2026-02-31",
    to: "x",
  };
  expect(filtersOf(hostile)).toEqual(NO_FILTERS);
  expect(filtersOf({ search: "x".repeat(5_000) }).search).toHaveLength(100);
  expect(isFiltered({ ...NO_FILTERS, size: 100, span: "day" })).toBe(false);
});

test("periods are whole days of the player's own zone, today among them", () => {
  const days = (period: "today" | "7d" | "30d") => rangeOf({ ...NO_FILTERS, period }, NOON);
  expect(days("today")).toEqual({ fromMs: new Date(2026, 10, 20).getTime() });
  expect(dayOf(days("7d").fromMs ?? 0)).toBe("2026-11-14");
  expect(dayOf(days("30d").fromMs ?? 0)).toBe("2026-10-22");
  const custom = { ...NO_FILTERS, period: "custom", firstDay: "2026-03-01", lastDay: "2026-03-31" } as const;
  expect(rangeOf(custom, NOON)).toEqual({
    fromMs: new Date(2026, 2, 1).getTime(),
    toMs: new Date(2026, 3, 1).getTime(),
  });
  expect(rangeOf(NO_FILTERS, NOON)).toEqual({});
  expect(midnightOf("0099-01-01")).toBeUndefined();
});

test("D-31: each listing has its own columns, all ten can be had, the choice is kept and one always stays", () => {
  const storage = memoryStorage({ "longarm.transactionColumns": "nonsense,amount,machine" });
  expect(createChosenColumns("transactions", storage).shown.getState()).toEqual(["machine", "amount"]);
  const columns = createChosenColumns("sessions", storage);
  expect(columns.shown.getState()).toEqual(["machine", "start", "end", "duration", "spins", "freeSpins", "amount"]);
  for (const column of ["operationDate", "type", "from"] as const) columns.toggle(column);
  expect(createChosenColumns("sessions", storage).shown.getState()).toHaveLength(10);
  for (const column of columns.shown.getState()) columns.toggle(column);
  expect(columns.shown.getState()).toEqual(["amount"]);
  columns.reset();
  expect(columns.shown.getState()).toHaveLength(7);
});
