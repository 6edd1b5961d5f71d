import { createHmac, timingSafeEqual } from "node:crypto";
import { OwnId } from "@longarm/contract/ids";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { Clock } from "../../../clock.ts";
import type { Guard } from "../../players/auth/index.ts";
import type { Agents } from "../agents/index.ts";
import { FIRST_STILL } from "../agents/index.ts";

const Params = z.object({ id: OwnId });
const text = z.optional(z.string().check(z.maxLength(200)));
const Query = z.object({ until: text, sign: text, v: text });
/** An address that names its still is valid for an hour or two, and its still never changes. */
const HOUR = "private, max-age=3600, immutable";
const SHORTLY = "private, max-age=10";

/** A machine's still, for a signed address or a Bearer token. 204: the platform gave the address before the first still, which the agent is taking. */
export function stillRoute(app: FastifyInstance, guard: Guard, links: StillLinks, agents: Pick<Agents, "still">): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    "/v1/machine/:id/still",
    {
      schema: { params: Params, querystring: Query },
      async preHandler(request, reply) {
        if (links.holds(request.params.id, request.query)) return undefined;
        return await guard(request, reply);
      },
    },
    async (request, reply) => {
      const found = await agents.still(request.params.id);
      if (!found && request.query.v === FIRST_STILL) return reply.code(204).header("cache-control", "no-store").send();
      if (!found) return reply.callNotFound();
      const etag = `"${found.tag}"`;
      void reply.header("cache-control", request.query.v === found.tag ? HOUR : SHORTLY).header("etag", etag);
      if (request.headers["if-none-match"] === etag) return await reply.code(304).send();
      return await reply.type("image/webp").send(found.webp);
    },
  );
}

const HOUR_MS = 3_600_000;

/** Addresses of stills that an `<img>` can load: it sends no token, so each carries a signature that is good for one to two hours. */
export interface StillLinks {
  /** The same text until the still or the hour changes, so that the browser keeps what it has. */
  linkTo(machineId: string, tag: string): string;
  holds(machineId: string, query: { readonly until?: string | undefined; readonly sign?: string | undefined }): boolean;
}

export function createStillLinks(secret: Buffer, clock: Clock): StillLinks {
  const signatureOf = (machineId: string, until: string) =>
    createHmac("sha256", secret).update(`still ${machineId} ${until}`).digest("base64url");
  return {
    linkTo(machineId, tag) {
      const until = String((Math.floor(clock.now() / HOUR_MS) + 2) * HOUR_MS);
      const query = new URLSearchParams({ v: tag, until, sign: signatureOf(machineId, until) });
      return `/v1/machine/${encodeURIComponent(machineId)}/still?${query}`;
    },
    holds(machineId, { until, sign }) {
      if (until === undefined || sign === undefined || !/^\d{13}$/.test(until)) return false;
      const given = Buffer.from(sign);
      const wanted = Buffer.from(signatureOf(machineId, until));
      return given.length === wanted.length && timingSafeEqual(given, wanted) && Number(until) > clock.now();
    },
  };
}
