import type { CheckAnswer } from "@longarm/contract/http";
import { CODE_OK, problems } from "@longarm/contract/problems";
import type { FastifyInstance } from "fastify";
import type * as z from "zod/mini";
import { readBlockList } from "../../config/block-list.ts";

export interface Gates {
  /** True for an address that the operator keeps out. */
  isBlocked(address: string): boolean;
}

/** What keeps people out before they sign in. Adds `/check`. */
export function createGates(app: FastifyInstance, blockedAddresses: readonly string[]): Gates {
  const isBlocked = readBlockList(blockedAddresses);
  app.get("/check", (request, reply) => {
    const ip = request.clientAddress;
    const allowed = !isBlocked(ip);
    const answer: z.input<typeof CheckAnswer> = {
      status: allowed,
      code: allowed ? CODE_OK : problems["auth.ip_not_permitted"].code,
      ip,
      // Nobody here knows countries; a proxy's or an operator's own /check may.
      country: null,
    };
    return reply.header("cache-control", "no-store").send(answer);
  });
  return { isBlocked };
}
