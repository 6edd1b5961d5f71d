import type { Problem } from "@longarm/contract/problems";

/** Whoever a good token speaks for. */
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
