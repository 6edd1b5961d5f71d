import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { saveFile } from "./save-file.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("maintainer 6.10: the file's address outlives the click by a minute", () => {
  const revoke = vi.fn();
  Object.assign(URL, { createObjectURL: () => "blob:report", revokeObjectURL: revoke });
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
  saveFile(new Blob(["{}"]), "report.json");
  expect(click).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(59_000);
  expect(revoke).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(revoke).toHaveBeenCalledExactlyOnceWith("blob:report");
});
