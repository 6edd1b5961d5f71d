import { hash, verify } from "@node-rs/argon2";

/** argon2id with the least cost that OWASP recommends: 19 MiB, two passes, one thread. The library's own default kind is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

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
  /** Checks a password; without a stored hash it takes the same time and answers false. */
  check(password: string, stored: string | undefined): Promise<boolean>;
}

/** Password hashing with a bounded queue, so that a flood of sign-ins takes neither all memory nor all cores. */
export async function createPasswords(): Promise<Passwords> {
  const noOnes = await hash("no player has this password", COST);
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
    hash: (password) => queued(() => hash(password, COST)),
    async check(password, stored) {
      const matches = await queued(() => verify(stored ?? noOnes, password));
      return matches && stored !== undefined;
    },
  };
}
