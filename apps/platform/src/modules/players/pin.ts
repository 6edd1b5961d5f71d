import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import type { Random } from "../../random.ts";
import type { Keys } from "./keys.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What the wire carries of a PIN (decision D-42): its SHA-256 in hex. The PIN grants nothing by itself. */
export function pinHash(pin: string): string {
  return createHash("sha256").update(pin).digest("hex");
}

/** Encrypts a PIN hash for the database: key id and a line end, nonce, tag, text. Bound to its player. */
export async function sealPin(keys: Keys, random: Random, playerId: string, hashed: string): Promise<Buffer> {
  const { kid, secret } = await keys.current();
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(Buffer.from(playerId));
  const text = Buffer.concat([cipher.update(hashed, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from(`${kid}\n`), nonce, cipher.getAuthTag(), text]);
}

/** Reads a sealed PIN hash. @throws Error when its key is gone or the bytes were changed. */
export async function openPin(keys: Keys, playerId: string, sealed: Buffer): Promise<string> {
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
