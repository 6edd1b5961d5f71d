import { createHmac, timingSafeEqual } from "node:crypto";

/** The largest message either way, bytes; as large as a frame of the agents' links, whose words it carries. */
export const MESSAGE_BYTES_MAX = 65_536;
const SEAL_BYTES = 32;

/**
 * A message as it goes over a server that others may share: a seal under the platform's own key, and JSON behind it. The seal also covers
 * the subject, so that nobody sends it again as another one.
 * @returns undefined for one that is too large.
 */
export function sealMessage(key: Buffer, subject: string, message: unknown): Buffer | undefined {
  const body = Buffer.from(JSON.stringify(message) ?? "null");
  if (body.length > MESSAGE_BYTES_MAX) return undefined;
  return Buffer.concat([sealOf(key, subject, body), body]);
}

/** What one of us sent; undefined for everything else. */
export function openMessage(
  key: Buffer,
  subject: string,
  bytes: Uint8Array,
): { readonly message: unknown } | undefined {
  if (bytes.length <= SEAL_BYTES || bytes.length > MESSAGE_BYTES_MAX + SEAL_BYTES) return undefined;
  const body = bytes.subarray(SEAL_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(key, subject, body))) return undefined;
  try {
    return { message: JSON.parse(Buffer.from(body).toString("utf8")) };
  } catch {
    return undefined;
  }
}

function sealOf(key: Buffer, subject: string, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${subject}\n`).update(body).digest();
}
