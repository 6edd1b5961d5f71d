import * as z from "zod/mini";
import type { Clock } from "../../ports/clock.ts";
import { openWatched } from "./encoder-choice.ts";
import type { OpenEncoder } from "./promises.ts";
import { PROMISES, TRIAL, trialPicture } from "./promises.ts";
import type { VideoEncoder } from "./video-encoder.ts";

const Why = z.string().check(z.maxLength(500));
const Ms = z.number().check(z.gte(0));

/** What a trial found. It comes from a process of its own, in which a driver of the graphics card ran. */
export const TrialOutcome = z.discriminatedUnion("is", [
  z.object({
    is: z.literal("kept"),
    /** 95 of 100 frames come out within this. */
    delayMsP95: Ms,
    /** Time of a processor for one frame, all threads and the system's part. */
    processorMs: Ms,
  }),
  /** It does not open here. */
  z.object({ is: z.literal("absent"), why: Why }),
  z.object({ is: z.literal("broken"), why: Why }),
]);
export type TrialOutcome = z.infer<typeof TrialOutcome>;

interface TrialDeps {
  readonly clock: Clock;
  /** Time of a processor that this process has used, ms. */
  processorMs(): number;
}

/** Whether an encoder keeps what is promised of every encoder; then what it costs. */
export async function tryEncoder(open: OpenEncoder, deps: TrialDeps): Promise<TrialOutcome> {
  const watched: OpenEncoder = (settings) => openWatched(() => open(settings), deps.clock);
  try {
    await (await watched(TRIAL)).close();
  } catch (error) {
    return { is: "absent", why: sentence(error) };
  }
  for (const [promise, keeps] of Object.entries(PROMISES)) {
    try {
      await keeps(watched);
    } catch (error) {
      return { is: "broken", why: sentence(`Not so: "${promise}". ${messageOf(error)}`) };
    }
  }
  try {
    return { is: "kept", ...(await measure(await watched(TRIAL), deps)) };
  } catch (error) {
    return { is: "broken", why: sentence(error) };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const sentence = (error: unknown): string => messageOf(error).slice(0, 500);

/** Frames that are painted before, and how often all of them are encoded. */
const PICTURES = 20;
const ROUNDS = 4;

/** Frame by frame at the rate of a machine, because a graphics card sleeps between them as it would with a player. */
async function measure(encoder: VideoEncoder, { clock, processorMs }: TrialDeps) {
  const pictures = Array.from({ length: PICTURES }, (_, n) => trialPicture(n));
  const delays: number[] = [];
  const startedAtMs = clock.now();
  const usedMs = processorMs();
  for (let n = 0; n < PICTURES * ROUNDS; n += 1) {
    const dueMs = startedAtMs + (n * 1_000) / TRIAL.frameRate - clock.now();
    await new Promise<void>((due) => clock.after(Math.max(0, dueMs), due));
    const picture = pictures[n % PICTURES] ?? trialPicture(n);
    const fromMs = clock.now();
    await encoder.encode({ ...picture, capturedAtMs: fromMs }, n === 0);
    delays.push(clock.now() - fromMs);
  }
  const used = processorMs() - usedMs;
  await encoder.close();
  const delayMsP95 = delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.95)] ?? 0;
  return { delayMsP95, processorMs: used / delays.length };
}
