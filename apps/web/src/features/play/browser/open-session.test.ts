import { expect, test } from "vitest";
import { FIRST_PLAN } from "../state/autoplay.ts";
import { playAgainstFake } from "../state/testing/fake-platform.ts";
import { networkOf, showAutoplayFlag, watchNetwork } from "./open-session.ts";

test("R-4.4-07: toggling autoplay flips the global flag, which always agrees and cannot be set from outside", async () => {
  const play = playAgainstFake();
  const { autoplay } = play.session;
  const page: Pick<Window, "longarmAutoplay"> = {};
  const end = showAutoplayFlag(page, autoplay.state);
  await play.settle();
  expect(page.longarmAutoplay).toBe(false);
  autoplay.start(FIRST_PLAN);
  expect([page.longarmAutoplay, autoplay.state.getState().on]).toEqual([true, true]);
  expect(() => {
    page.longarmAutoplay = false;
  }).toThrow(TypeError);
  expect(page.longarmAutoplay).toBe(true);
  play.session.spin();
  expect([page.longarmAutoplay, autoplay.state.getState().on]).toEqual([false, false]);
  autoplay.start(FIRST_PLAN);
  end();
  expect(page.longarmAutoplay).toBe(false);
});

test("reports the return and every change of the network, until it is stopped", () => {
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

test("is never sure where the browser does not report the kind of its network", () => {
  const connection = new EventTarget();
  const told: boolean[] = [];
  watchNetwork(new EventTarget(), connection, (sure) => told.push(sure));
  connection.dispatchEvent(new Event("change"));
  expect(told).toEqual([false]);
});

test("works in a browser without network information", () => {
  const connection = new EventTarget();
  expect([networkOf({ connection }), networkOf({}), networkOf({ connection: 4 })]).toEqual([
    connection,
    undefined,
    undefined,
  ]);
  expect(() => watchNetwork(new EventTarget(), undefined, () => {})()).not.toThrow();
});
