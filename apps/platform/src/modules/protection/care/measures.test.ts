import { CARE_MEASURES } from "@longarm/contract/player-care";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MARKET_IDS, rulesOfMarket } from "../markets/index.ts";
import type { Facts, Frame } from "./measures.ts";
import {
  chasingOf,
  failedDepositsOf,
  figuresOf,
  limitRaisesOf,
  netLossOf,
  nightOf,
  sessionsOf,
  signsIn,
  stakesOf,
  takenBackOf,
  timeOf,
} from "./measures.ts";

const NOW = new Date("2026-03-15T12:00:00Z");
const at = (text: string) => new Date(`2026-03-${text}:00Z`);
/** A venue in UTC, looked at on the 15th at noon. */
const days = Array.from({ length: 7 }, (_, index) => ({ from: at(`${String(9 + index).padStart(2, "0")}T00:00`) })).map(
  ({ from }) => ({ from, to: new Date(from.getTime() + 86_400_000) }),
);
const frame: Frame = {
  now: NOW,
  days,
  nights: days.map(({ from }) => ({ from, to: new Date(from.getTime() + 6 * 3_600_000) })),
};
const NOTHING: Facts = {
  ...{ stays: [], cashIns: [], deposits: [], withdrawals: [], refusals: [] },
  ...{ limitRaises: 0, games: 0, staked: 0, gamesBefore: 0, stakedBefore: 0, lost: 0, declared: null },
};
const facts = (more: Partial<Facts>): Facts => ({ ...NOTHING, ...more });
const stay = (from: string, to: string, net = 0, id = from) => ({ id, from: at(from), to: at(to), net });

describe("what each measure counts (SRCP 3.4.3, AGCO 2.10 to 2.12)", () => {
  test("time: minutes at machines within the seven days, also of a stay that began before them", () => {
    const stays = [stay("08T23:00", "09T01:00"), stay("14T10:00", "14T12:30")];
    expect(timeOf(facts({ stays }), frame)).toBe(60 + 150);
  });

  test("night: minutes between midnight and six by the venue's clocks, over midnight too", () => {
    const stays = [stay("13T22:00", "14T02:00"), stay("14T05:00", "14T08:00")];
    expect(nightOf(facts({ stays }), frame)).toBe(120 + 60);
  });

  test("chasing: money within an hour after a loss, in a losing stay only after its first cash-in", () => {
    const stays = [stay("14T10:00", "14T11:00", -500, "lost"), stay("14T15:00", "14T16:00", 900, "won")];
    const cashIns = [
      { at: at("14T10:01"), stay: "lost" },
      { at: at("14T10:30"), stay: "lost" },
      { at: at("14T15:01"), stay: "won" },
      { at: at("14T15:30"), stay: "won" },
    ];
    const deposits = [{ at: at("14T11:59") }, { at: at("14T12:01") }, { at: at("14T16:10") }];
    expect(chasingOf(facts({ stays, cashIns, deposits }), frame)).toBe(2);
  });

  test("chasing: a deposit and its cash-in are one wish; the next after ten minutes is another, also in an endless row", () => {
    const stays = [stay("14T10:00", "14T10:30", -500, "lost")];
    const deposits = ["10:31", "10:35", "10:40", "10:42", "10:53"].map((time) => ({ at: at(`14T${time}`) }));
    expect(chasingOf(facts({ stays, deposits }), frame)).toBe(3);
  });

  test("stakes: the usual stake against that of the weeks before; of few games nothing is said", () => {
    const raised = { games: 100, staked: 30_000, gamesBefore: 200, stakedBefore: 20_000 };
    expect(stakesOf(facts(raised), frame)).toBe(300);
    expect(stakesOf(facts({ ...raised, games: 49 }), frame)).toBeNull();
    expect(stakesOf(facts({ ...raised, gamesBefore: 0, stakedBefore: 0 }), frame)).toBeNull();
  });

  test("takenBack: withdrawals after which money came back within a day", () => {
    const withdrawals = [{ at: at("01T10:00") }, { at: at("05T10:00") }, { at: at("10T10:00") }];
    const deposits = [{ at: at("01T09:00") }, { at: at("06T09:59") }, { at: at("11T10:01") }];
    expect(takenBackOf(facts({ withdrawals, deposits }), frame)).toBe(1);
  });

  test("limitRaises: looser limits that were requested", () => {
    expect(limitRaisesOf(facts({ limitRaises: 4 }), frame)).toBe(4);
  });

  test("failedDeposits: what was refused within 24 hours", () => {
    const refusals = [{ at: at("14T11:59") }, { at: at("14T12:01") }, { at: at("15T11:00") }];
    expect(failedDepositsOf(facts({ refusals }), frame)).toBe(2);
  });

  test("sessions: those of the fullest day", () => {
    const stays = [stay("13T23:50", "14T00:10"), stay("14T00:00", "14T00:05"), stay("14T09:00", "14T09:05")];
    expect(sessionsOf(facts({ stays }), frame)).toBe(2);
  });

  test("netLoss: percent of what was declared; a win is none, and without a word nothing is said", () => {
    expect(netLossOf(facts({ lost: 8_000, declared: 10_000 }), frame)).toBe(80);
    expect(netLossOf(facts({ lost: -8_000, declared: 10_000 }), frame)).toBe(0);
    expect(netLossOf(facts({ lost: 8_000 }), frame)).toBeNull();
  });
});

test("a night in which the clocks are put forward has five hours, and the measures count those", () => {
  // Berlin, 29 March 2026: after 01:59 comes 03:00.
  const from = new Date("2026-03-28T23:00:00Z");
  const short = { from, to: new Date("2026-03-29T22:00:00Z") };
  const spring = { now: short.to, days: [short], nights: [{ from, to: new Date("2026-03-29T04:00:00Z") }] };
  const stays = [{ id: "all", from, to: short.to, net: 0 }];
  expect(nightOf(facts({ stays }), spring)).toBe(300);
  expect(timeOf(facts({ stays }), spring)).toBe(23 * 60);
});

describe("signs", () => {
  const rules = rulesOfMarket("none");
  const none = figuresOf(NOTHING, frame);

  test("are figures at a threshold or above it, each at its highest level with what it counted from", () => {
    const signs = signsIn({ ...none, night: 360, sessions: 20, time: 1_199 }, rules);
    expect(signs).toEqual([
      { measure: "night", level: "watch", value: 360, limit: 360 },
      { measure: "sessions", level: "strong", value: 20, limit: 20 },
    ]);
  });

  test("are none for a player who did nothing, in any market", () => {
    for (const id of MARKET_IDS) expect(signsIn(none, rulesOfMarket(id))).toEqual([]);
  });

  test.each(MARKET_IDS)("%s looks at all nine, and calls staff no sooner than it opens a case", (id) => {
    const { careMeasures, careAt } = rulesOfMarket(id);
    expect(careMeasures).toEqual(CARE_MEASURES);
    for (const measure of CARE_MEASURES) expect(careAt[measure].strong, measure).toBeGreaterThan(careAt[measure].watch);
  });

  test("whatever the facts, each figure is a whole number of zero or more, or nothing is said", () => {
    const time = fc.integer({ min: 0, max: 40 * 86_400_000 }).map((ms) => new Date(NOW.getTime() - ms));
    const moves = fc.array(fc.record({ at: time }), { maxLength: 30 });
    const stays = fc.array(fc.record({ id: fc.constantFrom("a", "b", "c"), from: time, to: time, net: fc.integer() }), {
      maxLength: 30,
    });
    const count = fc.nat({ max: 1_000_000_000 });
    const any = fc.record({
      ...{ stays, deposits: moves, withdrawals: moves, refusals: moves },
      cashIns: fc.array(fc.record({ at: time, stay: fc.constantFrom("a", "b", "x") }), { maxLength: 30 }),
      ...{ limitRaises: count, games: count, staked: count, gamesBefore: count, stakedBefore: count },
      lost: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
      declared: fc.option(fc.integer({ min: 1, max: 1_000_000_000 })),
    });
    fc.assert(
      fc.property(any, (given) => {
        for (const value of Object.values(figuresOf(given, frame)))
          if (value !== null) {
            expect(Number.isSafeInteger(value)).toBe(true);
            expect(value).toBeGreaterThanOrEqual(0);
          }
      }),
    );
  });
});
