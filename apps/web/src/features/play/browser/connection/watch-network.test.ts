import { expect, test } from "vitest";
import { networkOf, watchNetwork } from "./watch-network.ts";

test("the return and every change of the network are told, until nobody listens any more", () => {
  const page = new EventTarget();
  const connection = new EventTarget();
  let told = 0;
  const stop = watchNetwork(page, connection, () => {
    told += 1;
  });
  page.dispatchEvent(new Event("online"));
  connection.dispatchEvent(new Event("change"));
  expect(told).toBe(2);
  stop();
  page.dispatchEvent(new Event("online"));
  connection.dispatchEvent(new Event("change"));
  expect(told).toBe(2);
});

test("a browser that tells nothing of its network is no harm", () => {
  const connection = new EventTarget();
  expect([networkOf({ connection }), networkOf({}), networkOf({ connection: 4 })]).toEqual([
    connection,
    undefined,
    undefined,
  ]);
  expect(() => watchNetwork(new EventTarget(), undefined, () => {})()).not.toThrow();
});
