import type { Clock } from "../../ports/clock.ts";
import type { Source, VideoFrame } from "../../ports/source.ts";
import { messageOf } from "../finding.ts";
import type { Step, StepResult } from "./commissioning.ts";
import { failed, passed, skipped, until } from "./commissioning.ts";
import type { Eye } from "./picture-steps.ts";
import { ACROSS, DOWN, pictured, withEye } from "./picture-steps.ts";

/*
 * How long the picture takes from light to frame: the doctor switches a light at random times and looks for it in the frames. Random, because a
 * machine blinks by itself; and a light of its own, because the machine's would come late by the machine's own time.
 */

/** A light in front of the camera that the doctor switches. */
export interface Mark {
  /** What a person must do so that the camera sees it. */
  readonly says: string;
  /** Resolves when it can be switched. */
  ready(): Promise<void>;
  /** Resolves to when the light changed, on the agent's clock. */
  show(on: boolean): Promise<number>;
  close(): Promise<void>;
}

/** The mark was switched. */
export interface Blink {
  readonly atMs: number;
  readonly on: boolean;
}

/** A frame: when it was here, and the mean brightness of its fields. */
export interface Sight {
  readonly atMs: number;
  readonly fields: Float64Array;
}

/** What the frames say of a light. `match`: how well one of their fields follows it, 1 at best. */
export type LightDelay =
  | {
      readonly is: "found";
      /** From the middle of a frame's exposure until it is here. */
      readonly delayMs: number;
      /** From the light to the first frame with it: on average half a frame more, as light does not wait for an exposure to begin. */
      readonly medianMs: number;
      readonly p95Ms: number;
      readonly seen: number;
      readonly match: number;
      /** The field that follows it best. */
      readonly field: number;
    }
  | { readonly is: "unseen" | "unsure"; readonly match: number };

export const BLINKS = 40;
/** The longest delay that is looked for, ms: more cannot be set. */
const DELAY_MS_MAX = 2_000;
const STEP_MS = 10;
/** The shortest time between two blinks, ms and in frames. */
const GAP_MS = 300;
const GAP_FRAMES = 5;
/** Below, something else moves: a picture that moves by itself reached 0.5 in trials. */
const MATCH_MIN = 0.7;
/** Brightness that the mark adds, at least, luma. */
const CONTRAST_MIN = 4;
/** Blinks that must be seen, of all. */
const SEEN_SHARE = 0.8;
/** Delays further apart than this are of no one light, in frames. */
const SPREAD_FRAMES = 4;
/** How long a person has to put the mark before the camera, ms. */
const READY_MS_MAX = 180_000;
const DARK_MS = 1_000;
const FIRST_MS_MAX = 10_000;

export interface BlinkDeps {
  /** Counts a frame as taken when it is here: without a delay that was set. */
  readonly source: Source;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly openMark: () => Promise<Mark>;
  readonly say: (sentence: string) => void;
  readonly encode: (frame: VideoFrame) => Promise<Buffer>;
  /** Stores a delay that was found. */
  readonly found: (delayMs: number) => Promise<void>;
}

export const blinkStep = (deps: BlinkDeps): Step => ({
  id: "delay",
  title: "From light to frame",
  needs: ["picture"],
  withinMs: READY_MS_MAX + 120_000,
  run: () => withEye(deps, (eye) => measure(deps, eye)),
});

async function measure(deps: BlinkDeps, eye: Eye): Promise<StepResult> {
  const { source, clock, say, encode, found } = deps;
  let mark: Mark | undefined;
  try {
    mark = await deps.openMark();
    say(mark.says);
    if ((await within(clock, READY_MS_MAX, mark.ready())) === "late")
      return skipped("The mark was not shown, so the delay was not measured.");
    if ((await until(clock, FIRST_MS_MAX, async () => eye.fields)) === undefined)
      return failed("picture.none", "The device opens and gives no frames.");
    const sights: Sight[] = [];
    eye.seen = (fields, frame) => {
      // The delay by the camera's own clock is in the frame's time already.
      const atMs = (frame.takenAtMs ?? frame.capturedAtMs) + (frame.clock?.delayMs ?? 0);
      sights.push({ atMs, fields });
    };
    const periodMs = 1_000 / source.format.frameRate;
    const blinks = await blink(deps, mark, periodMs);
    const light = lightDelay(blinks, sights, periodMs);
    if (light.is !== "found") return failed(`delay.${light.is}`, UNFOUND[light.is], { match: light.match });
    await found(light.delayMs);
    const { delayMs, medianMs, p95Ms, seen, match, field } = light;
    const says = `A frame is here ${delayMs} ms after it was taken; ${medianMs} ms after the light changed, 95 of 100 within ${p95Ms} ms.`;
    const shown = await pictured(encode, eye.frame, placeOf(field));
    return { ...passed(says, { delayMs, medianMs, p95Ms, seen, blinks: blinks.length, match }), ...shown };
  } catch (error) {
    return failed("mark.away", messageOf(error));
  } finally {
    await mark?.close();
  }
}

const UNFOUND = {
  unseen: "No part of the picture became brighter and darker with the mark.",
  unsure: "A part of the picture changed somewhat like the mark, and not clearly enough to measure by it.",
} as const;

/** Switches the mark on and off at random times. */
async function blink({ clock, random }: BlinkDeps, mark: Mark, periodMs: number): Promise<Blink[]> {
  const gapMs = gapOf(periodMs);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  await mark.show(false);
  await pause(DARK_MS);
  const blinks: Blink[] = [];
  for (let count = 0; count < BLINKS; count += 1) {
    const on = count % 2 === 0;
    blinks.push({ atMs: await mark.show(on), on });
    await pause(gapMs * (1 + 1.3 * random()));
  }
  await pause(DELAY_MS_MAX);
  return blinks;
}

const gapOf = (periodMs: number): number => Math.max(GAP_MS, GAP_FRAMES * periodMs);

/** Finds in the frames the part that follows the light, and how long after it. */
export function lightDelay(blinks: readonly Blink[], sights: readonly Sight[], periodMs: number): LightDelay {
  const best = bestMatch(blinks, sights);
  const match = Math.round(best.match * 100) / 100;
  const { field, afterMs } = best;
  const light = sights.map(({ atMs, fields }) => ({ atMs, luma: fields[field] ?? 0 }));
  const levelOf = (on: boolean): number =>
    middle(light.filter(({ atMs }) => stateAt(blinks, atMs - afterMs) === on).map(({ luma }) => luma)) ?? 0;
  const [dark, bright] = [levelOf(false), levelOf(true)];
  if (match < MATCH_MIN / 2 || bright - dark < CONTRAST_MIN) return { is: "unseen", match };
  const isOn = light.map(({ atMs, luma }) => ({ atMs, on: luma > (dark + bright) / 2 }));
  const nearMs = gapOf(periodMs) / 2;
  const delays = blinks
    .flatMap(({ atMs, on }) => {
      const at = isOn.findIndex(
        (one, index) => one.on === on && isOn[index - 1]?.on === !on && Math.abs(one.atMs - atMs - afterMs) <= nearMs,
      );
      return at < 0 ? [] : [(isOn[at]?.atMs ?? 0) - atMs];
    })
    .toSorted((a, b) => a - b);
  const medianMs = middle(delays) ?? 0;
  const at = (share: number): number => delays[Math.floor((delays.length - 1) * share)] ?? 0;
  const clear = match >= MATCH_MIN && delays.length >= SEEN_SHARE * blinks.length;
  if (!clear || at(0.95) - at(0.05) > SPREAD_FRAMES * periodMs) return { is: "unsure", match };
  const gaps = sights.map(({ atMs }, index) => atMs - (sights[index - 1]?.atMs ?? atMs)).slice(1);
  const delayMs = Math.round(Math.min(DELAY_MS_MAX, Math.max(0, medianMs - (middle(gaps) ?? periodMs) / 2)));
  const figures = { delayMs, medianMs: Math.round(medianMs), p95Ms: Math.round(at(0.95)) };
  return { is: "found", ...figures, seen: delays.length, match, field };
}

/** The field that follows the light best, and how long after it. */
function bestMatch(blinks: readonly Blink[], sights: readonly Sight[]) {
  const fields = Array.from({ length: ACROSS * DOWN }, (_, field) => ({
    field,
    values: centred(Float64Array.from(sights, ({ fields }) => fields[field] ?? 0)),
  })).filter(({ values }) => values.some((value) => value !== 0));
  let best = { match: 0, field: 0, afterMs: 0 };
  for (let afterMs = 0; afterMs <= DELAY_MS_MAX; afterMs += STEP_MS) {
    const wanted = centred(Float64Array.from(sights, ({ atMs }) => (stateAt(blinks, atMs - afterMs) ? 255 : 0)));
    for (const { field, values } of fields) {
      let match = 0;
      for (let at = 0; at < values.length; at += 1) match += (values[at] ?? 0) * (wanted[at] ?? 0);
      if (match > best.match) best = { match, field, afterMs };
    }
  }
  return best;
}

/** Whether the mark was on. It is off before it first blinks. */
function stateAt(blinks: readonly Blink[], atMs: number): boolean {
  return blinks.findLast((blink) => blink.atMs <= atMs)?.on ?? false;
}

/** With mean 0 and length 1, so that the product of two is how well they match; what hardly changes is 0. */
function centred(values: Float64Array): Float64Array {
  const count = Math.max(1, values.length);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const length = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return values.map((value) => (length < Math.sqrt(count) * (CONTRAST_MIN / 4) ? 0 : (value - mean) / length));
}

const middle = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[values.length >> 1];

const placeOf = (field: number) => ({
  ...{ x: (field % ACROSS) / ACROSS, y: Math.floor(field / ACROSS) / DOWN },
  ...{ width: 1 / ACROSS, height: 1 / DOWN },
});

/** Resolves to "late" when it takes longer. */
async function within<T>(clock: Clock, ms: number, wanted: Promise<T>): Promise<T | "late"> {
  const late = Promise.withResolvers<"late">();
  const stop = clock.after(ms, () => late.resolve("late"));
  return await Promise.race([wanted, late.promise]).finally(stop);
}
