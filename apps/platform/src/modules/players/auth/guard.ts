import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";

/** The player of a valid token. */
export type Caller = {
  readonly is: "caller";
  readonly playerId: string;
  readonly jti: string;
  /** When the token ends by itself, ms since 1970. */
  readonly expiresAtMs: number;
  /** The idle lock holds, as far as was known when the token was looked at. */
  readonly locked: boolean;
};

export type Authenticated = Caller | { readonly is: "refused"; readonly problem: Problem };

declare module "fastify" {
  interface FastifyContextConfig {
    /** Calls of this route have a limit of their own, and do not count with the others of a player. */
    countedApart?: boolean;
  }
  interface FastifyRequest {
    /** Set by the auth guard; a route without the guard has none. */
    caller: Caller | null;
    /** The caller's own address, looking through trusted proxies. */
    clientAddress: string;
  }
}

/** The caller of a guarded route. @throws Error on a route that forgot the guard. */
export function callerOf(request: { readonly caller: Caller | null }): Caller {
  if (!request.caller) throw new Error("This route needs the auth guard: it was called without a caller");
  return request.caller;
}

/** An `onRequest` hook of a route that needs a signed-in player. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i;

export type Guards = {
  /** Refuses without a good Bearer token, and while the sign-in is locked. */
  readonly guard: Guard;
  /** The same for the few calls that a locked sign-in needs. */
  readonly guardEvenLocked: Guard;
  /** For signing out alone: locked, and from wherever. */
  readonly guardAnywhere: Guard;
};

export type GuardParts = {
  /** At once where it is known who that is. */
  authenticate(token: string): Authenticated | Promise<Authenticated>;
  /** True for a visitor who may not be here at all, by address or country. */
  keepsOut(visitor: FastifyRequest): boolean;
  readonly callsPerMinute: number;
  /** Notes that the player did something. False: the sign-in is locked by now. */
  touch(jti: string): Promise<boolean>;
};

/** Reading is no activity: a page polls without its player. */
const READS = ["GET", "HEAD", "OPTIONS"];

export function createGuards(
  app: FastifyInstance,
  { authenticate, keepsOut, callsPerMinute, touch }: GuardParts,
): Guards {
  const limit = callLimit(app, callsPerMinute, (request) => `player ${request.caller?.playerId}`);
  const guardWith =
    ({ anywhere, evenLocked }: { readonly anywhere: boolean; readonly evenLocked: boolean }): Guard =>
    async (request, reply) => {
      // Looked at with each call: a token may travel to another place.
      if (!anywhere && keepsOut(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
      const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
      if (token === undefined) return sendProblem(reply, { name: "auth.signature" });
      const looked = authenticate(token);
      const answer = looked instanceof Promise ? await looked : looked;
      if (answer.is === "refused") return sendProblem(reply, answer.problem);
      request.caller = answer;
      // A file of many parts would use up what the page itself may call.
      const tooMany = request.routeOptions.config.countedApart === true ? undefined : await limit(request, reply);
      if (tooMany !== undefined) return tooMany;
      if (evenLocked) return undefined;
      const isOpen = !answer.locked && (READS.includes(request.method) || (await touch(answer.jti)));
      return isOpen ? undefined : sendProblem(reply, { name: "session.locked" });
    };
  return {
    guard: guardWith({ anywhere: false, evenLocked: false }),
    guardEvenLocked: guardWith({ anywhere: false, evenLocked: true }),
    guardAnywhere: guardWith({ anywhere: true, evenLocked: true }),
  };
}
