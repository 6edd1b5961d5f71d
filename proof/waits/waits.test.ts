import type { MachineNow } from "@longarm/platform/modules/play/queue/wait-time";
import { waitRange } from "@longarm/platform/modules/play/queue/wait-time";
import { drawGame, outcomeWin } from "@longarm/reels/game/draw";
import { stripsOf } from "@longarm/reels/game/strips";
import { expect, test } from "vitest";
import { seededRandom } from "../../rig/chance.ts";

/* The waits that players are shown, beside those that come, on floors of several kinds. */

const MINUTE = 60_000;
const STAKE = 1_200;

/** How long players sat who played game after game until the money was gone or doubled, or their time was over, ms. */
function playedMs(count: number): number[] {
  const draw = seededRandom("sittings");
  const strips = stripsOf("nar");
  let game = 0;
  return Array.from({ length: count }, () => {
    const begins = (20 + Math.floor(180 * draw())) * STAKE;
    const leavesAfter = (20 + 100 * draw()) * MINUTE;
    // A game takes its three seconds, and a look at it.
    const gameMs = 3_200 + 3_000 * draw();
    let [credit, ms] = [begins, 20_000];
    while (credit >= STAKE && credit < 2 * begins && ms < leavesAfter) {
      game += 1;
      credit += outcomeWin(drawGame("recorded", strips, game, STAKE)) - STAKE;
      ms += gameMs;
    }
    return ms;
  });
}
const PLAYED_MS = playedMs(300);

/** How long people sit: a floor's kind. */
const floors: Readonly<Record<string, (draw: () => number) => number>> = {
  even: (draw) => (10 + 40 * draw()) * MINUTE,
  // Many short, few long.
  skewed: (draw) => Math.exp(2.5 + 0.9 * normal(draw)) * MINUTE,
  // Who only looks, and who stays.
  two: (draw) => (draw() < 0.4 ? 2 + 3 * draw() : 30 + 30 * draw()) * MINUTE,
  // Those of players who played the simulated machines' own game.
  played: (draw) => PLAYED_MS[Math.floor(draw() * PLAYED_MS.length)] ?? 0,
};
const normal = (draw: () => number) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());

test.each(Object.keys(floors))("of the waits shown on a floor of kind %s, at least eight of ten end inside", (kind) => {
  const draw = seededRandom("waits");
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
