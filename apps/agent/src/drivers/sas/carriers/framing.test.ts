import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FramedUnit } from "./framing.ts";
import { FAULTS_MAX, FrameReader, frameMessage, framingProblem, versionNote } from "./framing.ts";

const read = (...bytes: number[]): FramedUnit[] => new FrameReader().read(Uint8Array.from(bytes));

describe("the framed stream", () => {
  test("carries any message in any pieces, with the ninth bit on its first byte alone", () => {
    void fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), fc.integer({ min: 1, max: 7 }), (message, piece) => {
        const framed = frameMessage(message);
        const reader = new FrameReader();
        const units: FramedUnit[] = [];
        for (let at = 0; at < framed.length; at += piece) units.push(...reader.read(framed.subarray(at, at + piece)));
        expect(units).toEqual([...message].map((byte, at) => ({ is: "byte", byte, wakeup: at === 0 })));
        expect(reader.faults).toBe(0);
      }),
    );
  });
  test("has the bytes that the document names", () => {
    expect([...versionNote()]).toEqual([0x88, 0x01]);
    expect([...frameMessage(Uint8Array.of(0x81, 0x1a, 0xff))]).toEqual([0x83, 0x01, 0x80, 0x1a, 0x81, 0x7f]);
    expect(read(0x88, 1, 0x89, 1, 0x89, 2, 0x89, 3, 0x89, 9, 0x8a, 127)).toEqual([
      { is: "version", version: 1 },
      { is: "damage", what: "framing" },
      { is: "damage", what: "overrun" },
      { is: "damage", what: "parity" },
      { is: "damage", what: "framing" },
      { is: "gap", ms: 127 },
    ]);
  });
  test("finds its place again behind what does not fit, and counts it", () => {
    const reader = new FrameReader();
    const bytes = [0x05, 0x06, 0x80, 0x80, 0x11, 0x90, 0x22, 0xff, 0x33, 0x8b, 0x01, 0x80, 0x44];
    expect(reader.read(Uint8Array.from(bytes))).toEqual([
      { is: "byte", byte: 0x11, wakeup: false },
      { is: "byte", byte: 0x44, wakeup: false },
    ]);
    expect(reader.faults).toBe(6);
  });
  test("of anything at all is read without an exception, at most one unit for two bytes", () => {
    void fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(new FrameReader().read(bytes).length).toBeLessThanOrEqual(bytes.length / 2);
      }),
    );
  });
  test("of another version, or of something else, is named", () => {
    const reader = new FrameReader();
    expect(framingProblem(reader, reader.read(versionNote()))).toBeUndefined();
    expect(framingProblem(reader, reader.read(Uint8Array.of(0x88, 2)))).toMatch(/version 2/);
    reader.read(new Uint8Array(FAULTS_MAX + 1));
    expect(framingProblem(reader, [])).toMatch(/does not speak the framing/);
  });
});
