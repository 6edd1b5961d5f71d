import { problems } from "@longarm/contract/problems";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../../shared/api/client.ts";
import type { ApiFailure } from "../../../shared/api/failure.ts";
import type { AuthSession } from "../../../shared/auth/auth-session.ts";
import type { Live } from "../../../shared/live/live.ts";
import type { Log } from "../../../shared/log/log.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import type { LockRecord } from "./lock-record.ts";
import { pauseAfter, pauseLeft, readLock, writeLock } from "./lock-record.ts";
import type { PinHashes } from "./pin-hash.ts";
import { isPinHash } from "./pin-hash.ts";

/** `busy`: a PIN is being judged, or the page is coming back. `problem`: why the platform did not unlock. */
export type LockState =
  | { readonly is: "open" }
  | {
      readonly is: "locked";
      readonly wrong: number;
      readonly until: number;
      readonly busy: boolean;
      readonly problem: ApiFailure | undefined;
    };

export type LockDeps = {
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

export type Lock = {
  readonly state: Live<LockState>;
  /** Locks the screen. Nobody signed in, or no PIN that could open it again: does nothing. `asked`: the platform judges the PIN. */
  lock(asked?: "by the platform"): void;
  /** Shows a lock that storage already holds. False: it holds none. */
  resume(): boolean;
  /** Judges a PIN. `quiet`: one that may still grow; a wrong one is not counted. */
  tryPin(pin: string, quiet?: boolean): Promise<void>;
  /** A PIN that was judged quietly was taken back: it counts as a wrong one. */
  countWrong(): void;
  logOut(): void;
  /** The sign-in behind the lock is over. */
  end(): void;
  /** Another tab changed the storage. */
  heard(): void;
};

/** The idle lock: while it is on, the page knows neither player nor token; only its record does. */
export function createLock(deps: LockDeps): Lock {
  const { storage, auth, api, clock } = deps;
  const state = createStore<LockState>(() => ({ is: "open" }));
  const pin = () => storage.read(STORAGE_KEYS.pinCode) || deps.defaultPin;

  function show(more: { busy?: boolean; problem?: ApiFailure } = {}): void {
    const { wrong = 0, until = 0 } = readLock(storage) ?? {};
    state.setState({ is: "locked", wrong, until, busy: more.busy ?? false, problem: more.problem }, true);
  }

  /** Draws the page again, then takes the lock away, unless it fell again meanwhile. */
  async function open(how: "in" | "out"): Promise<void> {
    show({ busy: true });
    await deps.comeBack(how);
    if (readLock(storage) === undefined) state.setState({ is: "open" }, true);
    else show();
  }

  function end(): void {
    storage.remove(STORAGE_KEYS.lock);
    auth.end();
    void open("out");
  }

  function countWrong(problem?: ApiFailure): void {
    const record = readLock(storage);
    if (record === undefined) {
      end();
      return;
    }
    const wrong = record.wrong + 1;
    const pause = pauseAfter(wrong);
    writeLock(storage, { ...record, wrong, until: pause === 0 ? 0 : clock.now() + pause });
    show(problem === undefined ? {} : { problem });
  }

  async function judge(typed: string, hashes: PinHashes): Promise<void> {
    const stored = pin();
    if (isPinHash(stored) && !hashes.matches(typed, stored)) {
      countWrong();
      return;
    }
    const answer = await api.call("unlock", { body: { pin: hashes.toWire(typed) } });
    // The lock was ended by the answer, or opened by another tab.
    if (state.getState().is === "open" || (!answer.ok && answer.failure.is === "unauthorised")) return;
    const record = readLock(storage);
    if (!answer.ok && answer.failure.code === problems["pin.wrong"].code) countWrong(answer.failure);
    else if (!answer.ok && !knowsNoLock(answer.failure)) show({ problem: answer.failure });
    else if (record === undefined) end();
    else await giveBack(record);
  }

  async function giveBack({ token }: LockRecord): Promise<void> {
    storage.write(STORAGE_KEYS.token, token);
    storage.remove(STORAGE_KEYS.lock);
    await open("in");
  }

  return {
    state,
    lock(asked) {
      const token = auth.token();
      if (token === null || readLock(storage) !== undefined) return;
      if (asked === undefined && !isPinHash(pin())) return;
      writeLock(storage, { token, wrong: 0, until: 0 });
      storage.remove(STORAGE_KEYS.token);
      show();
      auth.endedElsewhere();
      void api.call("lock").then((answer) => {
        if (!answer.ok && !knowsNoLock(answer.failure) && answer.failure.is !== "unauthorised") {
          deps.log("The platform could not be told of the lock; the page is locked all the same.");
        }
      });
    },
    resume() {
      if (readLock(storage) === undefined) return false;
      show();
      auth.endedElsewhere();
      return true;
    },
    async tryPin(typed, quiet = false) {
      try {
        const hashes = await deps.loadHashes();
        const now = state.getState();
        if (now.is === "open" || now.busy || pauseLeft(now.until, clock.now()) > 0) return;
        if (quiet && !hashes.matches(typed, pin())) return;
        state.setState({ ...now, busy: true }, true);
        await judge(typed, hashes);
      } catch (error) {
        deps.log("The PIN could not be judged.", error);
        show();
      }
    },
    countWrong: () => countWrong(),
    logOut() {
      // The token leaves with the call; its answer changes nothing.
      void api.call("logout");
      end();
    },
    end,
    heard() {
      const isKept = readLock(storage) !== undefined;
      const { is } = state.getState();
      if (isKept) {
        show();
        if (is === "open") auth.endedElsewhere();
      } else if (is === "locked") {
        const signedIn = storage.read(STORAGE_KEYS.token) !== null;
        if (!signedIn) auth.end();
        void open(signedIn ? "in" : "out");
      }
    },
  };
}

/** A back end that does not know the call, or a player without a PIN there: then the lock is the page's alone. */
function knowsNoLock({ httpStatus, code }: ApiFailure): boolean {
  return [404, 405, 501].includes(httpStatus) || code === problems["request.invalid"].code;
}
