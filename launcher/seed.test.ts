import { isWeakPin } from "@longarm/platform/modules/players/accounts/index";
import { expect, test } from "vitest";
import { DEMO_PLAYERS } from "./seed.ts";

// issue 14: the demo's PINs were 1234 and 5678, which the platform refuses when a player chooses them.
test.each(DEMO_PLAYERS)("the PIN of $username is one that a player may choose", ({ pin }) => {
  expect(pin).toMatch(/^\d{4,12}$/);
  expect(isWeakPin(pin)).toBe(false);
});
