import { act, renderHook } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { NO_FILTERS } from "./model/filters.ts";
import { useFilters } from "./use-filters.ts";

test("an address of our own that was overtaken counts, once somebody else leads there", () => {
  const write = vi.fn();
  const { result, rerender } = renderHook(({ query }) => useFilters(query, write), {
    initialProps: { query: {} as Record<string, string> },
  });
  const choose = (lamp: "playing" | "available") => act(() => result.current[1]({ ...NO_FILTERS, lamps: [lamp] }));
  choose("playing");
  choose("available");
  expect(write).toHaveBeenCalledTimes(2);
  // The router only ever drew the second.
  rerender({ query: { status: "available" } });
  expect(result.current[0].lamps).toEqual(["available"]);
  rerender({ query: { status: "playing" } });
  expect(result.current[0].lamps).toEqual(["playing"]);
});
