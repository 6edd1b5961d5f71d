import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Random } from "../../../random.ts";

/** What the database keeps of a cookie, a link or a code that has enough chance in it to need no slow hash. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const SECRET_BYTES = 32;
/** A cookie's or a link's secret: 256 random bits. */
export const newSecret = (random: Random): string => random.bytes(SECRET_BYTES).toString("base64url");

const STEP_MS = 30_000;
const TOTP_BYTES = 20;
export const newTotpSecret = (random: Random): Buffer => random.bytes(TOTP_BYTES);

/** The six figures of one time step. Source: RFC 6238 with SHA-1, the one kind that every authenticator app knows. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

/**
 * The time step whose figures these are: now, or the one before or after, because clocks differ. Never one up to `usedStep`: figures are good once.
 * Undefined: they are wrong.
 */
export function totpStep(secret: Uint8Array, code: string, nowMs: number, usedStep: number): number | undefined {
  const now = Math.floor(nowMs / STEP_MS);
  const typed = Buffer.from(code);
  return [now - 1, now, now + 1].find((step) => {
    const right = Buffer.from(totpCode(secret, step));
    return step > usedStep && right.length === typed.length && timingSafeEqual(right, typed);
  });
}
