/** How a stored PIN was hashed, by the length of its hex text (decision D-42). */
const BY_LENGTH = { 32: "md5", 40: "sha1", 64: "sha256", 128: "sha512" } as const;

/** Whether a stored PIN is one that a typed PIN can be compared with. */
export function isPinHash(stored: string): boolean {
  return stored.length in BY_LENGTH && /^[0-9a-f]+$/i.test(stored);
}

export type PinHashes = {
  /** Whether the typed PIN is the stored one. */
  matches(pin: string, stored: string): boolean;
  /** What the platform is told of a typed PIN: its SHA-256 in hex. */
  toWire(pin: string): string;
};

/** The hash functions, in a chunk of their own. (WebCrypto knows no MD5, and is absent on plain http.) Rejects when it cannot be had. */
export async function loadPinHashes(): Promise<PinHashes> {
  const [{ md5, sha1 }, { sha256, sha512 }] = await Promise.all([
    import("@noble/hashes/legacy.js"),
    import("@noble/hashes/sha2.js"),
  ]);
  const hashes = { md5, sha1, sha256, sha512 };
  const hex = (name: keyof typeof hashes, pin: string) =>
    [...hashes[name](new TextEncoder().encode(pin))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    matches: (pin, stored) =>
      isPinHash(stored) && hex(BY_LENGTH[stored.length as keyof typeof BY_LENGTH], pin) === stored.toLowerCase(),
    toWire: (pin) => hex("sha256", pin),
  };
}
