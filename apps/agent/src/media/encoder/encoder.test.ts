import { afterEach, describe, expect, test } from "vitest";
import type { VideoFrame } from "../../ports/source.ts";
import { decodePicture } from "../../testing/decode-picture.ts";
import { encoderConformance } from "./encoder.conformance.ts";
import { createSoundEncoder } from "./sound-encoder.ts";
import { cropToShape, encodeStill } from "./still-encoder.ts";
import type { VideoEncoder, VideoEncoderSettings } from "./video-encoder.ts";
import { createVideoEncoder } from "./video-encoder.ts";

const settings: VideoEncoderSettings = {
  codec: "h264",
  width: 640,
  height: 360,
  frameRate: 30,
  bitrate: 2_000_000,
  preset: "superfast",
};

/** Noise in a moving window, so that the encoder has work to do; the same for every run. */
function pictureAt(index: number): VideoFrame {
  const { width, height } = settings;
  const data = new Uint8Array((width * height * 3) / 2).fill(128);
  let noise = 12_345 + index;
  for (let at = 0; at < width * height; at += 1) {
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff;
    data[at] = 40 + ((noise >> 16) % 160);
  }
  return { width, height, data, capturedAtMs: 1_700_000_000_000 + index * 33.3 };
}

encoderConformance("x264", createVideoEncoder);

const open: VideoEncoder[] = [];
afterEach(async () => {
  for (const encoder of open.splice(0)) await encoder.close();
});

async function encoderOf(changes: Partial<VideoEncoderSettings> = {}): Promise<VideoEncoder> {
  const encoder = await createVideoEncoder({ ...settings, ...changes });
  open.push(encoder);
  return encoder;
}

async function bytesOf(encoder: VideoEncoder, from: number, count: number): Promise<number> {
  let bytes = 0;
  for (let index = from; index < from + count; index += 1) {
    bytes += (await encoder.encode(pictureAt(index), false))?.unit.length ?? 0;
  }
  return bytes;
}

describe("video encoder", () => {
  test("of VP8 gives each frame at once: it holds none back", async () => {
    const encoder = await encoderOf({ codec: "vp8" });
    for (let index = 0; index < 12; index += 1) {
      const frame = pictureAt(index);
      const encoded = await encoder.encode(frame, index === 7);
      expect(encoded).toMatchObject({ capturedAtMs: frame.capturedAtMs, keyFrame: index % 7 === 0 });
    }
  });

  test("stays within its bitrate when a frame full of change follows quiet ones", async () => {
    const encoder = await encoderOf({ preset: "ultrafast" });
    for (let index = 0; index < 30; index += 1)
      await encoder.encode({ ...pictureAt(0), capturedAtMs: 1_700_000_000_000 + index * 33.3 }, index === 0);
    const halfASecond = settings.bitrate / 8 / 2;
    for (const from of [30, 45]) {
      const bytes = await bytesOf(encoder, from, 15);
      expect(bytes).toBeLessThan(halfASecond);
      expect(bytes).toBeGreaterThan(halfASecond / 4);
    }
  });

  const poor = { width: 1280, height: 720 };
  const POOREST_BPS = 250_000;

  /** Fields of light and dark, as large as a symbol's half, with some grain, moved down so many pixels. */
  function fieldsAt(index: number, moved: number): VideoFrame {
    const { width, height } = poor;
    const data = new Uint8Array((width * height * 3) / 2).fill(128);
    for (let at = 0; at < width * height; at += 1) {
      const isLight = (((at % width) >> 6) + ((Math.floor(at / width) + moved) >> 6)) % 2 === 0;
      data[at] = (isLight ? 190 : 50) + ((at * 7_919) % 23);
    }
    return { ...poor, data, capturedAtMs: 1_700_000_000_000 + index * 33.3 };
  }

  /** How far what a viewer sees of a key frame is from the frame, of 255. */
  async function offBy({ data }: VideoFrame, unit: Uint8Array): Promise<number> {
    const shown = (await decodePicture(Buffer.from(unit))).data;
    const light = data.subarray(0, poor.width * poor.height);
    return light.reduce((sum, value, index) => sum + Math.abs(value - (shown[index] ?? 0)), 0) / light.length;
  }

  test.for([
    { what: "that stands still", moves: 0 },
    { what: "whose reels turn, and that leave the rate buffer empty", moves: 24 },
  ])("has a key frame show a frame $what on the poorest link, too", async ({ moves }) => {
    const encoder = await encoderOf({ ...poor, preset: "ultrafast", bitrate: 3_000_000 });
    const changed = moves === 0 ? [] : null;
    for (let index = 0; index < 20; index += 1) await encoder.encode(fieldsAt(index, 0), index === 0);
    encoder.setBitrate(POOREST_BPS);
    for (let index = 20; index < 40; index += 1) await encoder.encode(fieldsAt(index, index * moves), false, changed);
    const last = fieldsAt(40, 40 * moves);
    const { unit, keyFrame } = (await encoder.encode(last, true, changed))!;
    expect(keyFrame).toBe(true);
    // A plain grey is 70 off.
    expect(await offBy(last, unit)).toBeLessThan(20);
    expect(unit.length).toBeLessThan(8_000);
  });

  test("re-opens VP8 for a large change of bitrate, with a key frame", async () => {
    const encoder = await encoderOf({ codec: "vp8" });
    await bytesOf(encoder, 0, 60);
    encoder.setBitrate(400_000);
    expect((await encoder.encode(pictureAt(60), false))?.keyFrame).toBe(true);
    expect((await encoder.encode(pictureAt(61), false))?.keyFrame).toBe(false);
    expect((await encoder.encode(pictureAt(62), true))?.keyFrame).toBe(true);
  });

  test("refuses a frame while busy and copies the one it took", async () => {
    const encoder = await encoderOf();
    const frame = pictureAt(0);
    const first = encoder.encode(frame, true);
    frame.data.fill(0);
    expect(encoder.busy).toBe(true);
    await expect(encoder.encode(pictureAt(1), false)).rejects.toThrow("busy");
    // A black frame would be a few hundred bytes.
    expect((await first)!.unit.length).toBeGreaterThan(4000);
    expect(encoder.busy).toBe(false);
  });
});

describe("what stands still", () => {
  /** Steps of light, which the encoder has sharp after a few frames. */
  const steps = (index: number, turned: boolean): VideoFrame => {
    const frame = pictureAt(index);
    const { width, height } = settings;
    for (let at = 0; at < width * height; at += 1) {
      const step = ((at % width) >> 5) + (Math.floor(at / width) >> 5);
      frame.data[at] = 40 + (turned ? 7 - (step % 8) : step % 8) * 20;
    }
    return frame;
  };
  test("is taken over without a look, however it looks; what changed is encoded", async () => {
    const sizes: number[] = [];
    for (const changed of [null, [], [{ x: 0, y: 0, width: 64, height: 64 }]]) {
      const encoder = await encoderOf({ preset: "ultrafast" });
      await encoder.encode(steps(0, false), true);
      for (let n = 1; n < 40; n += 1) await encoder.encode(steps(n, false), false, []);
      sizes.push((await encoder.encode(steps(40, true), false, changed))!.unit.length);
    }
    const [all, nothing, corner] = sizes as [number, number, number];
    expect(nothing).toBeLessThan(100);
    expect(corner).toBeGreaterThan(nothing);
    expect(corner).toBeLessThan(all / 2);
  });
  test("begins anew with a key frame, and places beyond the edge are cut", async () => {
    const encoder = await encoderOf();
    const beyond = [{ x: -8, y: 352, width: 1_000, height: 1_000 }];
    expect((await encoder.encode(pictureAt(0), true, []))!.unit.length).toBeGreaterThan(4_000);
    expect((await encoder.encode(pictureAt(1), false, beyond))!.keyFrame).toBe(false);
    expect((await encoder.encode(pictureAt(2), true, []))!.keyFrame).toBe(true);
  });
});

describe("sound encoder", () => {
  test("makes one packet a block, in order, and drops what would wait too long", async () => {
    const encoder = await createSoundEncoder();
    const samples = new Int16Array(1920).map((_, at) => Math.round(8000 * Math.sin(at / 20)));
    const packets = await Promise.all(
      Array.from({ length: 6 }, (_, at) => encoder.encode({ samples, capturedAtMs: at * 20 })),
    );
    expect(packets.filter((packet) => packet !== null)).toHaveLength(3);
    const next = await encoder.encode({ samples, capturedAtMs: 200 });
    expect(next!.length).toBeGreaterThan(20);
    expect(next!.length).toBeLessThan(600);
    await encoder.close();
    expect(await encoder.encode({ samples, capturedAtMs: 220 })).toBeNull();
  });
});

describe("still encoder", () => {
  test("makes a WebP of 640 by 400 from the middle", async () => {
    const still = await encodeStill(pictureAt(3));
    expect(still.subarray(0, 4).toString("latin1")).toBe("RIFF");
    expect(still.subarray(8, 15).toString("latin1")).toBe("WEBPVP8");
    expect(still.readUInt16LE(26) & 0x3fff).toBe(640);
    expect(still.readUInt16LE(28) & 0x3fff).toBe(400);
  });

  test("crops to the shape with even edges", () => {
    const frame = { width: 1280, height: 720, data: new Uint8Array(1280 * 720 * 1.5), capturedAtMs: 0 };
    frame.data[64] = 77;
    const middle = cropToShape(frame, 1.6);
    expect([middle.width, middle.height, middle.data.length]).toEqual([1152, 720, 1152 * 720 * 1.5]);
    expect(middle.data[0]).toBe(77);
  });

  test("around the glass it holds all of it and little more, and stays inside the frame", () => {
    const frame = { width: 1280, height: 720, data: new Uint8Array(1280 * 720 * 1.5), capturedAtMs: 0 };
    const glass = { x: 0.2, y: 0.2, width: 0.6, height: 0.6 };
    const around = cropToShape(frame, 1.6, glass);
    expect([around.width, around.height]).toEqual([768, 480]);
    const corner = cropToShape(frame, 1.6, { x: 0.8, y: 0.8, width: 0.2, height: 0.2 });
    expect([corner.width, corner.height, corner.data.length]).toEqual([256, 160, 256 * 160 * 1.5]);
  });
});
