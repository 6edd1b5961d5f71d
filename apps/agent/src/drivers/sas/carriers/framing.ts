import type { LineUnit } from "../line/carrier.ts";

/*
 * A nine-bit serial line over a byte stream, for a front end that isolates the machine, and for USB. Two bytes per unit; only the first
 * has its top bit set, so a reader finds its place again after any damage. docs/hardware.md describes it for those who build one.
 */

/** Version of the framing. */
const VERSION = 1;
const FIRST = 0x80;
const NOTE = 0x08;
const NOTES = { version: 0, damage: 1, gap: 2 } as const;
const DAMAGE = { 1: "framing", 2: "overrun", 3: "parity" } as const;

/** Sent first by both sides, and again whenever they like. */
export const versionNote = (): Uint8Array => Uint8Array.of(FIRST | NOTE | NOTES.version, VERSION);

/** One message: the ninth bit is set on its first character. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(message.length * 2);
  message.forEach((byte, at) => {
    framed[at * 2] = FIRST | (at === 0 ? 2 : 0) | (byte >> 7);
    framed[at * 2 + 1] = byte & 0x7f;
  });
  return framed;
}

/** A unit of the stream: of the line, or the other side's version of the framing. */
export type FramedUnit = Extract<LineUnit, { is: "byte" | "gap" | "damage" }> | { is: "version"; version: number };

/** Reads the stream, in whatever pieces it arrives. What does not fit is dropped and counted. */
export class FrameReader {
  /** Bytes that did not fit. */
  faults = 0;
  #first: number | undefined;

  read(bytes: Uint8Array): FramedUnit[] {
    const units: FramedUnit[] = [];
    for (const byte of bytes) {
      if (byte >= FIRST) {
        if (this.#first !== undefined) this.faults += 1;
        this.#first = byte;
        continue;
      }
      const unit = this.#first === undefined ? undefined : unitOf(this.#first, byte);
      if (unit === undefined) this.faults += 1;
      else units.push(unit);
      this.#first = undefined;
    }
    return units;
  }
}

function unitOf(first: number, second: number): FramedUnit | undefined {
  const kind = first & 0x7f;
  if (kind <= 0b11) return { is: "byte", byte: ((kind & 1) << 7) | second, wakeup: (kind & 2) !== 0 };
  if (kind === (NOTE | NOTES.version)) return { is: "version", version: second };
  if (kind === (NOTE | NOTES.gap)) return { is: "gap", ms: second };
  // A kind of damage that we do not know is damage all the same.
  if (kind === (NOTE | NOTES.damage)) return { is: "damage", what: DAMAGE[second as keyof typeof DAMAGE] ?? "framing" };
  return undefined;
}

/** Bytes that do not fit, after which the other side does not speak this framing. */
export const FAULTS_MAX = 200;

export const NOT_FRAMED = "The other end does not speak the framing of docs/hardware.md.";

/** A sentence when the stream is not what it should be; undefined: it is. */
export function framingProblem(reader: FrameReader, units: readonly FramedUnit[]): string | undefined {
  const other = units.find((unit) => unit.is === "version" && unit.version !== VERSION);
  if (other?.is === "version")
    return `The front end speaks version ${other.version} of the framing, and the agent version ${VERSION}.`;
  return reader.faults > FAULTS_MAX ? NOT_FRAMED : undefined;
}
