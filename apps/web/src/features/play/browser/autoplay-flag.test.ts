import { expect, test } from "vitest";
import { FIRST_PLAN } from "../state/autoplay/plan.ts";
import { playAgainstFake } from "../state/testing/fake-platform.ts";
import { showAutoplayFlag } from "./open-session.ts";

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
