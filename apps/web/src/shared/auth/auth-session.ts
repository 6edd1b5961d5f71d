import { createStore } from "zustand/vanilla";
import type { Live } from "../live/live.ts";
import type { Storage } from "../storage/storage.ts";
import { STORAGE_KEYS } from "../storage/storage.ts";
import type { SignedInPlayer, SignInAnswer } from "./player.ts";
import { playerOf } from "./player.ts";

export type Role = "admin" | "staff" | "user";
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
  /** A login or a token check succeeded. A renewed token replaces the stored one. */
  accept(token: string, answer: SignInAnswer): void;
  /** Forgets token and player. */
  end(): void;
};

const guest: AuthState = { is: "guest", roles: [] };

export function createAuthSession(storage: Storage): AuthSession {
  const state = createStore<AuthState>(() => guest);
  return {
    state,
    token: () => storage.read(STORAGE_KEYS.token),
    keep: (token) => storage.write(STORAGE_KEYS.token, token),
    accept(token, answer) {
      const current = answer.token || token;
      storage.write(STORAGE_KEYS.token, current);
      state.setState({ is: "player", roles: ["user"], player: playerOf(current, answer) }, true);
    },
    end() {
      storage.remove(STORAGE_KEYS.token);
      state.setState(guest, true);
    },
  };
}
