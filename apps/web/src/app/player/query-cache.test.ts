import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useQuiet } from "./query-cache.ts";

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

/** A page with one picture that is loaded at once. */
function quietWith(decode: () => Promise<void>) {
  document.body.append(Object.assign(new Image(), { loading: "eager", decode }));
  vi.useFakeTimers();
  return renderHook(() => useQuiet(undefined)).result;
}

test("what nobody waits for comes after the first pictures, or when one of them cannot be had", async () => {
  const failed = quietWith(() => Promise.reject(new Error("no picture")));
  expect(failed.current).toBe(false);
  await act(() => vi.advanceTimersByTimeAsync(500));
  expect(failed.current).toBe(true);
});

test("a picture that never comes does not keep it away", async () => {
  const quiet = quietWith(() => new Promise(() => {}));
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(quiet.current).toBe(false);
  await act(() => vi.advanceTimersByTimeAsync(4_000));
  expect(quiet.current).toBe(true);
});

test("a page that says it is busy has not drawn what came", async () => {
  const busy = document.createElement("div");
  busy.setAttribute("aria-busy", "true");
  document.body.append(busy);
  const decode = vi.fn(() => Promise.resolve());
  const quiet = quietWith(decode);
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect([quiet.current, decode.mock.calls.length]).toEqual([false, 0]);
  busy.removeAttribute("aria-busy");
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect([quiet.current, decode.mock.calls.length]).toEqual([true, 1]);
});

test("a page that stays busy does not keep it away", async () => {
  const busy = document.createElement("div");
  busy.setAttribute("aria-busy", "true");
  document.body.append(busy);
  const quiet = quietWith(() => Promise.resolve());
  await act(() => vi.advanceTimersByTimeAsync(6_000));
  expect(quiet.current).toBe(true);
});
