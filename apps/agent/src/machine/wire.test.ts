import { AgentMachine } from "@longarm/contract/agent-link";
import { MachineTotals, Meters } from "@longarm/contract/machine";
import { expect, test } from "vitest";
import { MachineReport } from "../journal/records.ts";
import type { EgmEventBody, EgmMeters } from "../ports/egm.ts";
import { fakeMachine } from "../testing/fake-machine.ts";
import {
  egmEventName,
  egmEventOf,
  wireEvent,
  wireJackpots,
  wireMachine,
  wireMeters,
  wireState,
  wireTotals,
} from "./wire.ts";

const egm = fakeMachine().connect();
const meters = await egm.meters();
const handPay = { id: "hp_1", amount: 6_000_000, kind: "jackpot" as const, jackpot: "GRAND", gameNumber: 7 };
const game = { gameNumber: 7, stake: 100, win: 50, handPaid: 0, before: 500, after: 450, freeSpins: 0, bonus: false };

const bodies: [EgmEventBody, object][] = [
  [
    { what: "gameStarted", gameNumber: 7, stake: 100, before: 500, startedAt: 1 },
    { phase: "started", gameNumber: 7 },
  ],
  [
    { what: "gameEnded", ...game, startedAt: 1, endedAt: 2 },
    { phase: "ended", game: { after: 450, endedAt: "1970-01-01T00:00:00.002Z" } },
  ],
  [{ what: "doorOpened" }, { kind: "doorOpened" }],
  [{ what: "doorClosed" }, { kind: "doorClosed" }],
  [
    { what: "tilt", code: "coin jam" },
    { kind: "tilt", name: "coin jam" },
  ],
  [{ what: "tiltCleared" }, { kind: "tiltCleared" }],
  [
    { what: "handPay", handPay },
    { kind: "handPayPending", amount: 6_000_000, handPay: { id: "hp_1", kind: "jackpot" } },
  ],
  [
    { what: "handPayReset", handPay },
    { kind: "handPayReset", name: "GRAND" },
  ],
  [
    { what: "jackpot", jackpot: "MINI", amount: 5, gameNumber: 7 },
    { kind: "jackpot", name: "MINI", amount: 5 },
  ],
  [{ what: "bonusStarted", gameNumber: 7 }, { kind: "bonusStarted" }],
  [
    { what: "bonusEnded", gameNumber: 7, win: 9 },
    { kind: "bonusEnded", amount: 9 },
  ],
  [{ what: "powerUp" }, { kind: "powerUp" }],
  [
    { what: "transferComplete", transferId: "tr_00000001", direction: "cashIn", amount: 5 },
    { kind: "transferComplete", amount: 5 },
  ],
  [
    { what: "eventsLost", count: 3 },
    { kind: "eventsLost", name: "3 events" },
  ],
];

test.each(bodies)("%o goes over the link as the contract has it", (body, expected) => {
  const place = { machineId: "nar-01", seq: 4, seat: { epoch: 2, playSessionId: "ps_1" }, meters };
  const told = wireEvent({ seq: 9, at: 5, priority: false, ...body }, place);
  expect(told).toMatchObject({ machineId: "nar-01", seq: 4, epoch: 2, playSessionId: "ps_1", ...expected });
  expect(MachineReport.safeParse(told).error).toBeUndefined();
});

test("what the meters tell anyway is not told as an event", () => {
  const place = { machineId: "nar-01", seq: 4, seat: undefined, meters };
  expect(wireEvent({ seq: 9, at: 5, priority: false, what: "metersChanged" }, place)).toBeUndefined();
});

test("a machine whose memory was replaced counts anew, and its events are not taken for known ones", () => {
  const first = { seq: 1, at: 5, priority: false, what: "powerUp" } as const;
  expect(egmEventName(first)).not.toBe(egmEventName({ ...first, at: 6 }));
});

test.each<[string, Partial<EgmMeters>]>([
  ["idle", {}],
  ["inGame", { inGame: true }],
  ["inBonus", { inGame: true, bonus: true }],
  ["inBonus", { inGame: true, freeSpins: 3 }],
  ["locked", { inGame: true, lockup: "door" }],
  ["locked", { lockup: "handPay" }],
  ["disabled", { lockup: "disabled" }],
])("is %s with %o", (state, more) => {
  expect(wireState({ ...meters, ...more })).toBe(state);
});

test("hello has the machine as the contract wants it, jackpots largest first", () => {
  const machine = wireMachine(egm.description, { videoType: "camera" }, meters, 12);
  expect(AgentMachine.safeParse(machine).error).toBeUndefined();
  expect(machine).toMatchObject({ id: "nar-01", epoch: 12, denomination: 1, state: "idle" });
  expect(machine.jackpots?.map(({ name }) => name)).toEqual(["GRAND", "MINI"]);
});

// maintainer 6.8
test("bills, tickets and cancelled credits reach the platform as the machine counted them", () => {
  const other = { billsIn: 4_000, ticketsIn: 1_000, ticketsOut: 300, cancelledOut: 400 };
  const totals = { ...meters.totals, otherInTotal: 5_000, otherOutTotal: 700, other };
  expect(MachineTotals.parse(wireTotals(totals))).toMatchObject({ otherIn: 5_000, otherOut: 700, other });
  expect(wireTotals(meters.totals)).not.toHaveProperty("other");
});

test("kinds of credit and each of several hand pays reach the platform; what is plain stays short", () => {
  const credit = 700;
  const kinds = { cashable: credit, restricted: 0, nonRestricted: 0 };
  expect(wireMeters({ ...meters, credit, kinds })).not.toHaveProperty("kinds");
  const promoted = { cashable: 200, restricted: 500, nonRestricted: 0 };
  expect(Meters.parse(wireMeters({ ...meters, credit, kinds: promoted })).kinds).toEqual(promoted);
  const [first, second] = [
    { id: "hp-1", amount: 5_000, kind: "win" as const },
    { id: "hp-2", amount: 900, kind: "cancelledCredits" as const },
  ];
  expect(wireMeters({ ...meters, handPays: [first] })).toMatchObject({ handPay: first });
  expect(wireMeters({ ...meters, handPays: [first] })).not.toHaveProperty("handPays");
  const both = Meters.parse(wireMeters({ ...meters, handPays: [first, second] }));
  expect(both).toMatchObject({ handPay: first, handPays: [first, second] });
});

test("what a machine does not say is absent on the wire, never a zero", () => {
  const { bet: _bet, win: _win, freeSpins: _free, bonus: _bonus, activeBand: _band, jackpots: _pots, ...said } = meters;
  const told = wireMeters(said);
  expect(Object.keys(told).sort()).toEqual(["activeBand", "credit", "gamesPlayed", "inGame"]);
  expect(told.activeBand).toBeNull();
  expect(Meters.safeParse(told).success).toBe(true);
  expect(wireJackpots(undefined)).toEqual([]);
  expect(wireState({ ...said, inGame: true })).toBe("inGame");
});

test("the name of an event is read back, with what the protocol gave of it", () => {
  for (const id of [
    { seq: 1, at: 5 },
    { seq: 7, at: 1_700_000_000_000.25, mark: "01FF7E003000012345 @ 6" },
  ])
    expect(egmEventOf(egmEventName(id))).toEqual(id);
  expect(egmEventOf("no name")).toBeUndefined();
});
