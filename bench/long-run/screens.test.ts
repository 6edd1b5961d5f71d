import { expect, test } from "vitest";
import type { GameLook, Look } from "./screen.ts";
import type { Judge } from "./screens.ts";
import { createJudge } from "./screens.ts";

/* The judge of the hour finds what it is there for, and nothing else: an hour without a fault would prove nothing otherwise. */

const PLAYS: GameLook = {
  ...{ phase: "playing", live: true, online: true, turning: false, credit: 50_000, gamesPlayed: 3 },
  ...{ missing: null, missingWords: "", doing: null, countdown: null, spin: "ready", spinDisabled: false },
  ...{ quality: "good", held: false },
};
const LOOK: Look = {
  ...{ path: "/game/nar-01/-", speaks: true, broken: false, game: PLAYS, frames: 0, variant: null, cards: 0 },
  ...{ dialogs: [], messages: [], unanswered: [] },
};

/** Looks every quarter of a second for so long; pictures come by default. Returns all faults. */
function watch(
  judge: Judge,
  seconds: number,
  game: Partial<GameLook>,
  more: Partial<Look> = {},
  calmMs = 1e6,
): string[] {
  return Array.from({ length: seconds * 4 }, (_, step) =>
    judge.see({
      look: { ...LOOK, frames: step * 15, ...more, game: { ...PLAYS, ...game } },
      at: step * 250,
      calmMs,
      patience: 1,
    }),
  ).flat();
}

test("a game that plays, and one whose trouble is named, are right", () => {
  expect(watch(createJudge(), 60, {})).toEqual([]);
  expect(watch(createJudge(), 60, { missing: "door", spin: "locked" }, {}, 0)).toEqual([]);
  expect(
    watch(createJudge(), 60, { live: false, missing: "connectionLost", quality: "lost" }, { frames: 7 }, 0),
  ).toEqual([]);
});

test.each([
  ["the picture is frozen and nothing says why", {}, { frames: 7 }],
  ["the page shows nothing at all", {}, { speaks: false }],
  ['the line "loading" stays', { missing: "loading" }, {}],
  ["a lock stays without a reason", { missing: "tilt", spin: "locked" }, {}],
  ["the reels turn for ever", { turning: true }, {}],
  ["SPIN is dead and nothing says why", { spin: "offline", spinDisabled: true }, {}],
  ["SPIN says locked, the screen names no lock", { spin: "locked" }, {}],
  ["the picture is said to be away and moves", { missing: "pictureLost" }, {}],
  ["the link is called good and too poor to play", { spin: "unfair" }, {}],
] as const)("%s: reported once", (sentence, game, more) => {
  expect(watch(createJudge(), 40, game, more).filter((fault) => fault === sentence)).toEqual([sentence]);
});

test("what is broken on purpose may last until it is repaired, and not much longer", () => {
  const judge = createJudge();
  expect(watch(judge, 60, { missing: "machineAway" }, {}, 0)).toEqual([]);
  expect(watch(judge, 60, { missing: "machineAway" }, {}, 19_000)).toEqual([]);
  expect(watch(judge, 60, { missing: "machineAway" }, {}, 21_000)).toEqual(['the line "machineAway" stays']);
});

test("a press without an answer is reported each time", () => {
  const look: Look = { ...LOOK, unanswered: ["ready"] };
  expect(createJudge().see({ look, at: 0, calmMs: 0, patience: 1 })).toEqual(["a press on SPIN (ready) had no answer"]);
});
