import { CODE_OK } from "@longarm/contract/call";
import type { CheckAnswer } from "@longarm/contract/http";
import { problems } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type * as z from "zod/mini";
import { readBlockList } from "../../../config/block-list.ts";
import type { Config } from "../../../config.ts";
import type { ThrottledAudit } from "../../records/audit/index.ts";

/** The visitor to admit. */
type Visitor = Pick<FastifyRequest, "clientAddress" | "headers">;

export interface Gates {
  /** True for an address, or a country, that the operator keeps out. */
  isBlocked(visitor: Visitor): boolean;
}

/** What keeps people out before they sign in. Adds `/check`. */
export function createGates(
  app: FastifyInstance,
  config: Pick<Config, "blockedAddresses" | "countries">,
  throttled: Pick<ThrottledAudit, "note">,
): Gates {
  const isListed = readBlockList(config.blockedAddresses);
  const { header, allowed } = config.countries;
  /** ISO 3166 code as a trusted proxy reports it; null: not known. */
  const countryOf = ({ headers }: Visitor): string | null => {
    const told = header === null ? undefined : headers[header];
    return typeof told === "string" && /^[A-Za-z]{2}$/.test(told) ? told.toUpperCase() : null;
  };
  const isBlocked = (visitor: Visitor): boolean =>
    isListed(visitor.clientAddress) || (allowed.length > 0 && !allowed.includes(countryOf(visitor) ?? ""));

  app.get("/check", (request, reply) => {
    const blocked = isBlocked(request);
    const type = blocked ? "checkFail" : "checkSuccess";
    const address = request.clientAddress;
    throttled.note(`${type} ${address}`, { type, actor: "visitor", address, facts: { country: countryOf(request) } });
    const answer: z.input<typeof CheckAnswer> = {
      status: !blocked,
      code: blocked ? problems["auth.ip_not_permitted"].code : CODE_OK,
      ip: request.clientAddress,
      country: countryOf(request),
    };
    return reply.header("cache-control", "no-store").send(answer);
  });
  return { isBlocked };
}
