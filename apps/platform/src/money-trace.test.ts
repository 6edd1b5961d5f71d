import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, test } from "vitest";
import { MONEY_CHANNEL, publishStep } from "./money-trace.ts";

test("a money step reaches the subscribers before the command goes on", () => {
  const seen: unknown[] = [];
  const keep = (message: unknown): void => void seen.push(message);
  publishStep("cashIn.received");
  subscribe(MONEY_CHANNEL, keep);
  publishStep("cashIn.asked");
  expect(seen).toEqual([{ name: "cashIn.asked" }]);
  unsubscribe(MONEY_CHANNEL, keep);
});
