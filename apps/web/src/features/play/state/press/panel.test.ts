import type { Button, Meters } from "@longarm/contract/machine";
import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import type { PressTold } from "./panel.ts";
import { Panel } from "./panel.ts";
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
  const told: PressTold[] = [];
  const answers: ((result: PressResult) => void)[] = [];
  let now = 0;
  const keys = new Panel({
    timers,
    now: () => now,
    throttleMs: 500,
    send: (wish) => {
      wishes.push(wish);
      return new Promise((answer) => answers.push(answer));
    },
    told: (press) => told.push(press),
  });
  keys.begin(BUTTONS, { minCycleMs, minTransfer: 1, maxTransfer: 1, autoplay: true });
  keys.heard(METERS);
  const pass = (ms: number): void => {
    now += ms;
    timers.advance(ms);
  };
  const answer = async (outcome: PressResult["outcome"]): Promise<void> => {
    answers.shift()?.({ outcome });
    await Promise.resolve();
    await Promise.resolve();
  };
  return { keys, wishes, told, pass, answer, reels: () => keys.reels.getState() };
}

test("a game turns from the press until the meters say that it is complete", async () => {
  const { keys, wishes, answer, reels } = panel();
  expect(keys.spin()).toBe("sent");
  expect(wishes).toEqual([{ button: "spin", stake: 1_200, pressedAt: 0 }]);
  expect(reels()).toEqual({ turning: true, queued: false });
  await answer("started");
  keys.heard({ ...METERS, inGame: true, gamesPlayed: 40 });
  keys.heard({ ...METERS, inGame: false, gamesPlayed: 40 });
  expect(reels().turning).toBe(true);
  keys.heard({ ...METERS, gamesPlayed: 41 });
  expect(reels().turning).toBe(false);
});

test("meters that are faster than the answer end the game too", async () => {
  const { keys, answer, reels } = panel();
  keys.spin();
  keys.heard({ ...METERS, inGame: true });
  keys.heard({ ...METERS, gamesPlayed: 41 });
  expect(reels().turning).toBe(true);
  await answer("started");
  expect(reels().turning).toBe(false);
});

test("while the reels turn the next press is kept once and played when they stand, no sooner than the machine's cycle", async () => {
  const { keys, wishes, answer, pass, reels } = panel(2_500);
  keys.spin();
  await answer("started");
  pass(600);
  expect(keys.spin()).toBe("queued");
  pass(600);
  expect(keys.spin()).toBe("idle");
  keys.heard({ ...METERS, gamesPlayed: 41 });
  expect(wishes).toHaveLength(1);
  pass(1_300);
  expect(wishes).toHaveLength(2);
  expect(wishes[1]).toEqual({ button: "spin", stake: 1_200, pressedAt: 2_500 });
  expect(reels()).toEqual({ turning: true, queued: false });
});

test("R-9-14: two presses of SPIN within the throttle are one", () => {
  const { keys, wishes, pass } = panel();
  expect(keys.spin()).toBe("sent");
  pass(499);
  expect(keys.spin()).toBe("idle");
  pass(1);
  expect(keys.spin()).toBe("queued");
  expect(wishes).toHaveLength(1);
});

test("without credit nothing is sent, and a queued game is dropped when the credit is gone", async () => {
  const { keys, wishes, answer, pass, reels } = panel();
  keys.heard({ ...METERS, credit: 1_199 });
  expect(keys.spin()).toBe("noCredit");
  keys.heard({ ...METERS, credit: 1_200 });
  keys.spin();
  await answer("started");
  pass(500);
  keys.spin();
  keys.heard({ ...METERS, credit: 0, gamesPlayed: 41 });
  expect(wishes).toHaveLength(1);
  expect(reels()).toEqual({ turning: false, queued: false });
});

test("a refusal lets the reels stand and drops what was queued; an unknown outcome leaves it to the meters", async () => {
  const { keys, told, answer, pass, reels } = panel();
  keys.spin();
  pass(500);
  keys.spin();
  await answer("changed");
  expect(told).toEqual([{ outcome: "changed", button: "spin", pressedAt: 0 }]);
  expect(reels()).toEqual({ turning: false, queued: false });
  pass(500);
  keys.spin();
  keys.heard({ ...METERS, inGame: true });
  await answer("unknown");
  expect(reels().turning).toBe(true);
  keys.heard({ ...METERS, gamesPlayed: 41 });
  expect(reels().turning).toBe(false);
});

test("a game whose end nobody tells is let go, unless the meters say that it runs", async () => {
  const { keys, answer, pass, reels } = panel();
  keys.spin();
  await answer("started");
  pass(8_000);
  expect(reels().turning).toBe(false);
  keys.heard({ ...METERS, inGame: true });
  pass(60_000);
  expect(reels().turning).toBe(true);
});

test("other keys keep their own gap, do nothing while the reels turn, and a lost link forgets what was queued", async () => {
  const { keys, wishes, answer, pass, reels } = panel();
  expect([keys.press("betUp"), keys.press("betUp")]).toEqual(["sent", "idle"]);
  pass(60);
  expect(keys.press("betUp")).toBe("sent");
  expect(keys.press("nothing")).toBe("idle");
  keys.spin();
  pass(500);
  expect([keys.press("betUp"), keys.press("attendant")]).toEqual(["idle", "sent"]);
  keys.spin();
  keys.forget();
  await answer("done");
  expect(reels()).toEqual({ turning: false, queued: false });
  keys.heard({ ...METERS, gamesPlayed: 41 });
  expect(wishes.filter(({ button }) => button === "spin")).toHaveLength(1);
});

test("R-9-14: the throttle is a floor under the machine's own gap between two wagers, which may be longer", async () => {
  const { keys, answer, pass } = panel();
  keys.begin([{ id: "spin", label: "SPIN", kind: "wager", minGapMs: 900 }], undefined);
  keys.spin();
  await answer("started");
  keys.heard({ ...METERS, gamesPlayed: 41 });
  pass(899);
  expect([keys.spin(), keys.readyInMs()]).toEqual(["idle", 1]);
  pass(1);
  expect([keys.readyInMs(), keys.spin()]).toEqual([0, "sent"]);
});

test("in a bonus SPIN is the player's choice: it goes to the machine and asks for no other game", async () => {
  const { keys, wishes, answer, pass, reels } = panel();
  keys.spin();
  await answer("started");
  keys.heard({ ...METERS, inGame: true, bonus: true, credit: 0 });
  pass(500);
  expect(keys.spin()).toBe("sent");
  await answer("done");
  expect(wishes).toHaveLength(2);
  expect(reels()).toEqual({ turning: true, queued: false });
});

test("a stop key is taken only while the reels turn, and a second wager key plays as SPIN does", async () => {
  const { keys, wishes, answer, pass } = panel();
  const more: Button[] = [
    { id: "stop", label: "STOP", kind: "select", minGapMs: 0 },
    { id: "double", label: "DOUBLE", kind: "wager", minGapMs: 0 },
    { id: "collect", label: "COLLECT", kind: "collect", minGapMs: 0 },
  ];
  keys.begin([...BUTTONS, ...more], undefined);
  expect([keys.press("stop"), keys.press("collect")]).toEqual(["idle", "sent"]);
  await answer("done");
  expect(keys.press("double")).toBe("sent");
  await answer("started");
  expect([keys.press("stop"), keys.press("betUp")]).toEqual(["sent", "idle"]);
  pass(500);
  expect(keys.spin()).toBe("queued");
  keys.heard({ ...METERS, gamesPlayed: 41 });
  expect(wishes.map(({ button }) => button)).toEqual(["collect", "double", "stop", "spin"]);
});

test.each([
  ["a bonus wants a choice", { bonus: true }],
  ["the machine is locked", { lockup: "tilt" as const }],
  ["the stake is another", { bet: 600 }],
])("what was queued is not pressed when %s at the end of the game", async (_, end) => {
  const { keys, wishes, pass, answer, reels } = panel();
  keys.spin();
  await answer("started");
  pass(600);
  expect(keys.spin()).toBe("queued");
  keys.heard({ ...METERS, ...end, gamesPlayed: 41 });
  expect(reels()).toEqual({ turning: false, queued: false });
  expect(wishes).toHaveLength(1);
});

test("a queued free spin needs no credit, and nothing is pressed that was taken out of the queue", async () => {
  const { keys, wishes, pass, answer } = panel();
  keys.spin();
  await answer("started");
  pass(600);
  keys.spin();
  keys.heard({ ...METERS, credit: 0, freeSpins: 3, gamesPlayed: 41 });
  expect(wishes).toHaveLength(2);
  await answer("started");
  pass(600);
  expect(keys.spin()).toBe("queued");
  keys.unqueue();
  keys.heard({ ...METERS, gamesPlayed: 42 });
  expect(wishes).toHaveLength(2);
});
