import type { Clock } from "../clock.ts";
import { totpCode } from "../totp.ts";

/** An authenticator app with a secret as it was shown: its figures now, or so many steps ahead. */
export function authenticatorApp(shown: string, clock: Pick<Clock, "now">) {
  const secret = fromBase32(shown);
  return (ahead = 0) => totpCode(secret, Math.floor(clock.now() / 30_000) + ahead);
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
