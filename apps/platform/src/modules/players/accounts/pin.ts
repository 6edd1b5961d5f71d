import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from "node:crypto";
import type { Random } from "../../../random.ts";
import type { Keys } from "./keys.ts";
import type { Passwords } from "./passwords.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What earlier versions kept, and sent to pages as `pin_code`: the SHA-256 of the PIN in hex. */
const SENT_BEFORE = /^[0-9a-f]{64}$/;

/** Encrypts the argon2id hash of a PIN for the database: key id and a line end, nonce, tag, text. Bound to its player. */
export async function sealPin(keys: Keys, random: Random, playerId: string, hashed: string): Promise<Buffer> {
  const { kid, secret } = await keys.current();
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(Buffer.from(playerId));
  const text = Buffer.concat([cipher.update(hashed, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from(`${kid}\n`), nonce, cipher.getAuthTag(), text]);
}

/** Reads a sealed PIN hash. @throws Error when its key is gone or the bytes were changed. */
async function openPin(keys: Keys, playerId: string, sealed: Buffer): Promise<string> {
  const end = sealed.indexOf("\n");
  const key = await keys.find(sealed.subarray(0, end).toString("utf8"));
  if (!key) throw new Error("The key of a stored PIN is not in the database");
  const body = sealed.subarray(end + 1);
  const decipher = createDecipheriv("aes-256-gcm", key.secret, body.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(playerId));
  decipher.setAuthTag(body.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(body.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
}

/** `isOld`: it is right, and kept in the form of earlier versions, which a page was once sent. */
export type PinMatch = { readonly matches: boolean; readonly isOld: boolean };

/** Compares a typed PIN with the stored one. A player without a PIN costs the same work, and nothing matches. */
export async function matchPin(
  keys: Keys,
  passwords: Pick<Passwords, "check">,
  { id, pin }: { readonly id: string; readonly pin: Buffer | null },
  typed: string,
): Promise<PinMatch> {
  const stored = pin === null ? undefined : await openPin(keys, id, pin);
  if (stored === undefined || !SENT_BEFORE.test(stored))
    return { matches: await passwords.check(typed, stored), isOld: false };
  const hashed = createHash("sha256").update(typed).digest();
  return { matches: timingSafeEqual(hashed, Buffer.from(stored, "hex")), isOld: true };
}

/** Four digits of a year are among the first guesses. */
const YEAR = /^(19|20)\d\d$/;

/** True for a PIN that is guessed within five tries: one digit repeated, a short group repeated, digits in a row, a year. */
export function isWeakPin(pin: string): boolean {
  const steps = new Set([...pin].slice(1).map((digit, at) => (Number(digit) - Number(pin[at]) + 10) % 10));
  const inARow = steps.size === 1 && [0, 1, 9].includes([...steps][0] ?? 0);
  return inARow || /^(\d{2,3})\1+$/.test(pin) || YEAR.test(pin) || COMMON.has(pin);
}

/** Often chosen, and none of the above. Source: published counts of PINs in leaked data (DataGenetics 2012). */
const COMMON: ReadonlySet<string> = new Set([
  "1342",
  "2580",
  "0852",
  "1122",
  "1001",
  "1590",
  "7890",
  "102030",
  "123654",
]);
