import type { InitAnswer } from "@longarm/contract/game-socket";
import type { Attendance } from "./attendance.ts";
import type { Surroundings } from "./person.ts";
import { pause, rest } from "./person.ts";
import { between } from "./seeded.ts";
import { count, time } from "./tally.ts";

/** From one game's end to the next press, ms: people look at what they won. */
const LOOK_MS = [300, 2_200] as const;
/** A press that began no game is thought about, ms. */
const PUZZLED_MS = 1_000;
const WATCH_MS = 100;
/** A game with its free spins and bonus takes at most so long, ms. */
const GAME_MS_MAX = 90_000;

/** Presses the key that starts games at a person's pace, until `untilMs`, until the run is to end, or until there is nothing to play with. */
export async function turnReels(
  around: Surroundings,
  attendance: Attendance,
  answer: InitAnswer,
  { untilMs, random }: { readonly untilMs: number; readonly random: () => number },
): Promise<"time" | "noCredit" | "locked"> {
  const { visit } = attendance;
  const wager = answer.buttons.find(({ kind }) => kind === "wager");
  if (wager === undefined) return "locked";
  const gapMs = Math.max(wager.minGapMs, answer.limits?.minCycleMs ?? 0);
  let pressedAtMs = Number.NEGATIVE_INFINITY;
  while (!around.finish.aborted && around.now() < untilMs && !attendance.over) {
    const { meters } = visit;
    if (meters === undefined || !visit.seated) {
      await rest(around, WATCH_MS);
      continue;
    }
    if (meters.lockup !== undefined || meters.handPay !== undefined) return "locked";
    if (!meters.inGame && !meters.bonus && meters.credit < meters.bet) return "noCredit";
    await rest(around, Math.max(0, pressedAtMs + gapMs - around.now()));
    if (around.finish.aborted) break;
    pressedAtMs = around.now();
    const outcome = await visit.press(wager.id, visit.meters?.bet);
    count(around.tally(), `press: ${outcome}`);
    if (outcome !== "unknown" && outcome !== "unsent")
      time(around.tally(), "press answered", around.now() - pressedAtMs);
    if (outcome === "started") {
      await gameEnds(around, attendance);
      count(around.tally(), "games");
      await rest(around, between(random, ...LOOK_MS));
    } else await rest(around, PUZZLED_MS);
  }
  return "time";
}

/** Waits until the machine rests, also when the run is to end: money can only leave then. A bonus picks by itself when nobody does. */
export async function gameEnds(around: Surroundings, attendance: Attendance): Promise<void> {
  const { visit } = attendance;
  const limitMs = around.now() + GAME_MS_MAX;
  // The meters of the game's start come right behind the press's answer.
  await pause(around, WATCH_MS * 2);
  while (around.now() < limitMs && !attendance.over) {
    const { meters } = visit;
    if (visit.seated && meters !== undefined && !meters.inGame && !meters.bonus && meters.freeSpins === 0) return;
    await pause(around, WATCH_MS);
  }
}
