import { expect, test } from "vitest";
import { secondText } from "./times.ts";

test("the time of a game has its seconds, from left to right in every language", () => {
  const ms = new Date(2026, 10, 20, 23, 52, 10).getTime();
  expect(secondText(ms, "en")).toBe("20/11/2026 23:52:10");
  expect(secondText(ms, "tr")).toBe("20.11.2026 23:52:10");
  expect(secondText(ms, "ar")).toMatch(/^[\d/]+ 23:52:10$/);
});
