import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { VideoEncoder } from "../encoder/video-encoder.ts";
import { createVideoEncoder } from "../encoder/video-encoder.ts";
import { splitAnnexB } from "./frame-packets.ts";
import { frameNumberOf, readHead, renumbered, withParameters } from "./slices.ts";

const size = { width: 320, height: 192 };
const open: VideoEncoder[] = [];
afterEach(async () => {
  for (const encoder of open.splice(0)) await encoder.close();
});

async function unitsOf(count: number, bitrate = 700_000): Promise<Buffer[]> {
  const settings = { codec: "h264", ...size, frameRate: 30, bitrate, preset: "ultrafast" } as const;
  const encoder = await createVideoEncoder(settings);
  open.push(encoder);
  const units: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    const data = Uint8Array.from({ length: size.width * size.height * 1.5 }, (_, at) => (at * 31 + index * at) % 200);
    const frame = { ...size, data, capturedAtMs: 1_700_000_000_000 + index * 33 };
    units.push((await encoder.encode(frame, index === 0))?.unit ?? Buffer.alloc(0));
  }
  return units;
}

test("frames are numbered from the key frame on, and can be numbered anew any number of times", async () => {
  const [key = Buffer.alloc(0), ...frames] = await unitsOf(40);
  const bits = readHead(key)?.says.frameNumberBits ?? 0;
  expect(frameNumberOf(key, bits)).toBeUndefined();
  for (const [at, frame] of frames.entries()) expect(frameNumberOf(frame, bits)).toBe((at + 1) % 2 ** bits);
  fc.assert(
    fc.property(fc.nat(frames.length - 1), fc.nat(2 ** bits - 1), fc.nat(2 ** bits - 1), (at, one, other) => {
      const frame = frames[at] ?? Buffer.alloc(0);
      const changed = renumbered(frame, bits, one);
      expect(frameNumberOf(changed, bits)).toBe((at + 1 - one + 2 ** bits) % 2 ** bits);
      expect(splitAnnexB(changed)).toHaveLength(splitAnnexB(frame).length);
      expect(renumbered(renumbered(changed, bits, other), bits, -one - other)).toEqual(renumbered(frame, bits, 0));
    }),
  );
});

test("a number that makes a start code is guarded, and the guard goes with it", () => {
  // Type 1; place 0, slice type 5, set 0: 1 00110 1, then a number of 12 bits and zeros.
  const slice = Buffer.from("00000001419a00200001ff", "hex");
  expect(frameNumberOf(slice, 12)).toBe(1);
  const zero = renumbered(slice, 12, 1);
  expect(zero.toString("hex")).toBe("00000001419a0000030001ff");
  expect(frameNumberOf(zero, 12)).toBe(0);
  expect(renumbered(zero, 12, -1)).toEqual(slice);
});

test("a key frame of an encoder for another rate takes the parameters of the stream; one of another size does not", async () => {
  const [key = Buffer.alloc(0)] = await unitsOf(1);
  const [other = Buffer.alloc(0)] = await unitsOf(1, 9_000_000);
  const head = readHead(key)!;
  const taken = withParameters(other, head)!;
  expect(readHead(taken)?.sets).toEqual(head.sets);
  expect(splitAnnexB(taken).at(-1)).toEqual(splitAnnexB(other).at(-1));
  expect(withParameters(other, { ...head, says: { ...head.says, frameNumberBits: 5 } })).toBeUndefined();
  expect(withParameters(other, { ...head, sets: head.sets.slice(0, 1) })).toBeUndefined();
  expect(withParameters(splitAnnexB(other).at(-1)!, head)).toBeUndefined();
  expect(readHead(Buffer.from("0000000141ff", "hex"))).toBeUndefined();
  expect(readHead(Buffer.from("000000016742", "hex"))).toBeUndefined();
});
