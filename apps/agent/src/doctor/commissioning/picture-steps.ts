import type { Clock } from "../../ports/clock.ts";
import type { Egm } from "../../ports/egm.ts";
import type { OpenSource, Source, VideoFrame } from "../../ports/source.ts";
import { messageOf } from "../finding.ts";
import type { Step, StepPicture, StepResult } from "./commissioning.ts";
import { failed, noted, passed, skipped, until } from "./commissioning.ts";
import { pressInTime } from "./machine-steps.ts";

/** A frame is compared as this many fields across and down, by their mean brightness. */
export const ACROSS = 32;
export const DOWN = 18;
/** How long the picture is watched at rest, ms. */
const REST_MS = 1_000;
const FIRST_MS_MAX = 10_000;
/** The longest delay from a press to light that a player can live with, ms. */
const LIGHT_MS_MAX = 1_000;
const LIGHT_MS_LOOKED = 5_000;
/** Luma of black is 16 in BT.601; a screen that is on has some field above this. */
const DARK_MAX = 28;
/** Fields differ when their brightness is this much further apart than they ever are at rest. */
const MARGIN = 6;
/** More than this at rest is a picture that moves by itself: a change says nothing then. */
const RESTLESS = 40;

export interface PictureStepsDeps {
  /** Undefined: the driver paints the picture in another process. */
  readonly source: Source | undefined;
  readonly egm: Egm;
  readonly clock: Clock;
  readonly acts: boolean;
  /** A WebP of a whole frame, for the report. */
  readonly encode: (frame: VideoFrame) => Promise<Buffer>;
}

/** Whether the picture comes, is not black, and shows this machine; and how long after a press the light changes. */
export function pictureSteps(deps: PictureStepsDeps): Step[] {
  const starts = deps.egm.description.buttons.filter(({ kind }) => kind === "wager").slice(0, 1);
  return [
    pictureStep(deps),
    {
      id: "light",
      title: "From button to light",
      needs: ["picture", "state", ...starts.map(({ id }) => `button:${id}`)],
      withinMs: 60_000,
      run: () => withEye(deps, (eye) => light(deps, eye)),
    },
  ];
}

export const pictureStep = (deps: Pick<PictureStepsDeps, "source" | "clock" | "encode">): Step => ({
  id: "picture",
  title: "Picture",
  needs: [],
  run: () => withEye(deps, (eye) => picture(deps, eye)),
});

/** The brightness of each field of the last frames. */
export interface Eye {
  frames: number;
  size: string;
  fields: Float64Array | undefined;
  /** The last frame, a copy. */
  frame: VideoFrame | undefined;
  /** The largest difference of a field from one frame to the next, while nothing happened. */
  noise: number;
  ended: string | undefined;
  /** Called with each new frame. */
  seen: (fields: Float64Array, frame: VideoFrame) => void;
}

export async function withEye(
  { source }: Pick<PictureStepsDeps, "source">,
  look: (eye: Eye) => Promise<StepResult>,
): Promise<StepResult> {
  if (source === undefined) return skipped("Its driver paints the picture.");
  const eye: Eye = {
    ...{ frames: 0, size: "", fields: undefined, frame: undefined, noise: 0, ended: undefined },
    seen: () => undefined,
  };
  let open: OpenSource | undefined;
  try {
    open = await source.open({
      video: (frame) => {
        const fields = fieldsOf(frame);
        eye.frames += 1;
        eye.size = `${frame.width}x${frame.height}`;
        eye.frame = { ...frame, data: frame.data.slice() };
        eye.fields = fields;
        eye.seen(fields, eye.frame);
      },
      audio: () => undefined,
      ended: (reason) => {
        eye.ended = reason;
      },
    });
    return await look(eye);
  } catch (error) {
    if (open !== undefined) throw error;
    return failed("picture.none", messageOf(error));
  } finally {
    await open?.close();
  }
}

async function picture({ clock, encode }: Pick<PictureStepsDeps, "clock" | "encode">, eye: Eye): Promise<StepResult> {
  const come = await until(clock, FIRST_MS_MAX, async () =>
    eye.frames >= 2 || eye.ended !== undefined ? true : undefined,
  );
  if (eye.ended !== undefined) return failed("picture.none", eye.ended);
  if (come === undefined || eye.fields === undefined)
    return failed("picture.none", "The device opens and gives no frames.");
  const brightest = Math.max(...eye.fields);
  const evidence = { size: eye.size, brightest: Math.round(brightest) };
  if (brightest <= DARK_MAX) return failed("picture.dark", "The frames come and are black.", evidence);
  return { ...passed(`Frames of ${eye.size} come.`, evidence), ...(await pictured(encode, eye.frame)) };
}

/** The picture for the report. Without one the step says all that it found. */
export async function pictured(
  encode: PictureStepsDeps["encode"],
  frame: VideoFrame | undefined,
  mark?: StepPicture["mark"],
): Promise<{ readonly picture?: StepPicture }> {
  const webp = frame && (await encode(frame).catch(() => undefined));
  return webp === undefined ? {} : { picture: { webp: webp.toString("base64"), ...(mark && { mark }) } };
}

async function light({ egm, clock, acts, encode }: PictureStepsDeps, eye: Eye): Promise<StepResult> {
  if (!acts) return skipped("No button is pressed in this run.");
  const wager = egm.description.buttons.find(({ kind }) => kind === "wager");
  if (wager === undefined) return skipped("The panel has no button that starts a game.");
  await atRest(clock, eye);
  if (eye.noise > RESTLESS)
    return noted("The picture moves by itself, so the delay cannot be read from it.", { noise: Math.round(eye.noise) });
  const before = await egm.meters();
  if (before.credit === 0) return failed("credit.none", "There is no credit on the machine.");
  const still = eye.fields;
  let change: { readonly frame: VideoFrame; readonly mark: StepPicture["mark"] } | undefined;
  let pressedAt = clock.now();
  eye.seen = (fields, frame) => {
    if (change !== undefined || still === undefined || frame.capturedAtMs < pressedAt) return;
    const mark = markOf(still, fields, eye.noise + MARGIN);
    if (mark !== undefined) change = { frame, mark };
  };
  const answer = await pressInTime({ egm, clock }, wager, before, (at) => {
    pressedAt = at;
    change = undefined;
  });
  if (answer.outcome === "refused")
    return failed("press.refused", `${wager.id} was refused: ${answer.reason ?? "no reason"}.`);
  await until(clock, LIGHT_MS_LOOKED, async () => change);
  const played = await until(clock, LIGHT_MS_LOOKED, async () => {
    const now = await egm.meters();
    return now.totals.wageredTotal > before.totals.wageredTotal || now.inGame ? true : undefined;
  });
  if (played === undefined) return noted("The press started no game, so there was no light to wait for.");
  await until(clock, LIGHT_MS_LOOKED * 4, async () => ((await egm.meters()).inGame ? undefined : true));
  const { frame = eye.frame, mark } = change ?? {};
  const shown = await pictured(encode, frame, mark);
  if (change === undefined)
    return { ...failed("picture.still", "A game ran, and no part of the picture changed."), ...shown };
  const delayMs = Math.round(change.frame.capturedAtMs - pressedAt);
  const evidence = { delayMs, noise: Math.round(eye.noise) };
  const says = `The light changed ${delayMs} ms after the press, first where the picture is marked.`;
  return { ...(delayMs > LIGHT_MS_MAX ? failed("light.slow", says, evidence) : passed(says, evidence)), ...shown };
}

/** Watches the picture while nothing happens, and keeps how much it changes by itself. */
async function atRest(clock: Clock, eye: Eye): Promise<void> {
  await until(clock, FIRST_MS_MAX, async () => eye.fields);
  const first = eye.fields;
  eye.seen = (fields) => {
    if (first !== undefined) eye.noise = Math.max(eye.noise, apart(first, fields));
  };
  await until(clock, REST_MS, async () => undefined);
}

/** The smallest part of the picture with every field that differs by more than `most`, as shares; undefined: none does. */
function markOf(one: Float64Array, other: Float64Array, most: number): StepPicture["mark"] {
  const at = Array.from(one.keys()).filter((field) => Math.abs((one[field] ?? 0) - (other[field] ?? 0)) > most);
  if (at.length === 0) return undefined;
  const columns = at.map((field) => field % ACROSS);
  const rows = at.map((field) => Math.floor(field / ACROSS));
  const [left, top] = [Math.min(...columns), Math.min(...rows)];
  return {
    ...{ x: left / ACROSS, y: top / DOWN },
    ...{ width: (Math.max(...columns) + 1 - left) / ACROSS, height: (Math.max(...rows) + 1 - top) / DOWN },
  };
}

function apart(one: Float64Array, other: Float64Array): number {
  return one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? 0))), 0);
}

/** The mean brightness of each field, from every fourth pixel of every second row. */
export function fieldsOf({ width, height, data }: VideoFrame): Float64Array {
  const sums = new Float64Array(ACROSS * DOWN);
  const counts = new Float64Array(ACROSS * DOWN);
  for (let y = 0; y < height; y += 2) {
    const row = Math.floor((y * DOWN) / height) * ACROSS;
    for (let x = 0; x < width; x += 4) {
      const field = row + Math.floor((x * ACROSS) / width);
      sums[field] = (sums[field] ?? 0) + (data[y * width + x] ?? 0);
      counts[field] = (counts[field] ?? 0) + 1;
    }
  }
  return sums.map((sum, at) => sum / Math.max(1, counts[at] ?? 1));
}
