import { drawsOf } from "@longarm/link/testing/whole-run";
import fc from "fast-check";
import { expect, test } from "vitest";
import { afterLinkPass, afterMiss, afterPass, aheadOf, turnOf } from "./order.ts";

/** A player of a history: one place at a time in the line of one machine. */
type Place = {
  readonly id: string;
  readonly number: number;
  readonly lets: number;
  readonly misses: number;
  readonly passes: number;
};

/** What players do; `who` chooses among those who wait. `turn`: the machine becomes free, and the called one does this. */
const act = fc.oneof(
  fc.record({ is: fc.constant("join" as const) }),
  fc.record({ is: fc.constant("leave" as const), who: fc.nat(9) }),
  fc.record({ is: fc.constant("rejoin" as const), who: fc.nat(9) }),
  fc.record({
    is: fc.constant("turn" as const),
    called: fc.constantFrom("sits", "misses", "passes", "linkPasses", "leaves"),
  }),
);

const AFTER = {
  misses: afterMiss,
  passes: afterPass,
  linkPasses: afterLinkPass,
  sits: undefined,
  leaves: undefined,
} as const;

test("in every history, the order is that of joining, but for the calls that a player has let pass", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      let line: Place[] = [];
      let number = 0;
      /** How often somebody who joined later was called before each. */
      const overtaken = new Map<string, number>();
      /** How often each has let a call pass. */
      const owed = new Map<string, number>();
      const join = () => {
        number += 1;
        line.push({ id: `p${number}`, number, lets: 0, misses: 0, passes: 0 });
      };
      const without = (id: string) => line.filter((place) => place.id !== id);
      for (const one of acts) {
        if (one.is === "join") join();
        else if (one.is !== "turn") {
          const place = line[one.who % Math.max(1, line.length)];
          if (place === undefined) continue;
          const before = aheadOf(ready(line), { ...place, ready: true });
          line = without(place.id);
          if (one.is === "leave") continue;
          join();
          const again = line.at(-1);
          // No player improves by leaving and joining again.
          if (again) expect(aheadOf(ready(line), { ...again, ready: true })).toBeGreaterThanOrEqual(before);
        } else {
          const turn = turnOf(ready(line));
          if (turn === undefined) continue;
          for (const earlier of line.filter((place) => place.number < turn.next.number))
            overtaken.set(earlier.id, (overtaken.get(earlier.id) ?? 0) + 1);
          const behind = new Set(turn.behind.map(({ id }) => id));
          line = line.map((place) => (behind.has(place.id) ? { ...place, lets: place.lets - 1 } : place));
          const next = turn.next;
          const after = AFTER[one.called];
          if (after !== undefined) {
            owed.set(next.id, (owed.get(next.id) ?? 0) + 1);
            const counts = after(next);
            line = line.flatMap((place) => {
              if (place.id !== next.id) return [place];
              return counts === null ? [] : [{ id: next.id, number: next.number, ...counts }];
            });
          } else line = without(next.id);
        }
        for (const place of line) {
          expect(place.lets).toBeGreaterThanOrEqual(0);
          // Who lets no call pass is never overtaken; each that was let pass lets one other go first.
          expect(overtaken.get(place.id) ?? 0).toBeLessThanOrEqual(owed.get(place.id) ?? 0);
        }
      }
    }),
    { numRuns: drawsOf(100_000) },
  );
});

const ready = (line: readonly Place[]) => line.map((place) => ({ ...place, ready: true }));
const place = (id: string, number: number, lets = 0, isReady = true) => ({ id, number, lets, ready: isReady });

test("the first who may be called is called; who cannot be called keeps the place", () => {
  expect(turnOf([])).toBeUndefined();
  expect(turnOf([place("b", 2), place("a", 1)])).toMatchObject({ next: { id: "a" }, behind: [] });
  expect(turnOf([place("a", 1, 0, false), place("b", 2)])).toMatchObject({ next: { id: "b" }, behind: [] });
});

test("a missed call lets exactly one other go first, and alone one is called again", () => {
  expect(turnOf([place("a", 1, 1), place("b", 2), place("c", 3)])).toMatchObject({
    next: { id: "b" },
    behind: [{ id: "a" }],
  });
  expect(turnOf([place("a", 1, 1)])).toMatchObject({ next: { id: "a" }, behind: [] });
  expect(turnOf([place("a", 1, 1), place("b", 2, 1)])).toMatchObject({ next: { id: "a" } });
});

test("who cannot be called yet lets others go first all the same, and owes a turn less after it", () => {
  expect(turnOf([place("a", 1, 1, false), place("b", 2), place("c", 3)])).toMatchObject({
    next: { id: "b" },
    behind: [{ id: "a" }],
  });
});

test("a pass for a weak connection costs a turn as every pass does, and neither a miss nor one of the passes", () => {
  expect(afterLinkPass({ lets: 0, misses: 1, passes: 0 })).toEqual({ lets: 1, misses: 1, passes: 0 });
});

test("the number ahead counts who is let go first, as far as there is somebody", () => {
  const line = [place("a", 1, 1), place("b", 2), place("c", 3)];
  expect(line.map((one) => aheadOf(line, one))).toEqual([1, 1, 2]);
  expect(aheadOf([place("a", 1, 2)], place("a", 1, 2))).toBe(0);
});
