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

/** How long people sit: a floor's kind. */
const floors: Readonly<Record<string, (draw: () => number) => number>> = {
  even: (draw) => (10 + 40 * draw()) * MINUTE,
  // Many short, few long.
  skewed: (draw) => Math.exp(2.5 + 0.9 * normal(draw)) * MINUTE,
  // Who only looks, and who stays.
  two: (draw) => (draw() < 0.4 ? 2 + 3 * draw() : 30 + 30 * draw()) * MINUTE,
};
const normal = (draw: () => number) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());

test.each(Object.keys(floors))("of the waits shown on a floor of kind %s, at least eight of ten end inside", (kind) => {
  const draw = drawn(7);
  const length = floors[kind] as (draw: () => number) => number;
  let shown = 0;
  let inside = 0;
  for (let trial = 0; trial < 600; trial += 1) {
    const past = () => Array.from({ length: 20 + Math.floor(draw() * 100) }, () => length(draw));
    const names = ["a", "b", "c"].slice(0, 1 + Math.floor(draw() * 3));
    // A moment of a seat that has been sat at for long: who sits then is more often one who stays long.
    const sitters = names.map(() => {
      let at = (600 + 600 * draw()) * MINUTE;
      let whole = length(draw);
      while (at > whole) {
        at -= whole;
        whole = length(draw);
      }
      return { whole, sitting: at };
    });
    const machines: MachineNow[] = names.map((id, at) => ({
      id,
      lengthsMs: past(),
      sittingMs: sitters[at]?.sitting ?? 0,
      turnLeftMs: null,
    }));
    const ahead = Array.from({ length: Math.floor(draw() * 5) }, () => names);
    const range = waitRange({ machines, ahead, mine: names, seatedShare: 1, turnMs: null, draw });
    if (range === null) continue;
    const freeAt = sitters.map(({ whole, sitting }) => whole - sitting);
    for (const _ of ahead) {
      const at = freeAt.indexOf(Math.min(...freeAt));
      freeAt[at] = (freeAt[at] ?? 0) + 5_000 + length(draw);
    }
    shown += 1;
    const wait = Math.min(...freeAt);
    if (wait >= range.lowMs && wait <= range.highMs) inside += 1;
  }
  expect(shown).toBeGreaterThan(200);
  expect(inside / shown).toBeGreaterThanOrEqual(0.8);
});

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
