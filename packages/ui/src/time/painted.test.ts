import { expect, test } from "vitest";
import { pressed } from "./painted.ts";

test("a key is down while its picture is waited for, and up again for what it opens", async () => {
  const key = document.createElement("button");
  const drawn = pressed(key);
  expect(key.hasAttribute("data-pressing")).toBe(true);
  await drawn;
  expect(key.hasAttribute("data-pressing")).toBe(false);
});
