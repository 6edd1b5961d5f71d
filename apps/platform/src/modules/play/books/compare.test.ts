import { OTHER_TOTALS } from "@longarm/contract/machine";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reading } from "./compare.ts";
import { compareReadings, unexplained } from "./compare.ts";

const EMPTY: Reading = {
  credit: 0,
  gamesPlayed: 40,
  totals: {
    wagered: 900,
    won: 700,
    machinePaid: 500,
    handPaid: 200,
    cashIn: 3_000,
    cashOut: 2_600,
    otherIn: 0,
    otherOut: 0,
    other: { billsIn: 100, ticketsIn: 0, ticketsOut: 50, cancelledOut: 0, promotionIn: 10, promotionOut: 10 },
  },
  books: { games: 0, wagered: 0, won: 0, machinePaid: 0, cashIn: 0, cashOut: 0, cancelled: 0 },
  ledgerMinor: 0,
};

type Deed = { readonly is: "cashIn" | "cashOut" | "game" | "handPaid" | "cancelled"; readonly amount: number };

/** Both sides after something honest has happened. */
function after({ credit, gamesPlayed, totals, books, ledgerMinor }: Reading, { is, amount }: Deed): Reading {
  if (totals === null) throw new Error("no totals");
  const stake = 100;
  const win = is === "game" || is === "handPaid" ? amount : 0;
  const paid = is === "game" ? win : 0;
  const isGame = is === "game" || is === "handPaid";
  const moved = { cashIn: is === "cashIn" ? amount : 0, cashOut: is === "cashOut" ? amount : 0 };
  const cancelled = is === "cancelled" ? amount : 0;
  const net = moved.cashIn - moved.cashOut - cancelled + (isGame ? paid - stake : 0);
  const added = { wagered: isGame ? stake : 0, won: win, machinePaid: paid, ...moved };
  const plus = <T extends typeof added>(sums: T): T => ({
    ...sums,
    ...Object.fromEntries(
      Object.entries(added).map(([name, value]) => [name, sums[name as keyof typeof added] + value]),
    ),
  });
  const other = { ...totals.other, cancelledOut: (totals.other?.cancelledOut ?? 0) + cancelled };
  return {
    credit: credit + net,
    gamesPlayed: gamesPlayed + Number(isGame),
    totals: { ...plus(totals), handPaid: totals.handPaid + win - paid, otherOut: totals.otherOut + cancelled, other },
    books: { ...plus(books), games: books.games + Number(isGame), cancelled: books.cancelled + cancelled },
    ledgerMinor: ledgerMinor + net,
  };
}

const deeds = fc.array(
  fc.record({
    is: fc.constantFrom("cashIn", "cashOut", "game", "handPaid", "cancelled"),
    amount: fc.integer({ min: 0, max: 50_000 }),
  }) as fc.Arbitrary<Deed>,
  { maxLength: 30 },
);
const runs = { seed: 20_261_121, numRuns: 200 };

test("whatever honestly happens between two readings agrees, from wherever both sides began", () => {
  fc.assert(
    fc.property(deeds, (done) => {
      const now = done.reduce(after, EMPTY);
      expect(unexplained(compareReadings(EMPTY, now))).toEqual([]);
    }),
    runs,
  );
});

test("any one number that somebody bends is found", () => {
  const { other: _, ...sums } = EMPTY.totals ?? {};
  const names = Object.keys(sums) as (keyof Omit<NonNullable<Reading["totals"]>, "other">)[];
  const bend = fc.oneof(
    fc.constantFrom(...names).map((name) => (now: Reading, by: number) => ({
      ...now,
      totals: now.totals && { ...now.totals, [name]: now.totals[name] + by },
    })),
    fc.constantFrom(...OTHER_TOTALS).map((name) => (now: Reading, by: number) => ({
      ...now,
      totals: now.totals && {
        ...now.totals,
        other: { ...now.totals.other, [name]: (now.totals.other?.[name] ?? 0) + by },
      },
    })),
    fc
      .constantFrom("credit" as const, "gamesPlayed" as const, "ledgerMinor" as const)
      .map((name) => (now: Reading, by: number) => ({ ...now, [name]: now[name] + by })),
  );
  fc.assert(
    fc.property(
      deeds,
      bend,
      fc.integer({ min: -900, max: 900 }).filter((by) => by !== 0),
      (done, change, by) => {
        const now = change(done.reduce(after, EMPTY), by);
        expect(unexplained(compareReadings(EMPTY, now))).not.toEqual([]);
      },
    ),
    runs,
  );
});

test("without running meters games and credit are compared, and a first reading only its account", () => {
  const silent = { ...EMPTY, totals: null };
  expect(compareReadings(silent, silent).map(({ name }) => name)).toEqual(["ledger account", "games"]);
  expect(compareReadings(null, EMPTY).map(({ name }) => name)).toEqual(["ledger account"]);
});

test("of each identity the books say what is expected, and the machine what is found", () => {
  const more = { ...EMPTY, credit: 12_000, ledgerMinor: 10_000 };
  expect(compareReadings(null, more)).toEqual([{ name: "ledger account", expected: 10_000, found: 12_000 }]);
});
