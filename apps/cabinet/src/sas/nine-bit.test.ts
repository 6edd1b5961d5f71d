import fc from "fast-check";
import { expect, test } from "vitest";
import type { Unit } from "./nine-bit.ts";
import { createDecoder, encodeUnit } from "./nine-bit.ts";

const unit: fc.Arbitrary<Unit> = fc.oneof(
  fc.record({ is: fc.constant("character" as const), byte: fc.integer({ min: 0, max: 255 }), wakeup: fc.boolean() }),
  fc.record({ is: fc.constant("version" as const), version: fc.integer({ min: 0, max: 127 }) }),
  fc.record({ is: fc.constant("receiveError" as const), kind: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ is: fc.constant("gap" as const), ms: fc.integer({ min: 0, max: 127 }) }),
);

test("what was encoded is decoded, however it is cut into pieces", () => {
  fc.assert(
    fc.property(fc.array(unit), fc.integer({ min: 1, max: 5 }), (units, piece) => {
      const bytes = units.flatMap(encodeUnit);
      const decoder = createDecoder();
      const decoded: Unit[] = [];
      for (let at = 0; at < bytes.length; at += piece) decoded.push(...decoder.push(bytes.slice(at, at + piece)));
      expect(decoded).toEqual(units);
      expect(decoder.faults()).toBe(0);
    }),
  );
});

test("any bytes are survived, and the unit after them is read", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      const decoder = createDecoder();
      decoder.push(noise);
      expect(decoder.push([0x82, 0x01]).at(-1)).toEqual({ is: "character", byte: 1, wakeup: true });
    }),
  );
});

test("a stray byte, a broken pair and an undefined note are faults; a reserved unit is skipped", () => {
  const decoder = createDecoder();
  expect(decoder.push([0x05])).toEqual([]);
  expect(decoder.push([0x80, 0x80, 0x05])).toEqual([{ is: "character", byte: 5, wakeup: false }]);
  expect(decoder.push([0x8f, 0x05])).toEqual([]);
  expect(decoder.faults()).toBe(3);
  expect(decoder.push([0xff, 0x05])).toEqual([]);
  expect(decoder.faults()).toBe(3);
});
