import { expect, test, vi } from "vitest";
import { createScope } from "./scope.ts";

test("maintainer 6.4: runs every other stop after one that throws, and reports it", () => {
  const scope = createScope();
  const first = vi.fn();
  const last = vi.fn();
  scope.onEnd(first);
  scope.onEnd(() => {
    throw new Error("stuck");
  });
  scope.onEnd(last);
  expect(() => scope.end()).toThrow("could not be ended");
  expect([first.mock.calls.length, last.mock.calls.length, scope.ended]).toEqual([1, 1, true]);
  scope.end();
  expect(first).toHaveBeenCalledTimes(1);
});
