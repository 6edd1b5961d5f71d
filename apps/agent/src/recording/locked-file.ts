import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

/*
 * A file of blocks, each encrypted by itself (AES-256-GCM): what was written before a crash can be read. Each file has a key of its own, made of
 * the session's key and the random bytes at its beginning, so that a block's number may be its nonce.
 */

const NAME = Buffer.from("LARC\x01", "latin1");
export const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** Largest block, bytes. A fragment of half a second has at most a few hundred thousand. */
export const BLOCK_BYTES_MAX = 16 * 1024 * 1024;

/** A key of 32 bytes that belongs to `about` alone, made of another one (HKDF, RFC 5869). */
export function derivedKey(key: Uint8Array, salt: Uint8Array, about: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, `longarm recording: ${about}`, 32));
}

/** Encrypts the blocks of one file. `salt`: random, never used for another file. */
export function lockFile(sessionKey: Uint8Array, salt: Uint8Array): { head: Buffer; block(plain: Uint8Array): Buffer } {
  const key = derivedKey(sessionKey, salt, "file");
  let number = 0;
  return {
    head: Buffer.concat([NAME, salt]),
    block(plain) {
      const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number));
      number += 1;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(plain.length);
      return Buffer.concat([length, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
  };
}

/** The blocks of a file up to the first that is not whole, or was changed. Undefined: it is no such file. */
export function unlockFile(sessionKey: Uint8Array, file: Buffer): { blocks: Buffer[]; isWhole: boolean } | undefined {
  const dataAt = NAME.length + SALT_BYTES;
  if (file.length < dataAt || !file.subarray(0, NAME.length).equals(NAME)) return undefined;
  const key = derivedKey(sessionKey, file.subarray(NAME.length, dataAt), "file");
  const blocks: Buffer[] = [];
  let at = dataAt;
  while (at + 4 <= file.length) {
    const length = file.readUInt32BE(at);
    const end = at + 4 + length + TAG_BYTES;
    if (length > BLOCK_BYTES_MAX || end > file.length) break;
    const plain = unlockBlock(key, blocks.length, file.subarray(at + 4, end));
    if (plain === undefined) break;
    blocks.push(plain);
    at = end;
  }
  return { blocks, isWhole: at === file.length };
}

function unlockBlock(key: Buffer, number: number, block: Buffer): Buffer | undefined {
  const plainBytes = block.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number));
  decipher.setAuthTag(block.subarray(plainBytes));
  try {
    return Buffer.concat([decipher.update(block.subarray(0, plainBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 8);
  return nonce;
}
