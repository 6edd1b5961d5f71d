import type { FinalReason } from "@longarm/contract/envelope";
import type { Stop } from "../../clock.ts";
import type { Authenticated, Caller } from "./caller.ts";
import type { Guard } from "./guard.ts";

/** Who is signed in. */
export interface Auth {
  /** Refuses with: auth.signature, auth.banned. */
  authenticate(token: string): Promise<Authenticated>;
  /** An `onRequest` hook: 401 without a good Bearer token, else `request.caller` is set. */
  readonly guard: Guard;
  /** Calls `ended` once when the caller's sign-in ends, on whatever node that happens. */
  whileSignedIn(caller: Caller, ended: (reason: FinalReason) => void): Stop;
  /** Ends one sign-in, or all of a player, here and on every other node. */
  end(which: { readonly jti: string } | { readonly playerId: string }, reason: FinalReason): Promise<void>;
  close(): void;
}
