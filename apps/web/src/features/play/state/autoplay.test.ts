import type { Meters } from "@longarm/contract/machine";
import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import type { AutoplayEnd, AutoplayPlan } from "./autoplay.ts";
import { AUTOPLAY_ENDS, Autoplay, FIRST_PLAN, REST_AFTER_WIN_MS, REST_MS, UNPLAYABLE_MS_MAX } from "./autoplay.ts";
import type { Pressed, Reels } from "./panel.ts";
import type { PlayState } from "./play-state.ts";
import { FIRST_STATE } from "./play-state.ts";
import { initAnswer, METERS, playAgainstFake } from "./testing/fake-platform.ts";

const ENDLESS: AutoplayPlan = { ...FIRST_PLAN, games: undefined };

/** After this the socket gives up waiting for an answer. */
const UNANSWERED_MS = 15_000;

/** A seat whose games a test ends by hand. */
async function seated() {
  const play = playAgainstFake();
  await play.settle();
  let meters: Meters = METERS;
  const report = async (part: Partial<Meters>): Promise<void> => {
    meters = { ...meters, ...part };
    play.peer()?.notify("meters", meters);
    await play.settle();
  };
  const { autoplay } = play.session;
  return {
    ...play,
    autoplay,
    report,
    /** The game that runs is complete. */
    complete: (part: Partial<Meters> = {}) =>
      report({ inGame: false, win: 0, gamesPlayed: meters.gamesPlayed + 1, ...part }),
    presses: () => play.methods("press").length,
    on: () => autoplay.state.getState().on,
    ended: () => autoplay.ended.getState(),
  };
}

async function running(plan: AutoplayPlan = ENDLESS) {
  const play = await seated();
  expect(play.autoplay.start(plan)).toBe(true);
  await play.pass(0);
  expect(play.presses()).toBe(1);
  return play;
}

test("one press for each completed game, with the count left, until it is done", async () => {
  const { autoplay, complete, pass, presses, report, methods, ended } = await running({ ...FIRST_PLAN, games: 3 });
  expect(autoplay.state.getState()).toMatchObject({ on: true, left: 2, total: 3 });
  await report({ inGame: true });
  await pass(60_000);
  expect(presses()).toBe(1);
  await complete();
  await pass(REST_MS - 1);
  expect(presses()).toBe(1);
  await report({});
  await pass(1);
  expect(presses()).toBe(2);
  await complete({ win: 100 });
  await pass(REST_AFTER_WIN_MS - 1);
  expect(presses()).toBe(2);
  await pass(1);
  expect(autoplay.state.getState()).toMatchObject({ on: true, left: 0, total: 3 });
  await complete();
  expect([autoplay.state.getState().on, ended()]).toEqual([false, "done"]);
  await pass(60_000);
  expect(methods("press")).toMatchObject([{ stake: 1_200 }, { stake: 1_200 }, { stake: 1_200 }]);
});

test("until the player stops: SPIN is STOP, the running game is played to its end, and the reason is the player's stop", async () => {
  const { session, autoplay, complete, pass, presses, on, ended } = await running();
  expect(autoplay.state.getState()).toMatchObject({ on: true, left: undefined, total: undefined });
  for (let game = 0; game < 3; game += 1) {
    await complete();
    await pass(1_000);
  }
  expect(presses()).toBe(4);
  expect(session.spin()).toBe("stopped");
  expect([on(), ended(), session.reels.getState().turning]).toEqual([false, "player", true]);
  await complete();
  await pass(60_000);
  expect(presses()).toBe(4);
});

test("begins when the reels are at rest, after a game that the player started by hand", async () => {
  const { session, autoplay, complete, pass, presses } = await seated();
  session.spin();
  await pass(500);
  expect(session.spin()).toBe("queued");
  autoplay.start({ ...FIRST_PLAN, games: 1 });
  await complete();
  expect(presses()).toBe(2);
  await complete();
  await pass(1_000);
  expect(presses()).toBe(3);
  expect(autoplay.state.getState().left).toBe(0);
});

// player, missing for a casino player: limits of autoplay in money.
test.each([
  ["a win above the chosen amount", { winAbove: 12_000 }, { win: 12_001 }, "win"],
  ["any win", { winAbove: 0 }, { win: 1 }, "win"],
  ["credit below the chosen floor", { creditBelow: 400_000 }, { credit: 399_999 }, "credit"],
  ["credit above the chosen top", { creditAbove: 500_000 }, { credit: 500_001 }, "creditAbove"],
  ["a loss that reaches the chosen amount", { lossReaches: 90_000 }, { credit: 392_050 }, "loss"],
  ["a loss that the next stake could pass", { lossReaches: 90_000 }, { credit: 393_249 }, "loss"],
] as const)("a stop rule ends it: %s", async (_name, rule, meters, why) => {
  const { complete, pass, presses, ended } = await running({ ...ENDLESS, ...rule });
  await complete({ win: 0, credit: 400_000 });
  await pass(1_000);
  expect(presses()).toBe(2);
  await complete(meters);
  await pass(60_000);
  expect([ended(), presses()]).toEqual([why, 2]);
});

test("a win of exactly the multiple is not above it", async () => {
  const { complete, pass, presses } = await running({ ...ENDLESS, winAbove: 12_000 });
  await complete({ win: 12_000 });
  await pass(REST_AFTER_WIN_MS);
  expect(presses()).toBe(2);
});

test.each([
  ["a bonus that asks the player", { inGame: true, bonus: true }, "bonus"],
  ["a hand pay", { handPay: { id: "hp_1", amount: 5_000_000, kind: "win" }, lockup: "handPay" }, "handPay"],
  ["a machine that is locked", { lockup: "door" }, "locked"],
  ["a stake that changed", { bet: 2_400 }, "stake"],
] as const)("%s ends it at once", async (_name, meters, why) => {
  const { report, complete, pass, presses, ended } = await running();
  await report(meters);
  expect(ended()).toBe(why);
  await complete({ bonus: false });
  await pass(60_000);
  expect(presses()).toBe(1);
});

test("free spins that play by themselves go on, unless the player chose to stop at them", async () => {
  const going = await running();
  await going.report({ inGame: true, freeSpins: 8 });
  await going.complete({ freeSpins: 0, win: 100 });
  await going.pass(REST_AFTER_WIN_MS);
  expect(going.presses()).toBe(2);
  const stopping = await running({ ...ENDLESS, atFreeSpins: true });
  await stopping.report({ inGame: true, freeSpins: 8 });
  expect(stopping.ended()).toBe("freeSpins");
});

test("a link too poor to play over pauses it for a moment, and ends it when it stays poor", () => {
  const timers = fakeTimers();
  const { limits } = initAnswer(1);
  const state = createStore<PlayState>(() => ({
    ...FIRST_STATE,
    phase: "playing",
    online: true,
    limits,
    meters: METERS,
  }));
  const reels = createStore<Reels>(() => ({ turning: false, queued: false, cycle: undefined }));
  let presses = 0;
  const spin = (): Pressed => {
    presses += 1;
    reels.setState({ turning: true });
    return "sent";
  };
  const autoplay = new Autoplay(timers, state, { reels, spin, readyInMs: () => 0 });
  autoplay.start(ENDLESS);
  timers.advance(0);
  expect(presses).toBe(1);
  state.setState({ playable: false, meters: { ...METERS, gamesPlayed: 41 } });
  reels.setState({ turning: false });
  timers.advance(UNPLAYABLE_MS_MAX - 1);
  expect([presses, autoplay.state.getState().on]).toEqual([1, true]);
  state.setState({ playable: true });
  timers.advance(REST_MS);
  expect(presses).toBe(2);
  timers.advance(UNPLAYABLE_MS_MAX);
  expect(autoplay.state.getState().on).toBe(true);
  state.setState({ playable: false, meters: { ...METERS, gamesPlayed: 42 } });
  reels.setState({ turning: false });
  timers.advance(UNPLAYABLE_MS_MAX);
  expect([presses, autoplay.ended.getState()]).toEqual([2, "link"]);
  autoplay.end();
  expect(timers.waiting).toBe(0);
});

test("waits again after a timer that ends too early, instead of treating it as a refusal", () => {
  const timers = fakeTimers();
  const { limits } = initAnswer(1);
  const state = createStore<PlayState>(() => ({
    ...FIRST_STATE,
    phase: "playing",
    online: true,
    limits,
    meters: METERS,
  }));
  const reels = createStore<Reels>(() => ({ turning: false, queued: false, cycle: undefined }));
  let presses = 0;
  let readyInMs = 0.2;
  const spin = (): Pressed => {
    presses += 1;
    return readyInMs > 0 ? "idle" : "sent";
  };
  const autoplay = new Autoplay(timers, state, { reels, spin, readyInMs: () => readyInMs });
  autoplay.start(ENDLESS);
  timers.advance(1);
  expect([presses, autoplay.state.getState().on]).toEqual([0, true]);
  readyInMs = 0;
  timers.advance(1);
  expect([presses, autoplay.state.getState().on]).toEqual([1, true]);
});

test("a lost socket and a lost agent end it, and it does not come back by itself", async () => {
  const socket = await running();
  socket.peer()?.close(1012, "restart");
  await socket.settle();
  expect(socket.ended()).toBe("link");
  await socket.pass(1_000);
  expect(socket.session.state.getState().online).toBe(true);
  await socket.pass(60_000);
  expect(socket.presses()).toBe(1);
  const agent = await running();
  agent.peer()?.notify("agent", { connected: false });
  await agent.settle();
  expect(agent.ended()).toBe("link");
});

test("without credit for the next game it ends, and a press that the machine did not play ends it with one sentence", async () => {
  const poor = await running();
  await poor.complete({ credit: 1_199 });
  await poor.pass(REST_MS + 500);
  expect([poor.ended(), poor.presses()]).toEqual(["noCredit", 1]);
  const changed = await running();
  await changed.complete();
  changed.answers.press = "changed";
  await changed.pass(1_000);
  expect([changed.ended(), changed.session.panel.note.getState()]).toEqual(["stake", undefined]);
  changed.autoplay.clearEnded();
  expect(changed.ended()).toBeUndefined();
});

test("without an answer to a press the machine's counter decides: autoplay goes on after a counted game and ends otherwise", async () => {
  const { answers, complete, report, pass, presses, ended } = await running();
  await complete();
  answers.press = "silence";
  await pass(500);
  expect(presses()).toBe(2);
  await report({ inGame: true });
  await pass(UNANSWERED_MS);
  await complete();
  expect(ended()).toBeUndefined();
  await pass(500);
  expect(presses()).toBe(3);
  await pass(UNANSWERED_MS);
  expect([presses(), ended()]).toEqual([3, "refused"]);
});

test("R-4.4-08: a money transfer ends autoplay, and the player reads it", async () => {
  const { session, on, ended, pass, presses } = await running();
  expect(session.transferMoney("cashIn", 50_000)).toBe(true);
  expect([on(), ended()]).toEqual([false, "transfer"]);
  await pass(60_000);
  expect(presses()).toBe(1);
});

test("does not begin in a market without autoplay", async () => {
  const play = await seated();
  const init = play.answers.init;
  play.answers.init = () => {
    const answer = init();
    if (answer.is !== "done" || answer.data.limits === undefined) throw new Error("no seat");
    return { ...answer, data: { ...answer.data, limits: { ...answer.data.limits, autoplay: false } } };
  };
  play.peer()?.close(1012, "restart");
  await play.pass(1_000);
  expect(play.session.state.getState()).toMatchObject({ online: true, limits: { autoplay: false } });
  expect(play.autoplay.start(ENDLESS)).toBe(false);
  expect(play.ended()).toBe("forbidden");
});

test("R-4.4-01, R-4.4-03, R-4.4-04, R-4.4-05, R-4.4-06: another entry begins from nothing", async () => {
  const first = playAgainstFake();
  const init = first.answers.init;
  first.answers.init = () => {
    const answer = init();
    if (answer.is !== "done") throw new Error("no seat");
    return { ...answer, data: { ...answer.data, machine: { ...answer.data.machine, layout: "wide" } } };
  };
  await first.settle();
  const { autoplay } = first.session;
  autoplay.start(ENDLESS);
  const machine1 = { videoType: "screen", layout: "wide" };
  expect(first.session.state.getState()).toMatchObject({ phase: "playing", machine: machine1 });
  expect(autoplay.state.getState().on).toBe(true);
  first.scope.end();
  expect([autoplay.state.getState().on, autoplay.ended.getState(), first.waiting()]).toEqual([false, undefined, 0]);
  const second = playAgainstFake();
  const { phase, machine, bands, buttons, limits } = second.session.state.getState();
  // The machine carries the video type and the layout; the screen says that it opens while the phase is `opening`.
  expect({ phase, machine, bands, buttons, limits }).toEqual({
    phase: "opening",
    machine: undefined,
    bands: [],
    buttons: [],
    limits: undefined,
  });
  expect(second.session.autoplay.state.getState().on).toBe(false);
});

// player, missing for a casino player: limits of autoplay in money.
test("what may still be lost is shown, a win gives it back, and a limit below the stake begins nothing", async () => {
  const { autoplay, complete, pass, on } = await running({ ...ENDLESS, lossReaches: 10_000 });
  expect(autoplay.state.getState().lossLeft).toBe(10_000);
  await complete({ credit: METERS.credit - 1_200 });
  await pass(1_000);
  expect(autoplay.state.getState().lossLeft).toBe(8_800);
  await complete({ credit: METERS.credit + 5_000, win: 7_400 });
  await pass(2_000);
  expect(autoplay.state.getState().lossLeft).toBe(15_000);
  autoplay.stop("player");
  expect(autoplay.start({ ...ENDLESS, lossReaches: 1_199 })).toBe(false);
  expect(on()).toBe(false);
});

// player 15
test("player 15: a seat that is lost and taken again in the middle of a game ends it with a reason", async () => {
  const { peers, pass, ended, on } = await running();
  peers.at(-1)?.close(1012, "restart");
  await pass(5_000);
  expect([on(), ended()]).toEqual([false, "link"]);
});

type Seated = Awaited<ReturnType<typeof running>>;

/** For each reason a way there from a running autoplay, or from one that does not begin. */
const WAYS = {
  done: async () => {
    const play = await running({ ...ENDLESS, games: 1 });
    await play.complete();
    return play;
  },
  win: () => after({ winAbove: 0 }, (play) => play.complete({ win: 1 })),
  loss: () => after({ lossReaches: 2_000 }, (play) => play.complete({ credit: METERS.credit - 1_200 })),
  credit: () => after({ creditBelow: 400_000 }, (play) => play.complete({ credit: 399_999 })),
  creditAbove: () => after({ creditAbove: 500_000 }, (play) => play.complete({ credit: 500_001 })),
  noCredit: () =>
    after({}, async (play) => {
      await play.complete({ credit: 1_199 });
      await play.pass(1_000);
    }),
  bonus: () => after({}, (play) => play.report({ inGame: true, bonus: true })),
  freeSpins: () => after({ atFreeSpins: true }, (play) => play.report({ inGame: true, freeSpins: 8 })),
  stake: () => after({}, (play) => play.report({ bet: 2_400 })),
  handPay: () => after({}, (play) => play.report({ handPay: { id: "hp_1", amount: 5_000_000, kind: "win" } })),
  locked: () => after({}, (play) => play.report({ lockup: "tilt" })),
  link: () =>
    after({}, async (play) => {
      play.peer()?.close(1012, "restart");
      await play.settle();
    }),
  // What the page does when it is hidden (open-session.ts).
  hidden: () => after({}, async (play) => play.autoplay.stop("hidden")),
  transfer: () => after({}, async (play) => void play.session.transferMoney("cashIn", 50_000)),
  refused: () =>
    after({}, async (play) => {
      await play.complete();
      play.answers.press = "refused";
      await play.pass(1_000);
    }),
  player: () => after({}, async (play) => void play.session.spin()),
  leaving: () =>
    after({}, async (play) => {
      play.answers.leave = () => new Promise(() => {});
      play.session.leave();
      await play.settle();
    }),
  forbidden: async () => {
    const play = await seated();
    const { init } = play.answers;
    play.answers.init = () => {
      const answer = init();
      if (answer.is !== "done" || answer.data.limits === undefined) throw new Error("no seat");
      return { ...answer, data: { ...answer.data, limits: { ...answer.data.limits, autoplay: false } } };
    };
    play.peer()?.close(1012, "restart");
    await play.pass(1_000);
    play.autoplay.start(ENDLESS);
    return play;
  },
  check: () =>
    after({}, async ({ peer, settle }) => {
      peer()?.notify("check", { state: "due" });
      await settle();
    }),
} satisfies Record<AutoplayEnd, () => Promise<Seated>>;

async function after(plan: Partial<AutoplayPlan>, happens: (play: Seated) => Promise<unknown>): Promise<Seated> {
  const play = await running({ ...ENDLESS, ...plan });
  await happens(play);
  return play;
}

test.each(AUTOPLAY_ENDS)("player 15: autoplay that stops by %s has it as its reason", async (why) => {
  const play = await WAYS[why]();
  expect([play.on(), play.ended()]).toEqual([false, why]);
});

test.each([
  ["before the machine has told its meters", "link", async (play: ReturnType<typeof playAgainstFake>) => play],
  [
    "at a machine that is locked",
    "locked",
    async (play: ReturnType<typeof playAgainstFake>) => {
      await play.settle();
      play.peer()?.notify("meters", { ...METERS, lockup: "door" });
      await play.settle();
      return play;
    },
  ],
] as const)("player 15: autoplay that does not begin says why too: %s", async (_when, why, ready) => {
  const { session } = await ready(playAgainstFake());
  expect([session.autoplay.start(ENDLESS), session.autoplay.ended.getState()]).toEqual([false, why]);
});
