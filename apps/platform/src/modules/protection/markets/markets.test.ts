import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MARKETS, rulesOfMarket } from "./all.ts";
import type { MarketId } from "./market.ts";
import { MARKET_IDS } from "./market.ts";
import type { RuleName, Rules } from "./rules.ts";
import { RULE_NAMES, strictest } from "./rules.ts";

const market = fc.constantFrom(...MARKET_IDS);
const of = (...ids: readonly MarketId[]): Rules => ids.map(rulesOfMarket).reduce(strictest);

describe("the strictest of markets", () => {
  test("does not depend on whose market it is, and changes nothing when all have the same", () => {
    fc.assert(
      fc.property(market, market, market, (venue, player, machine) => {
        expect(of(venue, player, machine)).toEqual(of(machine, venue, player));
        expect(strictest(of(venue, player), rulesOfMarket(machine))).toEqual(
          strictest(rulesOfMarket(venue), of(player, machine)),
        );
        expect(of(venue, venue)).toEqual(of(venue));
      }),
    );
  });

  test("is never looser than one of them, in any rule", () => {
    fc.assert(
      fc.property(market, market, fc.constantFrom(...RULE_NAMES), (one, other, name) => {
        const both = of(one, other);
        // What is as strict as both of them is stricter than each: adding one of them again changes nothing.
        expect(strictest(both, of(one))[name]).toEqual(both[name]);
        expect(strictest(both, of(other))[name]).toEqual(both[name]);
      }),
    );
  });

  test.each<[RuleName, MarketId, MarketId, unknown]>([
    ["minCycleMs", "gb", "de", 5_000],
    ["stakeCaps", "gb", "de", { under25: 100, from25: 100 }],
    ["autoplay", "none", "gb", false],
    ["realityCheckMin", "none", "mt", 60],
    ["looserAfterHours", "se", "de", 168],
    ["forcedBreak", "none", "de", { afterMin: 60, forMin: 5 }],
    ["registers", "gb", "se", ["spelpaus", "gamstop"]],
    ["ageMin", "us-nj", "ca-on", 21],
    ["limitsRequired", "de", "se", ["deposit.day", "deposit.week", "deposit.month"]],
    ["limitsOfAll", "de", "lab", { "deposit.month": 100_000 }],
  ])("of %s in %s and %s is %j", (name, one, other, value) => {
    expect(of(one, other)[name]).toEqual(value);
    expect(of(other, one)[name]).toEqual(value);
  });
});

describe("each market", () => {
  test.each(MARKET_IDS)("%s has a value for each rule, and a dated clause where a document prescribes it", (id) => {
    for (const name of RULE_NAMES) {
      const { value, source } = MARKETS[id].rules[name];
      expect(value, name).toBeDefined();
      if (source === null) continue;
      expect(source.clause, name).toMatch(/\S/);
      expect(source.version, name).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  test.each(MARKET_IDS)("%s is never looser than the rules of no market", (id) => {
    const { timeOutHours: _, exclusionMonthsMin: __, ...rest } = rulesOfMarket(id);
    const { timeOutHours: ___, exclusionMonthsMin: ____, ...both } = of("none", id);
    expect(rest).toEqual(both);
  });

  test.each(MARKET_IDS)("%s lets no limit become looser within 24 hours (GLI-19 A.3.7)", (id) => {
    expect(rulesOfMarket(id).looserAfterHours).toBeGreaterThanOrEqual(24);
  });

  test("the laboratory is stricter than each country in what the machine enforces", () => {
    for (const id of MARKET_IDS) {
      const { minCycleMs, autoplay, stopReels } = of(id, "lab");
      expect({ minCycleMs, autoplay, stopReels }).toEqual({ minCycleMs: 5_000, autoplay: false, stopReels: false });
    }
  });
});
