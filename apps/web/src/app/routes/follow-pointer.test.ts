import { expect, test } from "vitest";
import { followPointer } from "./lobby.tsx";

function followed() {
  const due = new Set<() => void>();
  const rested: string[] = [];
  const after = (_ms: number, run: () => void) => {
    due.add(run);
    return () => void due.delete(run);
  };
  const point = followPointer<string>({ after }, (place) => rested.push(place));
  const wait = (): void => {
    for (const run of due) run();
    due.clear();
  };
  return { point, rested, wait };
}

test("a pointer that crosses many cards has rested at none; one that stays has rested at its card, once", () => {
  const { point, rested, wait } = followed();
  for (let card = 0; card < 20; card += 1) {
    point(`card ${card}`);
    point();
  }
  wait();
  expect(rested).toEqual([]);
  point("one");
  point("two");
  wait();
  wait();
  expect(rested).toEqual(["two"]);
});

test("a card that was chosen, or cannot be entered, is rested at no more", () => {
  const { point, rested, wait } = followed();
  point("one");
  point(undefined);
  wait();
  expect(rested).toEqual([]);
});
