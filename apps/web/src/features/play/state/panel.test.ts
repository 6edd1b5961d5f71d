import type { Button, Meters } from "@longarm/contract/machine";
import type { GameRules } from "@longarm/contract/player-protection";
import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import type { PressOutcome } from "./panel.ts";
import { Panel, sortButtons } from "./panel.ts";
import type { PlayState } from "./play-state.ts";
import { FIRST_STATE } from "./play-state.ts";
import type { PressResult, PressWish } from "./press-sender.ts";

const BUTTONS: Button[] = [
  { id: "spin", label: "SPIN", kind: "wager", minGapMs: 100 },
  { id: "betUp", label: "BET +", kind: "select", minGapMs: 60 },
  { id: "attendant", label: "ATTENDANT", kind: "service", minGapMs: 500 },
];
const METERS: Meters = {
  credit: 10_000,
  bet: 1_200,
  win: 0,
  freeSpins: 0,
  bonus: false,
  gamesPlayed: 40,
  activeBand: "10",
  inGame: false,
};

function panel(minCycleMs = 0) {
  const timers = fakeTimers();
  const wishes: PressWish[] = [];
  const settled: PressOutcome[] = [];
  const answers: ((result: PressResult) => void)[] = [];
  let now = 0;
  const press = (wish: PressWish): Promise<PressResult> => {
    wishes.push(wish);
    return new Promise((answer) => answers.push(answer));
  };
  const play = createStore<PlayState>(() => ({
    ...FIRST_STATE,
    phase: "playing",
    online: true,
    buttons: BUTTONS,
    limits: { minCycleMs, minTransfer: 1, maxTransfer: 1, autoplay: true },
    meters: METERS,
  }));
  const buttons = new Panel({ timers, now: () => now, throttleMs: 500 }, play, { press }, (outcome) =>
    settled.push(outcome),
  );
  const seat = (now: readonly Button[]): void => {
    play.setState({ buttons: now, limits: undefined });
    buttons.forget();
  };
  const update = (meters: Meters): void => {
    play.setState({ meters });
    buttons.metersChanged();
  };
  const pass = (ms: number): void => {
    now += ms;
    timers.advance(ms);
  };
  const answer = async (outcome: PressResult["outcome"]): Promise<void> => {
    answers.shift()?.({ outcome });
    await Promise.resolve();
    await Promise.resolve();
  };
  const rule = (now: Partial<Pick<PlayState, "rules" | "check">>): void => play.setState(now);
  return { buttons, seat, update, rule, wishes, settled, pass, answer, reels: () => buttons.reels.getState() };
}

test("the reels turn from the press until the meters report a complete game", async () => {
  const { buttons, wishes, answer, reels, update } = panel();
  expect(buttons.spin()).toBe("sent");
  expect(wishes).toEqual([{ button: "spin", stake: 1_200, pressedAt: 0 }]);
  expect(reels()).toEqual({ turning: true, queued: false });
  await answer("started");
  update({ ...METERS, inGame: true, gamesPlayed: 40 });
  update({ ...METERS, inGame: false, gamesPlayed: 40 });
  expect(reels().turning).toBe(true);
  update({ ...METERS, gamesPlayed: 41 });
  expect(reels().turning).toBe(false);
});

test("meters that are faster than the answer end the game too", async () => {
  const { buttons, answer, reels, update } = panel();
  buttons.spin();
  update({ ...METERS, inGame: true });
  update({ ...METERS, gamesPlayed: 41 });
  expect(reels().turning).toBe(true);
  await answer("started");
  expect(reels().turning).toBe(false);
});

test("queues one press while the reels turn and plays it when they are at rest, no sooner than the machine's cycle", async () => {
  const { buttons, wishes, answer, pass, reels, update } = panel(2_500);
  buttons.spin();
  await answer("started");
  pass(600);
  expect(buttons.spin()).toBe("queued");
  pass(600);
  expect(buttons.spin()).toBe("idle");
  update({ ...METERS, gamesPlayed: 41 });
  expect(wishes).toHaveLength(1);
  pass(1_300);
  expect(wishes).toHaveLength(2);
  expect(wishes[1]).toEqual({ button: "spin", stake: 1_200, pressedAt: 2_500 });
  expect(reels()).toEqual({ turning: true, queued: false });
});

test("R-9-14: two presses of SPIN within the throttle are one", () => {
  const { buttons, wishes, pass } = panel();
  expect(buttons.spin()).toBe("sent");
  pass(499);
  expect(buttons.spin()).toBe("idle");
  pass(1);
  expect(buttons.spin()).toBe("queued");
  expect(wishes).toHaveLength(1);
});

test("without credit nothing is sent, and a queued game is dropped when the credit is gone", async () => {
  const { buttons, wishes, answer, pass, reels, update } = panel();
  update({ ...METERS, credit: 1_199 });
  expect(buttons.spin()).toBe("noCredit");
  update({ ...METERS, credit: 1_200 });
  buttons.spin();
  await answer("started");
  pass(500);
  buttons.spin();
  update({ ...METERS, credit: 0, gamesPlayed: 41 });
  expect(wishes).toHaveLength(1);
  expect(reels()).toEqual({ turning: false, queued: false });
});

test("a refusal stops the reels and drops the queued press; an unknown outcome leaves it to the meters", async () => {
  const { buttons, settled, answer, pass, reels, update } = panel();
  buttons.spin();
  pass(500);
  buttons.spin();
  await answer("changed");
  expect(settled).toEqual([{ outcome: "changed", button: "spin", pressedAt: 0 }]);
  expect(reels()).toEqual({ turning: false, queued: false });
  pass(500);
  buttons.spin();
  update({ ...METERS, inGame: true });
  await answer("unknown");
  expect(reels().turning).toBe(true);
  update({ ...METERS, gamesPlayed: 41 });
  expect(reels().turning).toBe(false);
});

test("a game without a reported end counts as over, unless the meters show that it runs", async () => {
  const { buttons, answer, pass, reels, update } = panel();
  buttons.spin();
  await answer("started");
  pass(8_000);
  expect(reels().turning).toBe(false);
  update({ ...METERS, inGame: true });
  pass(60_000);
  expect(reels().turning).toBe(true);
});

test("other buttons keep their own gap, do nothing while the reels turn, and a lost link drops the queued press", async () => {
  const { buttons, wishes, answer, pass, reels, update } = panel();
  expect([buttons.press("betUp"), buttons.press("betUp")]).toEqual(["sent", "idle"]);
  pass(60);
  expect(buttons.press("betUp")).toBe("sent");
  expect(buttons.press("nothing")).toBe("idle");
  buttons.spin();
  pass(500);
  expect([buttons.press("betUp"), buttons.press("attendant")]).toEqual(["idle", "sent"]);
  buttons.spin();
  buttons.forget();
  await answer("done");
  expect(reels()).toEqual({ turning: false, queued: false });
  update({ ...METERS, gamesPlayed: 41 });
  expect(wishes.filter(({ button }) => button === "spin")).toHaveLength(1);
});

test("R-9-14: the throttle is a floor under the machine's own gap between two wagers, which may be longer", async () => {
  const { buttons, answer, pass, seat, update } = panel();
  seat([{ id: "spin", label: "SPIN", kind: "wager", minGapMs: 900 }]);
  buttons.spin();
  await answer("started");
  update({ ...METERS, gamesPlayed: 41 });
  pass(899);
  expect([buttons.spin(), buttons.readyInMs()]).toEqual(["idle", 1]);
  pass(1);
  expect([buttons.readyInMs(), buttons.spin()]).toEqual([0, "sent"]);
});

test("in a bonus SPIN is the player's choice: it goes to the machine and queues no other game", async () => {
  const { buttons, wishes, answer, pass, reels, update } = panel();
  buttons.spin();
  await answer("started");
  update({ ...METERS, inGame: true, bonus: true, credit: 0 });
  pass(500);
  expect(buttons.spin()).toBe("sent");
  await answer("done");
  expect(wishes).toHaveLength(2);
  expect(reels()).toEqual({ turning: true, queued: false });
});

test("accepts a stop button only while the reels turn, and a second wager button plays as SPIN does", async () => {
  const { buttons, wishes, answer, pass, seat, update } = panel();
  const more: Button[] = [
    { id: "stop", label: "STOP", kind: "select", minGapMs: 0 },
    { id: "double", label: "DOUBLE", kind: "wager", minGapMs: 0 },
    { id: "collect", label: "COLLECT", kind: "collect", minGapMs: 0 },
  ];
  seat([...BUTTONS, ...more]);
  expect([buttons.press("stop"), buttons.press("collect")]).toEqual(["idle", "sent"]);
  await answer("done");
  expect(buttons.press("double")).toBe("sent");
  await answer("started");
  expect([buttons.press("stop"), buttons.press("betUp")]).toEqual(["sent", "idle"]);
  pass(500);
  expect(buttons.spin()).toBe("queued");
  update({ ...METERS, gamesPlayed: 41 });
  expect(wishes.map(({ button }) => button)).toEqual(["collect", "double", "stop", "spin"]);
});

test.each([
  ["a bonus wants a choice", { bonus: true }],
  ["the machine is locked", { lockup: "tilt" as const }],
  ["the stake is another", { bet: 600 }],
])("what was queued is not pressed when %s at the end of the game", async (_, end) => {
  const { buttons, wishes, pass, answer, reels, update } = panel();
  buttons.spin();
  await answer("started");
  pass(600);
  expect(buttons.spin()).toBe("queued");
  update({ ...METERS, ...end, gamesPlayed: 41 });
  expect(reels()).toEqual({ turning: false, queued: false });
  expect(wishes).toHaveLength(1);
});

test("a queued free spin needs no credit, and a press that left the queue is not sent", async () => {
  const { buttons, wishes, pass, answer, update } = panel();
  buttons.spin();
  await answer("started");
  pass(600);
  buttons.spin();
  update({ ...METERS, credit: 0, freeSpins: 3, gamesPlayed: 41 });
  expect(wishes).toHaveLength(2);
  await answer("started");
  pass(600);
  expect(buttons.spin()).toBe("queued");
  buttons.unqueue();
  update({ ...METERS, gamesPlayed: 42 });
  expect(wishes).toHaveLength(2);
});

const BANDS = [
  { id: "20", name: "0,20", Order: 2 },
  { id: "10", name: "0,10", Order: 1 },
];
const key = (id: string, kind: Button["kind"]): Button => ({ id, label: id.toUpperCase(), kind, minGapMs: 0 });
const ids = (buttons: readonly Button[]): string[] => buttons.map(({ id }) => id);

test("a full panel: every button has its place", () => {
  const selects = ["betDown", "betUp", "maxBet", "band:20", "band:10"].map((id) => key(id, "select"));
  const keys = sortButtons([key("spin", "wager"), ...selects, key("attendant", "service")], BANDS);
  expect([keys.wager?.id, keys.less?.id, keys.more?.id, keys.max?.id]).toEqual(["spin", "betDown", "betUp", "maxBet"]);
  expect([...keys.bands]).toEqual([
    ["20", selects[3]],
    ["10", selects[4]],
  ]);
  expect([ids(keys.others), ids(keys.services)]).toEqual([[], ["attendant"]]);
});

test("a panel with lines, a gamble, a collect and a stop, and without bands: they are drawn in the machine's order", () => {
  const keys = sortButtons(
    [
      key("lines", "select"),
      key("start", "wager"),
      key("collect", "collect"),
      key("gamble", "select"),
      key("stop", "select"),
    ],
    [],
  );
  expect(keys.wager?.id).toBe("start");
  expect(keys.more).toBeUndefined();
  expect(ids(keys.others)).toEqual(["lines", "collect", "gamble", "stop"]);
});

test("a panel with one button for each stake: the first is SPIN, the others are beside it; a band without a button has none", () => {
  const keys = sortButtons([key("bet5", "wager"), key("bet10", "wager"), key("betUp", "service")], BANDS);
  expect([keys.wager?.id, ids(keys.others), ids(keys.services), keys.bands.size]).toEqual([
    "bet5",
    ["bet10"],
    ["betUp"],
    0,
  ]);
  expect(sortButtons([], []).wager).toBeUndefined();
});

const RULES: GameRules = {
  ...{ minCycleMs: 2_500, autoplay: false, releaseToPress: true, winBelowStakePlain: true },
  check: { everyMin: 60, longestMin: 60, mayBeOff: false },
};

test("RTS 14D: SPIN waits for the rest of the least time, queues nothing, and is ready when that is over", async () => {
  const { buttons, rule, wishes, pass, answer, reels, update } = panel();
  rule({ rules: RULES });
  expect(buttons.spin()).toBe("sent");
  await answer("started");
  update({ ...METERS, inGame: true });
  pass(600);
  expect(buttons.spin(), "nothing in advance").toBe("idle");
  expect(reels()).toEqual({ turning: true, queued: false, cycle: undefined });
  pass(400);
  update({ ...METERS, gamesPlayed: 41 });
  expect(reels()).toEqual({ turning: false, queued: false, cycle: { leftMs: 1_500, wholeMs: 2_500 } });
  expect(buttons.spin()).toBe("idle");
  expect(buttons.readyInMs()).toBe(1_500);
  pass(1_499);
  expect(buttons.spin()).toBe("idle");
  pass(1);
  expect(reels().cycle).toBeUndefined();
  expect(buttons.spin()).toBe("sent");
  expect(wishes).toHaveLength(2);
});

test("SI 2025: a stake above the player's highest is not pressed, and the player reads why", () => {
  const { buttons, rule, wishes } = panel();
  rule({ rules: { ...RULES, maxStake: 1_199 } });
  expect(buttons.spin()).toBe("locked");
  expect(buttons.note.getState()).toBe("stakeAbove");
  rule({ rules: { ...RULES, maxStake: 1_200 } });
  expect(buttons.spin()).toBe("sent");
  expect(wishes).toHaveLength(1);
});

test("RTS 13B: from the moment that a reality check is due no game is begun; a choice in a bonus is made", () => {
  for (const state of ["due", "open"] as const) {
    const { buttons, rule, wishes, update } = panel();
    rule({ check: { state } });
    expect(buttons.spin()).toBe("idle");
    expect(wishes).toEqual([]);
    update({ ...METERS, inGame: true, bonus: true });
    expect(buttons.spin()).toBe("sent");
  }
});

test("RTS 8A: a press of autoplay says so, one of the player does not", () => {
  const { buttons, wishes, pass } = panel();
  buttons.spin(true);
  expect(wishes).toEqual([{ button: "spin", stake: 1_200, pressedAt: 0, auto: true }]);
  buttons.forget();
  pass(500);
  buttons.spin();
  expect(wishes[1]).not.toHaveProperty("auto");
});

test.each([
  ["reality check", "checkHolds"],
  ["limit reached", "limitHolds"],
  ["turn over", "turnHolds"],
  ["stake was above", "stakeHolds"],
  ["break", "breakHolds"],
  ["no autoplay", "noAutoplay"],
  ["picture too old", "unseen"],
  ["play not recorded", "unrecorded"],
  ["stakeAboveLimit", "stakeAbove"],
] as const)("a press that the agent refuses for %s says so", (reason, note) => {
  const { buttons } = panel();
  buttons.explain({ outcome: "refused", reason, button: "spin", pressedAt: 0 });
  expect(buttons.note.getState()).toBe(note);
});
