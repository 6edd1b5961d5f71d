import { expect, test } from "vitest";
import { readLongRun } from "./options.ts";

test("without options it is an hour of eight players, four viewers and a page, judged by growth and money", () => {
  expect(readLongRun([])).toMatchObject({
    ...{ minutes: 60, seed: "1", machines: 8, browsers: false, faults: false },
    simulated: { players: 8, viewers: 4, page: true },
    measures: new Set(["growth", "money"]),
  });
  expect(readLongRun(["--minutes", "0.5", "--no-page", "--viewers", "0"])).toMatchObject({
    minutes: 0.5,
    simulated: { players: 8, viewers: 0, page: false },
  });
});

test("browsers are judged by their screens and their money while faults are injected, and by growth only without", () => {
  expect(readLongRun(["--who", "browsers"])).toMatchObject({
    ...{ simulated: null, browsers: true, faults: true },
    measures: new Set(["screens", "money"]),
  });
  expect(readLongRun(["--who", "both", "--calm"])).toMatchObject({
    ...{ simulated: { players: 8 }, faults: false },
    measures: new Set(["growth", "screens", "money"]),
  });
  expect(readLongRun(["--who", "browsers", "--measure", "screens"])).toMatchObject({ measures: new Set(["screens"]) });
});

test.each([
  [["--minutes", "0"]],
  [["--minutes", "many"]],
  [["--players", "1.5"]],
  [["--players", "1e9"]],
  [["--machines", "1"]],
  [["--who", "robots"]],
  [["--measure", "speed"]],
  [["--measure", "screens"]],
  [["--who", "browsers", "--measure", "growth"]],
  [["--nonsense"]],
  [["stray"]],
])("says what is wrong with %j", (args) => {
  expect(typeof readLongRun(args)).toBe("string");
});
