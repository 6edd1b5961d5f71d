import { createHash } from "node:crypto";
import type { Random } from "./random.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** RFC 4648, without padding: what authenticator apps read. */
export function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = "";
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += LETTERS[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + LETTERS[(value << (5 - bits)) & 31] : text;
}

const CODES = 10;
/** More than 112 bits: below that a plain hash would not protect them (ASVS 6.5.2). */
const CODE_BYTES = 15;
/** A paper list of codes, 120 random bits each: `ABCD-EFGH-IJKL-MNOP-QRST-UVWX`. */
export const newRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: CODES }, () => base32(random.bytes(CODE_BYTES)).replaceAll(/(.{4})(?!$)/g, "$1-"));

/** What is kept of a recovery code, however it was typed. */
export const recoveryHash = (code: string): string =>
  createHash("sha256")
    .update(code.toUpperCase().replaceAll(/[^A-Z2-7]/g, ""))
    .digest("hex");
