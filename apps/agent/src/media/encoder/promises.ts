import { AV_CODEC_ID_H264, Codec, CodecContext, FFmpegError, Frame, Packet } from "node-av";
import type { VideoFrame } from "../../ports/source.ts";
import { splitAnnexB } from "../rtp/frame-packets.ts";
import { needsLater, readSps } from "../rtp/sps.ts";
import { hushFfmpeg } from "./av.ts";
import type { VideoEncoder, VideoEncoderSettings } from "./video-encoder.ts";
import { RATE_BUFFER_MS } from "./video-encoder.ts";

/*
 * What a player's delay and a narrow link need of an encoder of H.264. The tests ask it of x264, the doctor and the media process of every hardware
 * encoder. Nothing here asks for speed: that is measured beside it (`trial.ts`).
 */

export const TRIAL = {
  codec: "h264",
  width: 1280,
  height: 720,
  frameRate: 30,
  bitrate: 2_000_000,
  preset: "superfast",
} as const satisfies VideoEncoderSettings;

export type OpenEncoder = (settings: VideoEncoderSettings) => Promise<VideoEncoder>;

/** An encoder did not do what it must. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

/** Each opens encoders of its own, and rejects with a `BrokenPromise`, or with what the encoder failed with. */
export const PROMISES: Readonly<Record<string, (open: OpenEncoder) => Promise<void>>> = {
  "gives each frame at once, in order, as a decoder shows it": showsEachAtOnce,
  "makes a key frame where one is requested, and nowhere else": makesKeysOnRequest,
  "says constrained baseline, and that no frame leaves out of order": saysWhatItIs,
  "takes a new bitrate without a key frame": followsBitrate,
  "keeps to its rate buffer": keepsToBuffer,
};

const FRAMES = 24;

async function showsEachAtOnce(open: OpenEncoder): Promise<void> {
  using decoder = openDecoder();
  await encoded(open, async (encode) => {
    for (let n = 0; n < FRAMES; n += 1) {
      const { unit } = await encode(trialPicture(n), n === 0);
      const shown = await decoder.shows(unit).catch(() => {
        throw new BrokenPromise("A decoder refuses a frame.");
      });
      if (shown === null) throw new BrokenPromise(`A decoder shows nothing of frame ${n} when it comes.`);
      if (numberIn(shown) !== n) throw new BrokenPromise(`In the place of frame ${n} comes frame ${numberIn(shown)}.`);
    }
  });
}

async function makesKeysOnRequest(open: OpenEncoder): Promise<void> {
  const wanted = new Set([0, 9, 10, 20]);
  await encoded(open, async (encode) => {
    for (let n = 0; n < FRAMES; n += 1) {
      // Everything changes in the middle: a key frame that suggests itself there is not wanted either.
      const { unit, keyFrame } = await encode(n < FRAMES / 2 ? trialPicture(n) : otherPicture(n), wanted.has(n));
      const types = unitTypes(unit);
      const isKey = types.includes(IDR);
      if (isKey && !wanted.has(n)) throw new BrokenPromise(`Frame ${n} is a key frame that was not requested.`);
      if (!isKey && wanted.has(n)) throw new BrokenPromise(`Frame ${n} is no key frame, though one was requested.`);
      if (isKey !== keyFrame) throw new BrokenPromise(`Frame ${n} is not what FFmpeg calls it: ${types.join(", ")}.`);
      if (isKey && !(types.includes(SPS) && types.includes(PPS)))
        throw new BrokenPromise(`The key frame ${n} comes without its parameter sets.`);
    }
  });
}

async function saysWhatItIs(open: OpenEncoder): Promise<void> {
  await encoded(open, async (encode) => {
    for (let n = 0; n < FRAMES; n += 1) {
      const parts = splitAnnexB((await encode(trialPicture(n), n % 12 === 0)).unit);
      if (parts.some(needsLater)) throw new BrokenPromise(`Frame ${n} needs a later one (a slice of type B).`);
      for (const set of parts.filter((part) => typeOf(part) === SPS)) checkSet(readSps(set));
    }
  });
}

const BASELINE = 66;
/** `constraint_set1`: also a stream of the main profile, so that every decoder of browsers has all that it needs. */
const CONSTRAINED = 0b010000;

function checkSet(says: ReturnType<typeof readSps>): void {
  const { profile, constraints, reordered, buffered, references, plain, width, height } = says;
  if (profile !== BASELINE || (constraints & CONSTRAINED) === 0)
    throw new BrokenPromise(`Its profile is ${profile} with the flags ${constraints.toString(2)}.`);
  if (reordered !== 0 || buffered !== references)
    throw new BrokenPromise(`It lets a decoder hold ${buffered ?? "any number of"} frames for ${references}.`);
  if (!plain || width !== TRIAL.width || height !== TRIAL.height)
    throw new BrokenPromise(`Its frames are ${width}x${height}${plain ? "" : ", not 4:2:0 with eight bits"}.`);
}

const HALF_SECOND = TRIAL.frameRate / 2;
/** How much of its bitrate an encoder may use, and must use at least where there is enough to show. */
const RATE_SHARES = { least: 0.4, most: 1.1 } as const;
const LOW_BPS = TRIAL.bitrate / 4;

async function followsBitrate(open: OpenEncoder): Promise<void> {
  await encoded(open, async (encode, encoder) => {
    let n = 0;
    const grainy = Array.from({ length: GRAINS }, (_, grain) => grainyPicture(grain));
    const bitrateOf = async (): Promise<number> => {
      let bytes = 0;
      for (const till = n + HALF_SECOND; n < till; n += 1) {
        const picture = grainy[n % GRAINS] ?? grainyPicture(n);
        const { unit } = await encode({ ...picture, capturedAtMs: timeOf(n) }, n === 0);
        if (n > 0 && unitTypes(unit).includes(IDR))
          throw new BrokenPromise(`Frame ${n} is a key frame that was not requested, at a new bitrate.`);
        bytes += unit.length;
      }
      return bytes * 8 * 2;
    };
    for (const bitrate of [TRIAL.bitrate, LOW_BPS, TRIAL.bitrate]) {
      encoder.setBitrate(bitrate);
      // What is in the rate buffer may still leave.
      await bitrateOf();
      const share = (await bitrateOf()) / bitrate;
      if (share > RATE_SHARES.most || share < RATE_SHARES.least)
        throw new BrokenPromise(`At ${bitrate / 1_000} kbit/s it gives ${Math.round(share * 100)} % of that.`);
    }
  });
}

/** What the rate buffer holds, with a tenth for what rate control cannot foresee, ms of bitrate. */
const BURST_MS_MAX = RATE_BUFFER_MS * 1.1;

async function keepsToBuffer(open: OpenEncoder): Promise<void> {
  await encoded(open, async (encode) => {
    let waitingBits = 0;
    const rest = otherPicture(0);
    for (let n = 0; n < 4 * HALF_SECOND; n += 1) {
      // Half a second of rest, then everything changes, with a key frame in between.
      const isRest = n % (2 * HALF_SECOND) < HALF_SECOND;
      const picture = isRest ? rest : trialPicture(n * 5);
      const { unit } = await encode({ ...picture, capturedAtMs: timeOf(n) }, n % (2 * HALF_SECOND) === 20);
      waitingBits += unit.length * 8;
      const burstMs = (waitingBits * 1_000) / TRIAL.bitrate;
      if (burstMs > BURST_MS_MAX)
        throw new BrokenPromise(`Frame ${n} makes a burst of ${Math.round(burstMs)} ms of its bitrate.`);
      waitingBits = Math.max(0, waitingBits - TRIAL.bitrate / TRIAL.frameRate);
    }
  });
}

type Encode = (picture: VideoFrame, keyFrame: boolean) => Promise<{ unit: Buffer; keyFrame: boolean }>;

async function encoded(open: OpenEncoder, run: (encode: Encode, encoder: VideoEncoder) => Promise<void>) {
  const encoder = await open(TRIAL);
  let n = 0;
  try {
    await run(async (picture, keyFrame) => {
      const unit = await encoder.encode(picture, keyFrame);
      if (unit === null) throw new BrokenPromise(`Frame ${n} does not come out when it goes in.`);
      n += 1;
      return unit;
    }, encoder);
  } finally {
    await encoder.close();
  }
}

const [IDR, SPS, PPS] = [5, 7, 8];
const typeOf = (unit: Uint8Array): number => (unit[0] ?? 0) & 31;
const unitTypes = (unit: Buffer): number[] => splitAnnexB(unit).map(typeOf);

/** A decoder of H.264 that goes by the parameter sets, as a browser's does. It throws where FFmpeg has none. */
export function openDecoder() {
  hushFfmpeg();
  const codec = Codec.findDecoder(AV_CODEC_ID_H264);
  if (codec === null) throw new Error("The installed FFmpeg has no decoder of H.264.");
  const context = new CodecContext();
  context.allocContext3(codec);
  context.threadCount = 1;
  FFmpegError.throwIfError(context.open2Sync(codec, null), "open2");
  const [packet, frame] = [new Packet(), new Frame()];
  packet.alloc();
  frame.alloc();
  return {
    /** What it shows once it has this access unit (Annex B); null: nothing yet. Rejects with an `FFmpegError` when it refuses the unit. */
    async shows(unit: Buffer): Promise<Uint8Array | null> {
      packet.data = unit;
      FFmpegError.throwIfError(await context.sendPacket(packet), "sendPacket");
      return (await context.receiveFrame(frame)) < 0 ? null : frame.toBuffer();
    },
    [Symbol.dispose](): void {
      packet.free();
      frame.free();
      context.freeContext();
    },
  };
}

const { width: WIDTH, height: HEIGHT } = TRIAL;
const timeOf = (n: number): number => 1_700_000_000_000 + (n * 1_000) / TRIAL.frameRate;

/** A frame's number is painted in it: fields along its upper edge, one for each bit. */
const BITS = 16;
const FIELD = { width: WIDTH / BITS, height: 64 } as const;
const [DARK, LIGHT] = [40, 200];

/** Shapes that move over two thirds of the frame: as much work as turning reels. */
export function trialPicture(n: number): VideoFrame {
  const data = new Uint8Array((WIDTH * HEIGHT * 3) / 2).fill(128);
  for (let at = WIDTH * FIELD.height; at < (WIDTH * HEIGHT * 2) / 3; at += 1)
    data[at] = 30 + ((((at % WIDTH) + n * 9) ^ (at >> 11)) % 190);
  for (let bit = 0; bit < BITS; bit += 1) {
    const light = (n >> bit) % 2 === 1 ? LIGHT : DARK;
    for (let y = 0; y < FIELD.height; y += 1) {
      const from = y * WIDTH + bit * FIELD.width;
      data.fill(light, from, from + FIELD.width);
    }
  }
  return { width: WIDTH, height: HEIGHT, data, capturedAtMs: timeOf(n) };
}

function numberIn(light: Uint8Array): number {
  let n = 0;
  for (let bit = 0; bit < BITS; bit += 1) {
    const middle = (FIELD.height / 2) * WIDTH + (bit + 0.5) * FIELD.width;
    if ((light[middle] ?? 0) > (DARK + LIGHT) / 2) n += 2 ** bit;
  }
  return n;
}

/** A scene that has nothing of the first: light slopes the other way. */
function otherPicture(n: number): VideoFrame {
  const picture = trialPicture(n);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1)
    picture.data[at] = 235 - ((Math.floor(at / WIDTH) + (at % WIDTH)) % 200);
  return picture;
}

/** So many frames differ in their grain; then it is that of the first again. */
const GRAINS = 5;

/** As the first, with grain, so that no bitrate is enough. */
function grainyPicture(n: number): VideoFrame {
  const picture = trialPicture(n);
  let noise = 12_345 + n;
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff;
    picture.data[at] = Math.max(16, Math.min(235, (picture.data[at] ?? 0) + ((noise >> 16) % 128) - 64));
  }
  return picture;
}
