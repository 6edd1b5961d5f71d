import { createSoundEncoder } from "../media/encoder/sound-encoder.ts";
import { encodeStill } from "../media/encoder/still-encoder.ts";
import { createVideoEncoder } from "../media/encoder/video-encoder.ts";
import type { Clock } from "../ports/clock.ts";
import type { Picture } from "../ports/source.ts";
import type { VideoCodec } from "../ports/transport.ts";
import type { Finding } from "./finding.ts";
import { bad, good, wordsOf } from "./finding.ts";

const PART = "codecs";
const WIDTH = 1280;
const HEIGHT = 720;
const RATE = 30;
/** Pictures of the trial. */
const PICTURES = 20;
const INSTALL = "Install the package node-av again (npm ci); its FFmpeg must have libx264, libvpx, libopus and libwebp";

/** Whether the linked FFmpeg encodes what browsers want, and quickly enough. */
export async function checkCodecs(clock: Clock): Promise<Finding[]> {
  const findings: Finding[] = [];
  const trial = async (name: string, run: () => Promise<string>): Promise<void> => {
    try {
      findings.push(good(PART, await run()));
    } catch (error) {
      findings.push(bad(PART, `${name} does not work: ${wordsOf(error)}`, INSTALL));
    }
  };
  for (const [codec, name] of [
    ["h264", "H.264"],
    ["vp8", "VP8"],
  ] as const) {
    try {
      findings.push(speed(name, await encodeMs(codec, clock)));
    } catch (error) {
      findings.push(bad(PART, `${name} does not work: ${wordsOf(error)}`, INSTALL));
    }
  }
  await trial("Opus", async () => {
    await (await createSoundEncoder()).close();
    return "Opus carries the sound.";
  });
  await trial("WebP", async () => {
    const bytes = await encodeStill(picture(0, clock));
    return `WebP carries the lobby's stills (${bytes.length} bytes).`;
  });
  return findings;
}

function speed(name: string, ms: number): Finding {
  const says = `${name} takes ${ms.toFixed(1)} ms for a picture of ${WIDTH}x${HEIGHT}.`;
  if (ms < 1_000 / RATE) return good(PART, says);
  const change = "Give the agent a quicker processor, end what else runs here, or choose a smaller size or rate";
  return bad(PART, `${says} That is too slow for ${RATE} pictures a second.`, change);
}

async function encodeMs(codec: VideoCodec, clock: Clock): Promise<number> {
  const settings = {
    codec,
    width: WIDTH,
    height: HEIGHT,
    frameRate: RATE,
    bitrate: 3_000_000,
    preset: "superfast",
  } as const;
  const encoder = await createVideoEncoder(settings);
  try {
    await encoder.encode(picture(0, clock), true);
    const took: number[] = [];
    for (let count = 1; count <= PICTURES; count += 1) {
      const next = picture(count, clock);
      const startedAtMs = clock.now();
      await encoder.encode(next, false);
      took.push(clock.now() - startedAtMs);
    }
    // The median: a hiccup of the computer is not the codec's.
    return took.toSorted((a, b) => a - b)[PICTURES >> 1] ?? 0;
  } finally {
    await encoder.close();
  }
}

/** A slope that moves over two thirds of the picture: as much work as turning reels. */
function picture(count: number, clock: Clock): Picture {
  const data = new Uint8Array((WIDTH * HEIGHT * 3) / 2).fill(128);
  for (let at = 0; at < (WIDTH * HEIGHT * 2) / 3; at += 1)
    data[at] = 30 + ((((at % WIDTH) + count * 9) ^ (at >> 11)) % 190);
  return { width: WIDTH, height: HEIGHT, data, capturedAtMs: clock.now() };
}
