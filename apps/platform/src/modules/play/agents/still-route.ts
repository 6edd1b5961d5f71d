import { STILL_BYTES_MAX, StillParams } from "@longarm/contract/http";
import type { FastifyInstance } from "fastify";
import * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import type { PlayDeps } from "../deps.ts";
import { agentOfHeader } from "./keys.ts";
import type { Links } from "./links.ts";
import type { Stills } from "./stills.ts";
import { isWebp } from "./stills.ts";

/** PUT /agent/machines/{id}/still: an agent puts the picture of a machine that its own link carries. */
export function stillRoute(deps: PlayDeps, app: FastifyInstance, links: Links, stills: Stills): void {
  app.register((room, _options, ready) => {
    // Only here a body is raw bytes; a larger one than the contract allows is refused while it comes.
    room.addContentTypeParser(
      "image/webp",
      { parseAs: "buffer", bodyLimit: STILL_BYTES_MAX },
      (_request, body, parsed) => parsed(null, body),
    );
    room.put(
      "/agent/machines/:id/still",
      { bodyLimit: STILL_BYTES_MAX, config: { anyHost: true } },
      async (request, reply) => {
        const agent = await agentOfHeader(deps.db, request.headers.authorization);
        if (!agent) return sendProblem(reply, { name: "auth.signature" });
        const params = z.safeParse(StillParams, request.params);
        if (!params.success) return sendProblem(reply, { name: "request.malformed" });
        if (!(await carries(deps, links, agent.id, params.data.id)))
          return sendProblem(reply, {
            name: "machine.not_available",
            detail: "the still is of no machine of this agent",
          });
        if (!Buffer.isBuffer(request.body) || !isWebp(request.body))
          return sendProblem(reply, { name: "request.malformed", detail: "a still must be WebP by its bytes" });
        const kept = await stills.put(params.data.id, request.body);
        if (kept === undefined)
          return reply.code(503).send({ code: 503, ErrorMessage: "The still could not be kept, take another one" });
        return reply.code(204).header("etag", `"${kept.tag}"`).send();
      },
    );
    ready();
  });
}

async function carries({ db }: PlayDeps, links: Links, agentId: string, machineId: string): Promise<boolean> {
  const link = links.get(machineId);
  if (link) return link.agentId === agentId;
  const row = await db
    .selectFrom("agent_link")
    .select("agent_id")
    .where("machine_id", "=", machineId)
    .executeTakeFirst();
  return row?.agent_id === agentId;
}
