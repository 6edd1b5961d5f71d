import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from "node:crypto";
import type { ProblemName } from "@longarm/contract/problems";
import { hash, verify } from "@node-rs/argon2";
import type { PasswordCost } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import type { Keys } from "./keys.ts";
import { usernameKey } from "./player.ts";

/** The least password that a player or staff may choose, characters. Source: the specification leaves the rules to the server; ASVS 5.0 6.2.1. */
export const NEW_PASSWORD_MIN = 8;
/** What is left of a password without the words of its context must have so many characters to stand for itself. */
const OWN_MIN = 4;
/** Words that everybody thinks of here. Source: ASVS 5.0 6.1.2. */
const CONTEXT_WORDS = ["longarm", "casino", "jackpot", "slot"];

let known: ReadonlySet<string> | undefined;

/** Passwords that many people have chosen, some tens of thousands; read when the first one is asked for. */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  if (known === undefined) {
    const { dictionary } = await import("@zxcvbn-ts/language-common");
    known = new Set(dictionary["passwords-common"].map((password) => String(password).toLowerCase()));
  }
  return known;
}

/** Why a new password is refused, however it is composed otherwise; null: it may be taken. `names`: by which its owner is known. */
export async function newPasswordProblem(password: string, ...names: string[]): Promise<ProblemName | null> {
  if ([...password].length < NEW_PASSWORD_MIN) return "password.too_short";
  const plain = usernameKey(password);
  if ((await commonPasswords()).has(plain)) return "password.too_common";
  const own = [...names.map(usernameKey), ...CONTEXT_WORDS].reduce((rest, word) => rest.replaceAll(word, ""), plain);
  return own !== plain && [...own].length < OWN_MIN ? "password.too_common" : null;
}

/** argon2id with the least cost that OWASP recommends: 19 MiB, two passes, one thread. The library's own default kind is argon2id. */
const COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes computed at once; each takes 19 MiB and a core for tens of milliseconds. */
const AT_ONCE_MAX = 2;
/** So many visitors' requests may hold a place at once; a further one is answered "busy". */
const PLACES_MAX = 66;

export interface Passwords {
  /**
   * Runs a visitor's request that hashes. "busy": too many hold a place already, and nothing of it ran, so that a caller counts its tries
   * inside: what is answered "busy" was never looked at, and is no wrong try.
   */
  admit<T>(work: () => Promise<T>): Promise<T | "busy">;
  hash(password: string): Promise<string>;
  /** Checks a password; without a stored hash, or with an empty one, it takes the same time and answers false. */
  check(password: string, stored: string | undefined): Promise<boolean>;
}

/** Password hashing with a bounded queue, so that a flood of sign-ins takes neither all memory nor all cores. */
export async function createPasswords(cost: PasswordCost = COST): Promise<Passwords> {
  const noOnes = await hash("no player has this password", cost);
  const queue: (() => void)[] = [];
  let running = 0;
  let admitted = 0;

  async function queued<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE_MAX) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    async admit(work) {
      if (admitted >= PLACES_MAX) return "busy";
      admitted += 1;
      try {
        return await work();
      } finally {
        admitted -= 1;
      }
    },
    hash: (password) => queued(() => hash(password, cost)),
    async check(password, stored) {
      const matches = await queued(() => verify(stored || noOnes, password));
      return matches && Boolean(stored);
    },
  };
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What earlier versions kept, and sent to pages as `pin_code`: the SHA-256 of the PIN in hex. */
const SENT_BEFORE = /^[0-9a-f]{64}$/;

/** Encrypts a secret for the database, such as the hash of a PIN: key id and a line end, nonce, tag, text. Bound to its owner. */
export async function sealText(keys: Keys, random: Random, ownerId: string, secret: string): Promise<Buffer> {
  const { kid, secret: key } = await keys.current();
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(ownerId));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from(`${kid}\n`), nonce, cipher.getAuthTag(), text]);
}

/** Reads a sealed secret. @throws Error when its key is gone or the bytes were changed. */
export async function openText(keys: Keys, ownerId: string, sealed: Buffer): Promise<string> {
  const end = sealed.indexOf("\n");
  const key = await keys.find(sealed.subarray(0, end).toString("utf8"));
  if (!key) throw new Error("The key of a stored secret is not in the database");
  const body = sealed.subarray(end + 1);
  const decipher = createDecipheriv("aes-256-gcm", key.secret, body.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(ownerId));
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
  const stored = pin === null ? undefined : await openText(keys, id, pin);
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

const MADE_PASSWORD_LETTERS = 16;
/** Without letters that are easily confused when they are read aloud or copied. */
const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A password for a player who changes it: 93 random bits. */
export const newPlayerPassword = (random: Random): string => randomText(random, LETTERS, MADE_PASSWORD_LETTERS);

/** Each letter with the same probability: bytes above the last whole multiple of the alphabet are dropped. */
export function randomText(random: Random, letters: string, length: number): string {
  const whole = 256 - (256 % letters.length);
  let text = "";
  while (text.length < length)
    for (const byte of random.bytes(length))
      if (byte < whole && text.length < length) text += letters[byte % letters.length];
  return text;
}
