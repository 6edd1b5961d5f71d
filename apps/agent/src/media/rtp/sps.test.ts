import fc from "fast-check";
import {
  AV_CODEC_ID_H264,
  AV_LOG_FATAL,
  AV_LOG_QUIET,
  AVMEDIA_TYPE_VIDEO,
  BitStreamFilter,
  BitStreamFilterContext,
  Log,
  Packet,
} from "node-av";
import { describe, expect, test } from "vitest";
import { createInOrder, inOrderSps, inOrderUnit, needsLater, readSps, SpsProblem } from "./sps.ts";

/** As FFmpeg's libx264 writes them, and as cameras send them; each with what it says. */
const KNOWN = {
  baseline: ["Z0LAH9oBQBboQAAAAwBAAAAPI8YMqA==", { profile: 66, level: 31, width: 1280, height: 720, reordered: 0 }],
  "main with B frames": [
    "Z01AKOygPAET8sIAAAMAAgAAAwB4HjBjLA==",
    { profile: 77, level: 40, width: 1920, height: 1080, references: 4, reordered: 2, buffered: 4 },
  ],
  "with a rate buffer": [
    "Z2QAH6zZQFAFuhAAAAMAEAAAAwPGJAAPQkAB6EosMA+MGMs=",
    { profile: 100, level: 31, width: 1280, height: 720, reordered: 2, buffered: 4 },
  ],
  interlaced: ["Z2QAH6zZQLQk0IAAAAMAgAAAHg+LFss=", { width: 720, height: 576, plain: false }],
  "with its shape and colours": [
    "Z2QAH6zZQLQSb/wB7AGSnAQEBtwAAAMABAAAAwDwPGDGWA==",
    { width: 720, height: 576, plain: true, reordered: 2 },
  ],
  "a camera of 640x480": ["Z0IAKeKQFAe2AtwEBAaQeJEV", { profile: 66, width: 640, height: 480, reordered: 0 }],
  "a camera that says nothing": [
    "Z00AKp2oHgCJ+WbgICAgQA==",
    { profile: 77, width: 1920, height: 1080, orderType: 2, references: 1, reordered: undefined },
  ],
  "a camera without annex E": [
    "Z2QAM6wVFKAoALWQ",
    { profile: 100, level: 51, width: 2560, height: 1440, orderType: 0, orderBits: 13, reordered: undefined },
  ],
  "a camera with two references": ["Z00AKZpmA8ARPyzUBAQFAAADA+gAAOpgBA==", { references: 2, frameNumberBits: 9 }],
} as const;
const sets = Object.values(KNOWN).map(([text]) => bytesOf(text));
const [BASELINE] = sets as [Buffer];

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "base64");
}

/** Whether FFmpeg's own reader and writer of parameter sets takes it. */
function ffmpegTakes(unit: Uint8Array): boolean {
  const filter = BitStreamFilter.getByName("h264_metadata");
  if (filter === null) throw new Error("There is no h264_metadata.");
  const context = new BitStreamFilterContext();
  context.alloc(filter);
  Object.assign(context.inputCodecParameters ?? {}, { codecType: AVMEDIA_TYPE_VIDEO, codecId: AV_CODEC_ID_H264 });
  context.init();
  using packet = new Packet();
  packet.alloc();
  packet.data = Buffer.concat([Buffer.of(0, 0, 0, 1), unit]);
  const takes = context.sendPacketSync(packet) >= 0 && context.receivePacketSync(packet) >= 0;
  context.free();
  return takes;
}

function isRead(unit: Uint8Array): boolean {
  try {
    readSps(unit);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SpsProblem);
    return false;
  }
}

describe("a sequence parameter set", () => {
  test.each(Object.entries(KNOWN))("of %s is read", (_, [text, says]) => {
    expect(readSps(bytesOf(text))).toMatchObject(says);
  });

  test("that is rewritten says that frames leave in order, and the same of everything else", () => {
    for (const set of sets) {
      const before = readSps(set);
      const after = inOrderSps(set);
      expect(readSps(after)).toEqual({ ...before, reordered: 0, buffered: before.references });
      expect(ffmpegTakes(after)).toBe(true);
      expect(inOrderSps(after)).toBe(after);
    }
    // x264 says it already.
    expect(inOrderSps(BASELINE)).toBe(BASELINE);
  });

  test("that breaks off anywhere, is followed by more, or is huge is refused", () => {
    for (const set of sets) {
      for (let end = 0; end < set.length; end += 1) expect(isRead(set.subarray(0, end))).toBe(false);
      for (const more of [[0], [1], [0x80], [0, 0, 3]]) expect(isRead(Buffer.of(...set, ...more))).toBe(false);
    }
    expect(isRead(Buffer.concat([BASELINE, Buffer.alloc(5_000, 1)]))).toBe(false);
  });

  test.each([
    ["another kind of unit", [0x68, 66, 0xc0, 31, 0xda, 1]],
    ["a first bit that is set", [0xe7, ...BASELINE.subarray(1)]],
    ["a start code inside", [0x67, 66, 0xc0, 31, 0, 0, 1, 0xda]],
    ["a guard before nothing to guard", [0x67, 66, 0xc0, 31, 0, 0, 3, 0xda]],
    ["a number of more than 32 bits", [0x67, 66, 0xc0, 31, 0, 0, 3, 0, 0, 3, 1, 0xff, 0xff, 0xff, 0xff, 0x80]],
    ["a frame of more than the highest level", [0x67, 66, 0xc0, 31, 0xfa, 0, 8, 0, 0x80, 8, 0, 0x80]],
  ])("with %s is refused", (_, bytes) => {
    expect(isRead(Uint8Array.from(bytes))).toBe(false);
  });

  test("with any damage is read only where FFmpeg reads it too, and can be rewritten then", () => {
    const flips = fc.array(fc.tuple(fc.nat(60), fc.nat(7)), { minLength: 1, maxLength: 4 });
    Log.setLevel(AV_LOG_QUIET);
    fc.assert(
      fc.property(fc.constantFrom(...sets), flips, (set, changes) => {
        const damaged = Buffer.from(set);
        for (const [at, bit] of changes) damaged[1 + (at % (damaged.length - 1))]! ^= 1 << bit;
        if (!isRead(damaged)) return;
        expect(ffmpegTakes(damaged)).toBe(true);
        expect(ffmpegTakes(inOrderSps(damaged))).toBe(true);
      }),
      { seed: 21, numRuns: 2_000 },
    );
    Log.setLevel(AV_LOG_FATAL);
  });
});

describe("an access unit", () => {
  const [, reordering] = sets as [Buffer, Buffer];
  const START = Buffer.of(0, 0, 0, 1);
  const unitOf = (...parts: readonly Uint8Array[]) => Buffer.concat(parts.flatMap((part) => [START, part]));
  const KEY = Buffer.of(0x65, 0x88, 0x84);
  /** Slices of the types P and B, of the first macroblock. */
  const P = Buffer.of(0x41, 0b1_1_1_00000);
  const B = Buffer.of(0x01, 0b1_010_0000);

  test("keeps all else when its parameter set is rewritten, and is the same where nothing is to be done", () => {
    const picture = Buffer.of(0x68, 0xce, 1);
    expect(inOrderUnit(unitOf(reordering, picture, KEY))).toEqual(unitOf(inOrderSps(reordering), picture, KEY));
    const done = unitOf(BASELINE, picture, KEY);
    expect(inOrderUnit(done)).toBe(done);
    const unreadable = unitOf(reordering.subarray(0, 9), KEY);
    expect(inOrderUnit(unreadable)).toBe(unreadable);
    for (const odd of [Buffer.alloc(0), Buffer.alloc(3), START, Buffer.of(0, 0, 1, 0x67)])
      expect(inOrderUnit(odd)).toBe(odd);
  });

  test("of a camera is left alone once a frame needed a later one", () => {
    expect([P, B, KEY, reordering, Buffer.of(0x01), Buffer.of(0x01, 0, 0, 0, 0, 0, 0, 0)].map(needsLater)).toEqual([
      false,
      true,
      false,
      false,
      false,
      false,
    ]);
    const inOrder = createInOrder();
    const first = unitOf(reordering, KEY);
    expect(inOrder(first)).toEqual(unitOf(inOrderSps(reordering), KEY));
    for (const unit of [unitOf(B), first, unitOf(P), first]) expect(inOrder(unit)).toBe(unit);
  });
});
