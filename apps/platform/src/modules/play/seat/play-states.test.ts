import { MACHINE_STATUS, SESSION_STATUSES } from "@longarm/contract/lobby-lists";
import { describe, expect, test } from "vitest";
import { PLAY_STATES } from "../tables.ts";
import type { SeatFacts } from "./play-states.ts";
import { decide, defaultPlayTimes, homeState, PLAY_EVENTS, playStates, rowOfState } from "./play-states.ts";

const meters = {
  credit: 0,
  bet: 100,
  win: 0,
  freeSpins: 0,
  bonus: false,
  gamesPlayed: 7,
  activeBand: "1",
  inGame: false,
};
const calm: SeatFacts = {
  holder: true,
  agent: true,
  unknownTransfer: false,
  credit: 500,
  meters,
  ending: null,
  checked: false,
};
const handPay = { id: "hp_1", amount: 100_000, kind: "win" } as const;

/** Every combination of the facts that a state may depend on. */
const allFacts: SeatFacts[] = [true, false].flatMap((holder) =>
  [true, false].flatMap((agent) =>
    [true, false].flatMap((unknownTransfer) =>
      [0, 500].flatMap((credit) =>
        [null, "left" as const].flatMap((ending) =>
          [
            meters,
            { ...meters, inGame: true },
            { ...meters, inGame: true, bonus: true },
            { ...meters, handPay, lockup: "handPay" as const },
            { ...meters, lockup: "door" as const },
          ].map((shown) => ({ holder, agent, unknownTransfer, credit, ending, meters: shown, checked: false })),
        ),
      ),
    ),
  ),
);

describe("the table of states", () => {
  test("decides every event in every state, under all facts", () => {
    for (const state of PLAY_STATES)
      for (const event of PLAY_EVENTS)
        for (const facts of allFacts) {
          const decision = decide(state, event, facts);
          if (decision.is === "refused") expect(["sit", "input", "playerEnds", "houseEnds"]).toContain(event);
          else expect(PLAY_STATES).toContain(decision.state);
        }
  });

  test("a seat becomes free only when it is settled", () => {
    for (const state of PLAY_STATES.filter((one) => one !== "free"))
      for (const event of PLAY_EVENTS)
        for (const facts of allFacts) {
          const decision = decide(state, event, facts);
          if (decision.is !== "next" || decision.state !== "free") continue;
          expect(event).toBe("settled");
          expect(["ending", "agentAway"]).toContain(state);
        }
  });

  test("a free seat is left only by sitting down", () => {
    for (const event of PLAY_EVENTS.filter((one) => one !== "sit"))
      expect(decide("free", event, calm)).not.toMatchObject({ state: expect.not.stringMatching("^free$") });
  });

  test("once a play session has to end, nothing takes that back, and the first reason holds", () => {
    for (const state of PLAY_STATES.filter((one) => one !== "free"))
      for (const event of PLAY_EVENTS.filter((one) => one !== "settled")) {
        const decision = decide(state, event, { ...calm, ending: "idle" }, "banned");
        if (decision.is === "next") expect(decision.ending).toBe("idle");
      }
  });

  test("no money and no press of the player outside the states that allow them", () => {
    const open = PLAY_STATES.filter((state) => playStates[state].cashIn === true);
    expect(open).toEqual(["seated", "playing", "idling"]);
    expect(PLAY_STATES.filter((state) => playStates[state].press === true)).toEqual([...open, "inGame", "inBonus"]);
    expect(PLAY_STATES.filter((state) => playStates[state].cashOut === true)).toEqual([...open, "fault"]);
  });

  test("times, statuses and words are of the lists of the wire", () => {
    for (const state of PLAY_STATES) {
      const row = playStates[state];
      if (row.after !== undefined) expect(defaultPlayTimes[row.after]).toBeGreaterThan(0);
      if (row.count !== undefined) expect(row.after).toBeDefined();
      if (row.status !== "holder") expect(Object.values(MACHINE_STATUS)).toContain(row.status);
      if (row.session !== null) expect(SESSION_STATUSES).toContain(row.session);
    }
    expect(Object.fromEntries(PLAY_STATES.map((state) => [state, playStates[state].status]))).toMatchObject({
      seated: 3,
      playing: 3,
      inGame: 3,
      inBonus: 3,
      waiting: 2,
      bonusWaiting: 2,
      fault: 0,
      free: 1,
    });
  });
});

describe("the way through a play session", () => {
  const walk: [
    from: (typeof PLAY_STATES)[number],
    event: (typeof PLAY_EVENTS)[number],
    Partial<SeatFacts>,
    to: string,
  ][] = [
    ["free", "sit", { credit: 0 }, "seated"],
    ["seated", "credited", {}, "playing"],
    ["seated", "timeUp", { credit: 0 }, "ending"],
    ["seated", "holderGone", { holder: false, credit: 0 }, "waiting"],
    ["playing", "gameStarted", { meters: { ...meters, inGame: true } }, "inGame"],
    ["playing", "timeUp", {}, "idling"],
    ["playing", "holderGone", { holder: false }, "waiting"],
    ["playing", "emptied", { credit: 0 }, "seated"],
    ["idling", "input", {}, "playing"],
    ["idling", "timeUp", {}, "ending"],
    ["inGame", "gameEnded", {}, "playing"],
    ["inGame", "bonusStarted", { meters: { ...meters, inGame: true, bonus: true } }, "inBonus"],
    ["inGame", "houseEnds", { meters: { ...meters, inGame: true } }, "draining"],
    ["inBonus", "bonusEnded", { meters: { ...meters, inGame: true } }, "inGame"],
    ["inBonus", "holderGone", { holder: false, meters: { ...meters, inGame: true, bonus: true } }, "bonusWaiting"],
    ["waiting", "holderBack", {}, "playing"],
    ["waiting", "timeUp", { holder: false }, "ending"],
    ["bonusWaiting", "holderBack", { meters: { ...meters, inGame: true, bonus: true } }, "inBonus"],
    ["bonusWaiting", "bonusEnded", { holder: false }, "ending"],
    ["draining", "gameEnded", { ending: "banned" }, "ending"],
    ["ending", "transferUnknown", { ending: "left", unknownTransfer: true }, "transferUnknown"],
    ["transferUnknown", "transferDecided", { ending: "left" }, "ending"],
    ["transferUnknown", "transferDecided", {}, "playing"],
    ["playing", "handPayPending", { meters: { ...meters, handPay } }, "handPay"],
    ["handPay", "handPayReset", {}, "playing"],
    ["playing", "fault", { meters: { ...meters, lockup: "door" } }, "fault"],
    ["fault", "repaired", {}, "playing"],
    ["playing", "agentGone", { agent: false }, "agentAway"],
    ["agentAway", "agentBack", {}, "playing"],
    ["agentAway", "agentBack", { holder: false }, "waiting"],
    ["agentAway", "playerEnds", { agent: false }, "agentAway"],
    ["ending", "settled", { ending: "left" }, "free"],
    ["idling", "checkMoved", { checked: true }, "playing"],
    ["inGame", "checkMoved", { meters: { ...meters, inGame: true } }, "inGame"],
  ];

  test.each(walk)("%s, %s → %o %s", (from, event, change, state) => {
    expect(decide(from, event, { ...calm, ...change })).toMatchObject({ is: "next", state });
  });

  test.each([
    ["inGame", "playerEnds", "game.in_progress"],
    ["inBonus", "playerEnds", "game.in_progress"],
    ["handPay", "playerEnds", "machine.locked"],
    ["playing", "sit", "seat.taken"],
    ["free", "playerEnds", "session.terminated"],
  ] as const)("%s refuses %s with %s", (state, event, problem) => {
    expect(decide(state, event, calm)).toEqual({ is: "refused", problem });
  });

  test("a time goes on when the state stays, unless the player did something", () => {
    expect(decide("playing", "input", calm)).toMatchObject({ state: "playing", restart: true });
    // Nobody is there: a panel that changes by itself, or a passer-by's hand, keeps no seat for ever.
    for (const state of ["waiting", "bonusWaiting", "agentAway", "transferUnknown"] as const)
      expect(decide(state, "input", { ...calm, holder: false })).toMatchObject({ state, restart: false });
    expect(decide("waiting", "gameEnded", { ...calm, holder: false })).toMatchObject({
      state: "waiting",
      restart: false,
    });
    expect(decide("idling", "gameEnded", calm)).toMatchObject({ state: "playing", restart: true });
  });

  test("the gravest fact decides where a seat is", () => {
    const everything: SeatFacts = {
      holder: false,
      agent: false,
      unknownTransfer: true,
      credit: 0,
      ending: "left",
      checked: false,
      meters: { ...meters, handPay, lockup: "handPay", inGame: true },
    };
    expect(homeState(everything)).toBe("agentAway");
    expect(homeState({ ...everything, agent: true })).toBe("transferUnknown");
    expect(homeState({ ...everything, agent: true, unknownTransfer: false })).toBe("handPay");
  });
});

// maintainer 6.5: one seat in a state of a newer node ended the whole round of leases.
test("a state that only a newer node knows is left alone, whatever happens", () => {
  const state = "aStateOfTomorrow" as (typeof PLAY_STATES)[number];
  expect(rowOfState(state)).toMatchObject({ status: MACHINE_STATUS.notAvailable, press: "machine.not_available" });
  for (const event of PLAY_EVENTS)
    expect(decide(state, event, calm), event).toEqual({ is: "refused", problem: "machine.not_available" });
  for (const known of PLAY_STATES) expect(rowOfState(known)).toBe(playStates[known]);
});
