import { painted } from "@longarm/ui/time/painted.ts";
import { act, renderHook } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { NO_FILTERS } from "./filters.ts";
import { useFilters } from "./use-filters.ts";

const PATIENCE = { timeout: 20_000 };

test("an address of our own that was overtaken counts, once somebody else leads there", async () => {
  const write = vi.fn();
  const { result, rerender } = renderHook(({ query }) => useFilters(query, write), {
    initialProps: { query: {} as Record<string, string> },
  });
  const choose = (lamp: "playing" | "available") => act(() => result.current[1]({ ...NO_FILTERS, lamps: [lamp] }));
  choose("playing");
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(1), PATIENCE);
  choose("available");
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(2), PATIENCE);
  // The router only ever drew the second.
  rerender({ query: { status: "available" } });
  expect(result.current[0].lamps).toEqual(["available"]);
  rerender({ query: { status: "playing" } });
  expect(result.current[0].lamps).toEqual(["playing"]);
});

test("of two chips within one picture the address hears the newer, and none once the page has gone", async () => {
  const write = vi.fn();
  const { result, unmount } = renderHook(() => useFilters({}, write));
  const choose = (lamp: "playing" | "available") => act(() => result.current[1]({ ...NO_FILTERS, lamps: [lamp] }));
  choose("playing");
  choose("available");
  expect(result.current[0].lamps).toEqual(["available"]);
  await vi.waitFor(() => expect(write).toHaveBeenCalled(), PATIENCE);
  expect(write.mock.calls).toEqual([[expect.objectContaining({ status: "available" })]]);
  choose("playing");
  unmount();
  await painted();
  expect(write).toHaveBeenCalledTimes(1);
});
