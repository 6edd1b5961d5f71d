import { expect, test } from "vitest";
import type { MachineNow } from "./wait-time.ts";
import { SITTINGS_MIN, waitRange } from "./wait-time.ts";

const MINUTE = 60_000;

/** Numbers that look random, the same in every run. */
function drawn(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const known = (id: string, sittingMs: number | null, count = SITTINGS_MIN): MachineNow => ({
  id,
  sittingMs,
  turnLeftMs: null,
  lengthsMs: Array.from({ length: count }, (_, at) => (at + 1) * MINUTE),
});
const now = { seatedShare: 1, turnMs: null, draw: drawn(1), ahead: [], mine: ["a"] };

test("too few sittings, one longer than nearly all of them, and a range too wide to help are not known", () => {
  expect(waitRange({ ...now, machines: [known("a", 0, SITTINGS_MIN - 1)] })).toBeNull();
  expect(waitRange({ ...now, machines: [known("a", 18 * MINUTE)] })).toBeNull();
  expect(waitRange({ ...now, machines: [known("a", 0)], mine: ["a", "b"] })).toBeNull();
  const long = { ...known("a", 0), lengthsMs: known("a", 0).lengthsMs.map((ms) => ms * 30) };
  expect(waitRange({ ...now, machines: [long] })).toBeNull();
});

test("a free machine is no wait; players before, and machines beside, move it", () => {
  const at = (more: Partial<Parameters<typeof waitRange>[0]>) =>
    waitRange({ ...now, machines: [known("a", 5 * MINUTE)], draw: drawn(1), ...more });
  expect(at({ machines: [known("a", null)] })).toEqual({ lowMs: 0, highMs: 0, sittings: SITTINGS_MIN });
  const alone = at({});
  const third = at({ ahead: [["a"], ["a"]] });
  const left = at({ ahead: [["a"], ["a"]], seatedShare: 0 });
  expect(third?.highMs).toBeGreaterThan(alone?.highMs ?? 0);
  expect(left?.highMs).toBeLessThan(third?.highMs ?? 0);
  const two = at({ machines: [known("a", 5 * MINUTE), known("b", 5 * MINUTE)], mine: ["a", "b"] });
  expect(two?.highMs).toBeLessThan(alone?.highMs ?? 0);
});

test("fair time bounds the wait, also for a sitting that is longer than nearly all", () => {
  const at = (more: Partial<Parameters<typeof waitRange>[0]>, turnLeftMs: number | null, sittingMs = 5 * MINUTE) =>
    waitRange({ ...now, machines: [{ ...known("a", sittingMs), turnLeftMs }], draw: drawn(1), ...more });
  expect(at({}, null)?.highMs).toBeGreaterThan(4 * MINUTE);
  expect(at({}, 4 * MINUTE)?.highMs).toBe(4 * MINUTE);
  expect(at({}, 4 * MINUTE, 60 * MINUTE)).toMatchObject({ lowMs: 4 * MINUTE, highMs: 4 * MINUTE });
  // One before, who has a turn of fifteen minutes at most.
  expect(at({ ahead: [["a"]], turnMs: 15 * MINUTE }, 4 * MINUTE)?.highMs).toBeLessThan(20 * MINUTE);
});
