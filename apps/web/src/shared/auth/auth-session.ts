import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { Storage } from "../storage/storage.ts";
import { STORAGE_KEYS } from "../storage/storage.ts";
import type { Role, SignedInPlayer, SignInAnswer } from "./player.ts";
import { playerOf } from "./player.ts";

export type AuthState =
  | { readonly is: "guest"; readonly roles: readonly [] }
  | { readonly is: "player"; readonly roles: readonly Role[]; readonly player: SignedInPlayer };

/** Who is signed in, and the token that proves it. */
export type AuthSession = {
  readonly state: Live<AuthState>;
  /** The stored token, signed in or not yet. */
  token(): string | null;
  /** Keeps a token that was not checked yet (from the address). */
  keep(token: string): void;
  /**
   * A login or a token check succeeded with this token. A renewed token replaces the stored one; the PIN's hash is kept beside it for
   * the idle lock.
   */
  accept(token: string, answer: SignInAnswer): void;
  /** Forgets token, PIN and player. */
  end(): void;
  /** Another tab removed the stored token: no player is signed in here either. The storage is left to that tab. */
  endedElsewhere(): void;
};

const guest: AuthState = { is: "guest", roles: [] };

export function createAuthSession(storage: Storage): AuthSession {
  const state = createStore<AuthState>(() => guest);
  const stored = () => storage.read(STORAGE_KEYS.token);

  /** Another token may be another player's: their PIN must not open this one's screen. */
  function keep(token: string): void {
    if (token !== stored()) forgetPin(storage);
    storage.write(STORAGE_KEYS.token, token);
  }

  return {
    state,
    token: stored,
    keep,
    accept(token, answer) {
      keep(token);
      const current = answer.token || token;
      storage.write(STORAGE_KEYS.token, current);
      // An answer without the field says nothing about the PIN; one with an empty field says that there is none.
      if (answer.pin_code) storage.write(STORAGE_KEYS.pinCode, answer.pin_code);
      else if (answer.pin_code !== undefined) storage.remove(STORAGE_KEYS.pinCode);
      if (answer.pin_set === undefined) storage.remove(STORAGE_KEYS.pinKept);
      else storage.write(STORAGE_KEYS.pinKept, answer.pin_set ? "yes" : "no");
      const player = playerOf(current, answer);
      state.setState({ is: "player", roles: player.role, player }, true);
    },
    end() {
      storage.remove(STORAGE_KEYS.token);
      forgetPin(storage);
      state.setState(guest, true);
    },
    endedElsewhere: () => state.setState(guest, true),
  };
}

function forgetPin(storage: Storage): void {
  storage.remove(STORAGE_KEYS.pinCode);
  storage.remove(STORAGE_KEYS.pinKept);
}

/**
 * Where the player's PIN is. `platform`: it judges what is typed, and sends nothing that was made of the PIN. `page`: the platform sends the
 * hash, or an empty text, and the page compares (specification 4.5).
 */
export type KeptPin =
  | { readonly at: "platform"; readonly isSet: boolean }
  | { readonly at: "page"; readonly hash: string };

export function keptPin(storage: Storage): KeptPin {
  const kept = storage.read(STORAGE_KEYS.pinKept);
  if (kept === "yes" || kept === "no") return { at: "platform", isSet: kept === "yes" };
  return { at: "page", hash: storage.read(STORAGE_KEYS.pinCode) ?? "" };
}
