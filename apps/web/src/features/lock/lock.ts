import type { PasskeyAnswer } from "@longarm/contract/passkeys";
import { problems } from "@longarm/contract/problems";
import type { Live } from "@longarm/ui/live.ts";
import * as z from "zod/mini";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import type { AuthSession } from "../../shared/auth/auth-session.ts";
import { keptPin } from "../../shared/auth/auth-session.ts";
import type { Log } from "../../shared/log/log.ts";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";

/** `busy`: a PIN or a passkey is being judged, or the page is coming back. */
type LockState =
  | { readonly is: "open" }
  | {
      readonly is: "locked";
      readonly wrong: number;
      readonly until: number;
      readonly busy: boolean;
      readonly problem: LockProblem | undefined;
    };
/** Why the platform did not unlock. "noPasskey": the browser gave none. */
export type LockProblem = ApiFailure | "noPasskey";
/** What opens, or why it is not there. */
type Given = { readonly pin: string } | { readonly passkey: PasskeyAnswer } | { readonly problem: LockProblem };

type LockDeps = {
  readonly storage: Storage;
  readonly auth: AuthSession;
  /** A client whose token is that of the lock. */
  readonly api: ApiClient;
  readonly clock: { now(): number };
  readonly log: Log;
  /** The hash for players who have none of their own, or empty. */
  readonly defaultPin: string;
  readonly loadHashes: () => Promise<PinHashes>;
  /** Brings the page back behind the lock: `in` with the token, or `out` to the login. */
  readonly comeBack: (how: "in" | "out") => Promise<void>;
};

/** The idle lock: while it is on, the page knows neither player nor token; only its record does. */
export class Lock {
  readonly state: Live<LockState>;
  readonly #state = createStore<LockState>(() => ({ is: "open" }));
  readonly #deps: LockDeps;
  /** How many were wrong before the PIN that this tab has noted. */
  #notedAfter: number | undefined;

  constructor(deps: LockDeps) {
    this.#deps = deps;
    this.state = this.#state;
  }

  /** Locks the screen. Does nothing without a player, or without a PIN that could open it again. `by` the platform: it checks the PIN. */
  lock(by?: "by the platform"): void {
    const { storage, auth, api, log } = this.#deps;
    if (this.#state.getState().is === "locked") return;
    // Another tab has locked, and this one was away from the page meanwhile.
    if (readLock(storage) !== undefined) {
      this.heard();
      return;
    }
    const token = auth.token();
    if (token === null) return;
    if (by === undefined && !this.isJudgedByPlatform() && !isPinHash(this.#pin())) return;
    writeLock(storage, { token, wrong: 0, until: 0, pending: false });
    storage.remove(STORAGE_KEYS.token);
    this.#show();
    auth.endedElsewhere();
    void api.call("lock").then((answer) => {
      if (!answer.ok && !knowsNoLock(answer.failure) && answer.failure.is !== "unauthorised") {
        log("The lock could not be reported to the platform; the page is locked all the same.");
      }
    });
  }

  /** Shows a lock that storage already holds. False: it holds none. */
  resume(): boolean {
    const record = readLock(this.#deps.storage);
    if (record === undefined) return false;
    if (record.pending) this.countWrong();
    else this.#show();
    this.#deps.auth.endedElsewhere();
    return true;
  }

  /** The platform alone knows the PIN: it judges a typed one once it is complete, and the page compares nothing as it grows. */
  isJudgedByPlatform(): boolean {
    const pin = keptPin(this.#deps.storage);
    return pin.at === "platform" && pin.isSet;
  }

  /** Judges a PIN. `quiet`: one that may still grow; a wrong one is noted, and counted when it is given up. */
  async tryPin(typed: string, quiet = false): Promise<void> {
    const { loadHashes, clock, log } = this.#deps;
    try {
      if (this.isJudgedByPlatform()) {
        if (!quiet) await this.letPlatformJudge(async () => ({ pin: typed }));
        return;
      }
      const hashes = await loadHashes();
      const now = this.#state.getState();
      if (now.is === "open" || now.busy || pauseLeft(now.until, clock.now()) > 0) return;
      if (quiet && !hashes.matches(typed, this.#pin())) return this.#note();
      this.#state.setState({ ...now, busy: true }, true);
      await this.#judge(typed, hashes);
    } catch (error) {
      log("The PIN could not be judged.", error);
      this.#show();
    }
  }

  /** Whether a passkey was used in this browser: the platform takes it in place of the PIN. */
  hasPasskey(): boolean {
    return this.isJudgedByPlatform() && this.#deps.storage.read(STORAGE_KEYS.passkey) !== null;
  }

  /** A wrong PIN; also one that was judged quietly and then taken back. */
  countWrong(problem?: ApiFailure): void {
    const { storage, clock } = this.#deps;
    const record = readLock(storage);
    if (record === undefined) {
      this.end();
      return;
    }
    const wrong = record.wrong + 1;
    const pause = pauseAfter(wrong);
    writeLock(storage, { ...record, wrong, until: pause === 0 ? 0 : clock.now() + pause, pending: false });
    this.#show(problem === undefined ? {} : { problem });
  }

  logOut(): void {
    // The token leaves with the call; its answer changes nothing.
    void this.#deps.api.call("logout");
    this.end();
  }

  /** The sign-in behind the lock is over. */
  end(): void {
    this.#deps.storage.remove(STORAGE_KEYS.lock);
    this.#deps.auth.end();
    void this.#open("out");
  }

  /** Another tab changed the storage. */
  heard(): void {
    const { storage, auth } = this.#deps;
    const { is } = this.#state.getState();
    if (readLock(storage) !== undefined) {
      this.#show();
      if (is === "open") auth.endedElsewhere();
    } else if (is === "locked") {
      const signedIn = storage.read(STORAGE_KEYS.token) !== null;
      if (!signedIn) auth.end();
      void this.#open(signedIn ? "in" : "out");
    }
  }

  /** Keeps that a PIN was compared, so that leaving the page takes no try back. Another tab's, still open, is given up by this one. */
  #note(): void {
    const { storage } = this.#deps;
    const record = readLock(storage);
    if (record === undefined || (record.pending && this.#notedAfter === record.wrong)) return;
    if (record.pending) {
      this.countWrong();
      return;
    }
    this.#notedAfter = record.wrong;
    writeLock(storage, { ...record, pending: true });
  }

  #pin(): string {
    return this.#deps.storage.read(STORAGE_KEYS.pinCode) || this.#deps.defaultPin;
  }

  #show(more: { busy?: boolean; problem?: LockProblem } = {}): void {
    const { wrong = 0, until = 0 } = readLock(this.#deps.storage) ?? {};
    this.#state.setState({ is: "locked", wrong, until, busy: more.busy ?? false, problem: more.problem }, true);
  }

  /** Draws the page again, then takes the lock away, unless it fell again meanwhile. */
  async #open(how: "in" | "out"): Promise<void> {
    this.#show({ busy: true });
    await this.#deps.comeBack(how);
    if (readLock(this.#deps.storage) === undefined) this.#state.setState({ is: "open" }, true);
    else this.#show();
  }

  /** Opens by a PIN, or by a passkey in its place. Only the platform's yes opens: no other answer, and no silence, is one. */
  async letPlatformJudge(given: (api: ApiClient) => Promise<Given>): Promise<void> {
    const { api, storage, clock } = this.#deps;
    const now = this.#state.getState();
    if (now.is === "open" || now.busy || pauseLeft(now.until, clock.now()) > 0) return;
    this.#state.setState({ ...now, busy: true }, true);
    const body = await given(api);
    if (this.#state.getState().is === "open") return;
    if ("problem" in body) return this.#show(body);
    const answer = await api.call("unlock", { body });
    // The lock was ended by the answer, or opened by another tab.
    if (this.#state.getState().is === "open" || (!answer.ok && answer.failure.is === "unauthorised")) return;
    const record = readLock(storage);
    if (record === undefined) this.end();
    else if (answer.ok) await this.#giveBack(record);
    else if (answer.failure.code === problems["pin.wrong"].code) this.countWrong(answer.failure);
    else this.#show({ problem: answer.failure });
  }

  /** For a back end that sends the PIN's hash: the page compares first (specification 4.5). */
  async #judge(typed: string, hashes: PinHashes): Promise<void> {
    const { api, storage } = this.#deps;
    const stored = this.#pin();
    if (isPinHash(stored) && !hashes.matches(typed, stored)) {
      this.countWrong();
      return;
    }
    const answer = await api.call("unlock", { body: { pin: hashes.toWire(typed) } });
    // The lock was ended by the answer, or opened by another tab.
    if (this.#state.getState().is === "open" || (!answer.ok && answer.failure.is === "unauthorised")) return;
    const record = readLock(storage);
    if (!answer.ok && answer.failure.code === problems["pin.wrong"].code) this.countWrong(answer.failure);
    else if (!answer.ok && !knowsNoLock(answer.failure)) this.#show({ problem: answer.failure });
    else if (record === undefined) this.end();
    else await this.#giveBack(record);
  }

  async #giveBack({ token }: LockRecord): Promise<void> {
    this.#deps.storage.write(STORAGE_KEYS.token, token);
    this.#deps.storage.remove(STORAGE_KEYS.lock);
    await this.#open("in");
  }
}

/** A back end that does not know the call, or a player without a PIN there: then the lock is the page's alone. */
function knowsNoLock({ httpStatus, code }: ApiFailure): boolean {
  return [404, 405, 501].includes(httpStatus) || code === problems["request.invalid"].code;
}

/**
 * The lock flag in the browser's storage. It holds the token while the screen is locked, so that removing the flag removes the sign-in
 * with it.
 */
const LockRecord = z.object({
  token: z.string().check(z.minLength(1)),
  /** Wrong PINs so far. */
  wrong: z._default(z.number().check(z.gte(0)), 0),
  /** No PIN is taken before this time, ms since 1970. */
  until: z._default(z.number(), 0),
  /** A PIN that may still grow was compared and not counted yet: leaving the page counts it as a try. */
  pending: z._default(z.boolean(), false),
});
type LockRecord = z.output<typeof LockRecord>;

/** The kept lock, or undefined when the screen is not locked. Something unreadable under its key locks nothing: it holds no token. */
export function readLock(storage: Storage): LockRecord | undefined {
  try {
    const read = z.safeParse(LockRecord, JSON.parse(storage.read(STORAGE_KEYS.lock) ?? "null"));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

function writeLock(storage: Storage, record: LockRecord): void {
  storage.write(STORAGE_KEYS.lock, JSON.stringify(record));
}

/** Wrong PINs before the first pause. */
const FREE_TRIES = 3;
const PAUSE_MS = 5_000;
export const PAUSE_MS_MAX = 300_000;

/** How long no PIN is taken after this many wrong ones, ms: it doubles from the third on. */
export function pauseAfter(wrong: number): number {
  return wrong < FREE_TRIES ? 0 : Math.min(PAUSE_MS * 2 ** (wrong - FREE_TRIES), PAUSE_MS_MAX);
}

/** What is left of a pause, ms. A clock that was set back never makes it longer than the longest. */
export function pauseLeft(until: number, now: number): number {
  return Math.max(0, Math.min(until - now, PAUSE_MS_MAX));
}

/** How a stored PIN was hashed, by the length of its hex text (decision D-42). */
const BY_LENGTH = { 32: "md5", 40: "sha1", 64: "sha256", 128: "sha512" } as const;

/** Whether a stored PIN is one that a typed PIN can be compared with. */
function isPinHash(stored: string): boolean {
  return stored.length in BY_LENGTH && /^[0-9a-f]+$/i.test(stored);
}

type PinHashes = {
  /** Whether the typed PIN is the stored one. */
  matches(pin: string, stored: string): boolean;
  /** A typed PIN as the platform receives it: its SHA-256 in hex. */
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
