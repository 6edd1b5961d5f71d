import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";

/** The largest message either way, bytes; as large as a frame of the agents' links, whose words it carries. */
export const MESSAGE_BYTES_MAX = 65_536;
const SEAL_BYTES = 32;

/** Which message it is: of which process, its how manieth one, and when it was sent (ms since 1970). No two messages have the same. */
export type Stamp = { readonly from: string; readonly count: number; readonly at: number };
const Body = z.tuple([z.string().check(z.minLength(1), z.maxLength(64)), z.int(), z.number(), z.unknown()]);

export type Opened = { readonly message: unknown; readonly stamp: Stamp };

/**
 * A message as it goes over a server that others may share: a seal under the platform's own key, and JSON behind it. The seal also covers
 * the subject, so that nobody sends it again as another one, and the stamp, by which the same one again is known (`Stamps`).
 * @returns undefined for one that is too large.
 */
export function sealMessage(key: Buffer, subject: string, { from, count, at }: Stamp, message: unknown) {
  const body = Buffer.from(JSON.stringify([from, count, at, message ?? null]));
  if (body.length > MESSAGE_BYTES_MAX) return undefined;
  return Buffer.concat([sealOf(key, subject, body), body]);
}

/** What one of us sent; undefined for everything else. */
export function openMessage(key: Buffer, subject: string, bytes: Uint8Array): Opened | undefined {
  if (bytes.length <= SEAL_BYTES || bytes.length > MESSAGE_BYTES_MAX + SEAL_BYTES) return undefined;
  const body = bytes.subarray(SEAL_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(key, subject, body))) return undefined;
  try {
    const [from, count, at, message] = z.parse(Body, JSON.parse(Buffer.from(body).toString("utf8")));
    return { message, stamp: { from, count, at } };
  } catch {
    return undefined;
  }
}

/**
 * What an answer is sealed for: who can read the server knows where an answer is waited for, and could have another question, asked
 * before, answered there.
 */
export function answerSubject(reply: string, { from, count }: Stamp): string {
  return `${reply} ${from} ${count}`;
}

function sealOf(key: Buffer, subject: string, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${subject}\n`).update(body).digest();
}
