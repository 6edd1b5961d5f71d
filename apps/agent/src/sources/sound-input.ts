import type { Clock, Stop } from "../ports/clock.ts";
import type { SoundBlock } from "../ports/source.ts";
import { createCaptureTimes } from "./capture-times.ts";
import type { OpenedInput, OpenInput } from "./open-input.ts";
import type { InputOrder } from "./order.ts";
import { createSoundBlocks } from "./sound-blocks.ts";

/** A sound device that failed is tried again after this, ms: the picture does not wait for it. */
const RETRY_MS = 5_000;

export interface SoundInputDeps {
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly openInput: OpenInput;
  problem(sentence: string): void;
}

/** Sound of a device of its own, opened again whenever it fails. */
export function keepSoundOpen(
  order: InputOrder,
  { clock, wallNow, openInput, problem }: SoundInputDeps,
  sink: { audio(block: SoundBlock): void },
): { close(): Promise<void> } {
  let closed = false;
  let input: OpenedInput | undefined;
  let opening: Promise<void> = Promise.resolve();
  let stopRetry: Stop | undefined;
  const times = createCaptureTimes(order.stamps, clock.now, wallNow);

  const failed = (error: unknown): void => {
    // Sound that cannot be read fails with each block of it.
    if (closed || stopRetry !== undefined) return;
    problem(`There is no sound. ${error instanceof Error ? error.message : String(error)}`);
    stopRetry = clock.after(RETRY_MS, start);
  };
  const blocks = createSoundBlocks((block) => closed || sink.audio(block), failed);
  const open = async (): Promise<void> => {
    const before = input;
    input = undefined;
    await before?.close();
    if (closed) return;
    const opened = await openInput(
      order,
      { video: false, audio: true },
      {
        video: (frame) => frame.free(),
        audio: (frame, stampMs) => blocks.take(frame, times.of(stampMs)),
        ended: failed,
      },
    );
    if (closed) await opened.close();
    else input = opened;
  };
  function start(): void {
    stopRetry = undefined;
    opening = opening.then(open).catch(failed);
  }

  start();
  return {
    async close() {
      closed = true;
      stopRetry?.();
      await opening;
      await input?.close();
      blocks.close();
    },
  };
}
