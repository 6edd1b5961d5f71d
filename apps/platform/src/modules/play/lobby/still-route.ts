import { OwnId } from "@longarm/contract/ids";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { Guard } from "../../players/auth/index.ts";
import type { Agents } from "../agents/index.ts";
import type { StillLinks } from "./still-links.ts";

const Params = z.object({ id: OwnId });
const text = z.optional(z.string().check(z.maxLength(200)));
const Query = z.object({ until: text, sign: text, v: text });
/** An address that names the picture it shows is good for an hour or two, and its picture never another. */
const HOUR = "private, max-age=3600, immutable";
const SHORTLY = "private, max-age=10";

/** A machine's picture, for a signed address or a Bearer token. */
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
      if (!found) return reply.callNotFound();
      const etag = `"${found.tag}"`;
      void reply.header("cache-control", request.query.v === found.tag ? HOUR : SHORTLY).header("etag", etag);
      if (request.headers["if-none-match"] === etag) return await reply.code(304).send();
      return await reply.type("image/webp").send(found.webp);
    },
  );
}
