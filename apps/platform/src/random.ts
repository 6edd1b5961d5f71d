import { randomBytes } from "node:crypto";

/** Randomness as an argument. */
export interface Random {
  /** `length` bytes nobody can guess. */
  bytes(length: number): Buffer;
}

/** The randomness of this computer. */
export const systemRandom: Random = { bytes: (length) => randomBytes(length) };

const ID_BYTES = 15;

/** A new id with a visible prefix (`p`, `ps`, `tr`, `ag`): 120 random bits in 20 letters of base64url. */
export function newId<Prefix extends string>(random: Random, prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${random.bytes(ID_BYTES).toString("base64url")}`;
}

/** From 0 to below 1, to spread what many would do at the same moment. */
export function shareOf(random: Random): number {
  return random.bytes(4).readUInt32BE() / 2 ** 32;
}
