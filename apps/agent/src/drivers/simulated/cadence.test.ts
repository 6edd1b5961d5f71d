import { expect, test } from "vitest";
import { fakeClock } from "../../testing/fake-clock.ts";
import { startCadence } from "./source.ts";

/** A cadence of 100 ms with what it took: the time since the start, and a star behind those out of turn. */
function started() {
  const clock = fakeClock(0);
  const taken: string[] = [];
  const cadence = startCadence(clock, 100, (outOfTurn) => taken.push(`${clock.now()}${outOfTurn ? "*" : ""}`));
  return { clock, taken, cadence };
}

test("pictures come at an even pace until it is stopped", () => {
  const { clock, taken, cadence } = started();
  clock.advance(350);
  expect(taken).toEqual(["100", "200", "300"]);
  cadence.stop();
  clock.advance(500);
  expect(taken).toHaveLength(3);
});

test("one requested between two others is taken at once, and the pace stays", () => {
  const { clock, taken, cadence } = started();
  clock.advance(150);
  cadence.soon();
  clock.advance(150);
  expect(taken).toEqual(["100", "150*", "200", "300"]);
});

test("soon after a picture a requested one waits for the encoder, and many requests take one", () => {
  const { clock, taken, cadence } = started();
  clock.advance(105);
  cadence.soon();
  cadence.soon();
  clock.advance(20);
  cadence.soon();
  clock.advance(100);
  expect(taken).toEqual(["100", "130*", "200"]);
});

test("shortly before the next picture that one shows it", () => {
  const { clock, taken, cadence } = started();
  clock.advance(180);
  cadence.soon();
  clock.advance(130);
  expect(taken).toEqual(["100", "200", "300"]);
});

test("a requested one is not taken after the stop", () => {
  const { clock, taken, cadence } = started();
  clock.advance(110);
  cadence.soon();
  cadence.stop();
  clock.advance(500);
  expect(taken).toEqual(["100"]);
});
