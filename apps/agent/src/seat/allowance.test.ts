import type { PlayRules } from "@longarm/contract/player-protection";
import { drawsOf } from "@longarm/link/testing/whole-run";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MachineMemory } from "../journal/state.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createAllowance } from "./allowance.ts";

type Game = { readonly number: number; readonly stake: number; readonly win: number; readonly seq: number };
type Grant = NonNullable<PlayRules["allowance"]>;

const NONE = { waiting: [], lastSeq: 0 };
const rulesOf = (allowance: Grant | undefined): PlayRules => ({
  ...{ minCycleMs: 0, autoplay: true, stopReels: true },
  ...(allowance && { allowance }),
});
const waitingOf = (games: readonly Game[]) =>
  games.map(({ number, stake, win, seq }) => ({
    seq,
    egm: String(seq),
    told: { seq, phase: "ended", game: { gameNumber: number, stake, win } },
  })) as unknown as MachineMemory["waiting"];

/** What happens between the games that a player wants. */
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant("game" as const), stake: fc.integer({ min: 1, max: 60 }), win: fc.nat(80) }),
  },
  // The platform takes so many events, and says what is left; that renewal may come late, twice or never.
  { weight: 2, arbitrary: fc.record({ is: fc.constant("take" as const), events: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("renewal" as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("restart" as const) }) },
);

test("in no history of games, renewals in any order and restarts, more is staked or lost than the limits allow", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), fc.nat(300), fc.nat(300), (acts, stakes, loss) => {
      const clock = fakeClock();
      const games: Game[] = [];
      let takenTo = 0;
      const renewals: Grant[] = [{ stakes, loss, countedTo: 0 }];
      let now = renewals[0];
      let allowance = createAllowance({ clock, memory: NONE });
      let seq = 0;
      const sum = (some: readonly Game[], of: (game: Game) => number) => some.reduce((all, game) => all + of(game), 0);
      for (const one of acts) {
        clock.advance(1_000);
        if (one.is === "game") {
          if (one.stake > (allowance.left(rulesOf(now)) ?? 0)) continue;
          expect(sum(games, (game) => game.stake) + one.stake).toBeLessThanOrEqual(stakes);
          expect(sum(games, (game) => game.stake - game.win) + one.stake).toBeLessThanOrEqual(loss);
          seq += 2;
          const game = { number: games.length + 1, stake: one.stake, win: one.win, seq };
          allowance.started(one.stake);
          allowance.reported({ gameNumber: game.number, stake: one.stake });
          allowance.ended({ gameNumber: game.number, ...one }, seq);
          games.push(game);
        } else if (one.is === "take") {
          takenTo = Math.min(seq, takenTo + one.events);
          const taken = games.filter((game) => game.seq <= takenTo);
          renewals.push({
            stakes: Math.max(0, stakes - sum(taken, (game) => game.stake)),
            loss: Math.max(0, loss - sum(taken, (game) => game.stake - game.win)),
            countedTo: takenTo,
          });
        } else if (one.is === "renewal") now = renewals[one.which % renewals.length];
        else {
          const waiting = waitingOf(games.filter((game) => game.seq > takenTo));
          allowance = createAllowance({ clock, memory: { waiting, lastSeq: seq } });
        }
      }
    }),
    { numRuns: drawsOf(20_000) },
  );
});

test("a press that may have started a game counts until it is reported, or for five seconds", () => {
  const clock = fakeClock();
  const allowance = createAllowance({ clock, memory: NONE });
  const rules = rulesOf({ stakes: 100, countedTo: 0 });
  allowance.started(40);
  expect(allowance.left(rules)).toBe(60);
  allowance.reported({ gameNumber: 1, stake: 40 });
  expect(allowance.left(rules)).toBe(60);
  allowance.started(40);
  clock.advance(5_000);
  expect(allowance.left(rules)).toBe(60);
});

test("a game that has not ended counts as lost, its win gives back of the loss and not of the stakes", () => {
  const allowance = createAllowance({ clock: fakeClock(), memory: NONE });
  const [loss, both] = [rulesOf({ loss: 100, countedTo: 0 }), rulesOf({ loss: 100, stakes: 100, countedTo: 0 })];
  allowance.reported({ gameNumber: 1, stake: 70 });
  expect(allowance.left(loss)).toBe(30);
  allowance.ended({ gameNumber: 1, stake: 70, win: 50 }, 2);
  expect([allowance.left(loss), allowance.left(both)]).toEqual([80, 30]);
  expect(allowance.left(rulesOf({ loss: 80, countedTo: 2 }))).toBe(80);
  expect(allowance.left(rulesOf(undefined))).toBeUndefined();
});

test("after a restart nothing is left before a renewal has counted what this process has not seen", () => {
  const memory = { waiting: waitingOf([{ number: 8, stake: 10, win: 0, seq: 16 }]), lastSeq: 16 };
  const allowance = createAllowance({ clock: fakeClock(), memory });
  expect(allowance.left(rulesOf({ stakes: 100, countedTo: 12 }))).toBe(0);
  expect(allowance.left(rulesOf({ stakes: 100, countedTo: 15 }))).toBe(90);
  expect(allowance.left(rulesOf({ stakes: 90, countedTo: 16 }))).toBe(90);
});
