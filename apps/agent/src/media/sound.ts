import type { SoundBlock } from "../ports/source.ts";
import { SOUND_BLOCK_FRAMES } from "../ports/source.ts";
import type { SoundEncoder } from "./encoder/sound-encoder.ts";
import { createSoundEncoder } from "./encoder/sound-encoder.ts";
import type { MediaPacket } from "./rtp/packet.ts";
import { createSoundClock } from "./rtp/sound-clock.ts";

/** Blocks of a machine's sound to Opus packets; opens its encoder with the first block. */
export function createSoundLane(deliver: (packet: MediaPacket) => void, problem: (sentence: string) => void) {
  const timestampOf = createSoundClock(SOUND_BLOCK_FRAMES);
  let opening: Promise<SoundEncoder> | null = null;
  let encoder: SoundEncoder | null = null;
  let closed = false;

  const encode = async (ready: SoundEncoder, block: SoundBlock) => {
    const timestamp = timestampOf(block.capturedAtMs);
    const payload = await ready.encode(block);
    if (payload && !closed) deliver({ payload, timestamp, marker: false });
  };
  const failed = (error: unknown) =>
    problem(`The sound encoder failed: ${error instanceof Error ? error.message : String(error)}`);

  return {
    block(block: SoundBlock): void {
      if (closed) return;
      if (encoder) encode(encoder, block).catch(failed);
      else if (!opening) {
        opening = createSoundEncoder();
        // Stays as it is after a failure: a missing codec does not come back, and the picture goes on without sound.
        opening.then((opened) => {
          encoder = opened;
        }, failed);
      }
    },
    async close(): Promise<void> {
      closed = true;
      const opened = await opening?.catch(() => null);
      await opened?.close();
    },
  };
}
