import { hash, verify } from "@node-rs/argon2";

/** argon2id with the least cost that OWASP recommends: 19 MiB, two passes, one thread. The library's own default kind is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes computed at once; each takes 19 MiB and a core for tens of milliseconds. */
const AT_ONCE_MAX = 2;
/** More than this wait in line: then a sign-in is told to come back. */
const LINE_MAX = 64;

export interface Passwords {
  /** Too many wait already: what somebody outside wants hashed is told to come back. */
  isBusy(): boolean;
  hash(password: string): Promise<string>;
  /** Checks a password; without a stored hash it takes the same time and answers false. `busy`: too many wait already. */
  check(password: string, stored: string | undefined): Promise<boolean | "busy">;
}

/** Password hashing with a bounded line, so that a flood of sign-ins takes neither all memory nor all cores. */
export async function createPasswords(): Promise<Passwords> {
  const nobody = await hash("nobody has this password", COST);
  const inLine: (() => void)[] = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE_MAX) await new Promise<void>((resolve) => inLine.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = inLine.shift();
      if (next) next();
      else running -= 1;
    }
  }

  const isBusy = () => inLine.length >= LINE_MAX;
  return {
    isBusy,
    hash: (password) => inTurn(() => hash(password, COST)),
    async check(password, stored) {
      if (isBusy()) return "busy";
      const matches = await inTurn(() => verify(stored ?? nobody, password));
      return matches && stored !== undefined;
    },
  };
}
