import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { EventWaits } from "./event-waits.ts";

const SECOND = 1_000;

/** Looks at the machine each second, and answers after how many looks its events were taken as lost. */
function looksUntilOver(eventsWait: (look: number) => boolean | undefined, seq: (look: number) => number = () => 7) {
  const clock = manualClock();
  const waits = new EventWaits(clock);
  for (let look = 0; look < 120; look += 1) {
    if (waits.areOver("nar-07", seq(look), eventsWait(look))) return look;
    clock.advance(SECOND);
  }
  return undefined;
}

test("a machine that tells nothing for 15 s, and has nothing to tell, has lost what it counted", () => {
  expect(looksUntilOver(() => false)).toBe(15);
  // An agent of before does not say.
  expect(looksUntilOver(() => undefined)).toBe(15);
});

test("while its agent has events that are not taken no time decides", () => {
  expect(looksUntilOver(() => true)).toBeUndefined();
  expect(looksUntilOver((look) => look < 40)).toBe(55);
});

test("every event that is taken begins the wait anew", () => {
  expect(
    looksUntilOver(
      () => false,
      (look) => Math.min(look, 10),
    ),
  ).toBe(25);
});
