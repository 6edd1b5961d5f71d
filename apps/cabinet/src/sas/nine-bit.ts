/** Nine-bit characters over a byte stream: two bytes for each, and only the first of a pair has its top bit set. docs/hardware.md. */

export const FRAMING_VERSION = 1;

/** One character of the line; `wakeup` is its ninth bit. */
export type Character = { readonly is: "character"; readonly byte: number; readonly wakeup: boolean };
export type Unit =
  | Character
  | { readonly is: "version"; readonly version: number }
  | { readonly is: "receiveError"; readonly kind: number }
  /** The line was quiet so long between the characters around it, ms; 127 means 127 or more. */
  | { readonly is: "gap"; readonly ms: number };

const NOTES = ["version", "receiveError", "gap"] as const;

export function encodeUnit(unit: Unit): [number, number] {
  switch (unit.is) {
    case "character":
      return [0x80 | (unit.wakeup ? 2 : 0) | (unit.byte >> 7), unit.byte & 0x7f];
    case "version":
      return [0x88, unit.version];
    case "receiveError":
      return [0x89, unit.kind];
    case "gap":
      return [0x8a, unit.ms];
  }
}

export type Decoder = {
  push(bytes: Iterable<number>): Unit[];
  /** Units dropped because the stream was not framed. */
  faults(): number;
};

export function createDecoder(): Decoder {
  let first: number | null = null;
  let faults = 0;
  const unitOf = (head: number, low: number): Unit | null => {
    if (head < 0x84) return { is: "character", byte: ((head & 1) << 7) | low, wakeup: (head & 2) !== 0 };
    const note = (head & 0xf8) === 0x88 ? NOTES[head & 7] : undefined;
    switch (note) {
      case "version":
        return { is: "version", version: low };
      case "receiveError":
        return { is: "receiveError", kind: low };
      case "gap":
        return { is: "gap", ms: low };
      default:
        return null;
    }
  };
  const take = (byte: number): Unit | null => {
    if (byte >= 0x80) {
      if (first !== null) faults += 1;
      first = byte;
      return null;
    }
    if (first === null) {
      faults += 1;
      return null;
    }
    const unit = unitOf(first, byte);
    // 0x90 to 0xff are reserved and no fault; the rest below them is not defined.
    if (unit === null && first < 0x90) faults += 1;
    first = null;
    return unit;
  };
  return {
    push(bytes) {
      const units: Unit[] = [];
      for (const byte of bytes) {
        const unit = take(byte);
        if (unit !== null) units.push(unit);
      }
      return units;
    },
    faults: () => faults,
  };
}
