import { createHmac, timingSafeEqual } from "node:crypto";
import type { Random } from "./random.ts";
import { base32 } from "./recovery-codes.ts";

const STEP_MS = 30_000;
const SECRET_BYTES = 20;
export const newTotpSecret = (random: Random): Buffer => random.bytes(SECRET_BYTES);

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

/** A secret as a person types it into an app, and as the address that an app reads from a QR code. */
export function totpShown(secret: Uint8Array, { issuer, username }: { issuer: string; username: string }) {
  const text = base32(secret);
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`;
  const otpauth = `otpauth://totp/${label}?secret=${text}&issuer=${encodeURIComponent(issuer)}`;
  return { secret: text, otpauth };
}

/** Figures as they were typed: blanks and hyphens between groups, and what a keyboard of Arabic or Persian has. */
export const plainFigures = (typed: string): string =>
  typed
    .replaceAll(/[\s-]/g, "")
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (figure) => String(figure.charCodeAt(0) & 15));
