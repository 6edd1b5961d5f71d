import { expect, test } from "vitest";
import { networkOf, watchNetwork } from "../open-session.ts";

test("the return and every change of the network are told, until nobody listens any more", () => {
  const page = new EventTarget();
  const connection = Object.assign(new EventTarget(), { type: "wifi" });
  const told: boolean[] = [];
  const stop = watchNetwork(page, connection, (sure) => told.push(sure));
  page.dispatchEvent(new Event("online"));
  connection.type = "cellular";
  connection.dispatchEvent(new Event("change"));
  // Speed and delay were measured anew.
  connection.dispatchEvent(new Event("change"));
  expect(told).toEqual([true, true]);
  stop();
  page.dispatchEvent(new Event("online"));
  connection.type = "wifi";
  connection.dispatchEvent(new Event("change"));
  expect(told).toEqual([true, true]);
});

test("a computer that does not tell the kind of its network is never sure", () => {
  const connection = new EventTarget();
  const told: boolean[] = [];
  watchNetwork(new EventTarget(), connection, (sure) => told.push(sure));
  connection.dispatchEvent(new Event("change"));
  expect(told).toEqual([false]);
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
