import type { FinalReason } from "@longarm/contract/envelope";
import type { FastifyRequest } from "fastify";
import type { Stop } from "../../../clock.ts";
import type { WhichSession } from "./auth-sessions.ts";
import type { Authenticated, Caller, Guard } from "./guard.ts";

/** Who is signed in. */
export interface Auth {
  /** Refuses with: auth.signature, auth.banned. */
  authenticate(token: string): Promise<Authenticated>;
  /** An `onRequest` hook: 401 without a good Bearer token, 423 while the sign-in is locked, else `request.caller` is set. */
  readonly guard: Guard;
  /** Whether the idle lock holds now: an open socket may have been there before it. */
  isLocked(caller: Caller): Promise<boolean>;
  /** Notes that the player did something by which the idle time begins anew. False: the sign-in is locked, and nothing may be done. */
  act(caller: Caller): Promise<boolean>;
  /** Calls `ended` once when the caller's sign-in ends, on whatever node that happens. */
  whileSignedIn(caller: Caller, ended: (reason: FinalReason) => void): Stop;
  /** True for a visitor who may not be here at all, by address or country. */
  keepsOut(visitor: Pick<FastifyRequest, "clientAddress" | "headers">): boolean;
  /**
   * Keeps a player out from now on: every sign-in of it ends on every node, its sockets close and its play session ends with all credits
   * back in the wallet. False: there is no such player, or it is banned already.
   */
  ban(playerId: string): Promise<boolean>;
  /** Lets a banned player sign in again. False: it is not banned. */
  unban(playerId: string): Promise<boolean>;
  /** Ends one sign-in, or all of a player (perhaps but for one), here and on every other node. */
  end(which: WhichSession, reason: FinalReason): Promise<void>;
  close(): void;
}
