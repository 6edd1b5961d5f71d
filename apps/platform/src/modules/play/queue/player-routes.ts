import type { QueueAnswer, QueueOutlook, QueueWish } from "@longarm/contract/player-queue";
import { queueCalls as calls } from "@longarm/contract/player-queue";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import { Refusal } from "../seat/index.ts";
import type { Queue } from "./queue.ts";

const BODY_BYTES_MAX = 4_096;

type QueueViews = {
  readonly shown: (playerId: string) => Promise<QueueAnswer>;
  readonly outlook: (wishes: readonly QueueWish[]) => Promise<QueueOutlook[]>;
};

/** A player's places in queues: to see them, and to take, leave, pass and move one. */
export function queueRoutes(
  queue: Pick<Queue, "join" | "leave" | "pass" | "move">,
  { shown, outlook }: QueueViews,
  app: FastifyInstance,
  guard: Guard,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(`/v1/${calls.queue.path}`, { onRequest: guard }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await shown(callerOf(request).playerId)),
  );

  const { path: looked, body: wishes } = calls.queueOutlook;
  typed.post(
    `/v1/${looked}`,
    { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body: wishes } },
    async (request, reply) =>
      reply.header("cache-control", "no-store").send({ outlooks: await outlook(request.body.wishes) }),
  );

  const { body: wish } = calls.joinQueue;
  typed.post(
    `/v1/${calls.joinQueue.path}`,
    { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body: wish } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      return await answer(
        reply,
        () => queue.join(playerId, request.body),
        () => shown(playerId),
      );
    },
  );
  /** A call about one place. */
  function act<Body extends z.ZodMiniType<{ readonly id: string }>>(
    { path, body }: { readonly path: string; readonly body: Body },
    run: (playerId: string, body: z.output<Body>) => Promise<void>,
  ): void {
    app.post(
      `/v1/${path}`,
      { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body } },
      async (request, reply) => {
        const { playerId } = callerOf(request);
        // Fastify has read it by the schema.
        const read = request.body as z.output<Body>;
        return await answer(
          reply,
          () => run(playerId, read),
          () => shown(playerId),
        );
      },
    );
  }
  act(calls.leaveQueue, (playerId, { id }) => queue.leave(playerId, id));
  act(calls.passQueue, (playerId, { id, why }) => queue.pass(playerId, id, why));
  act(calls.moveQueue, (playerId, { id, to }) => queue.move(playerId, id, to));
}

async function answer(
  reply: Parameters<typeof sendProblem>[0],
  run: () => Promise<void>,
  shown: () => Promise<QueueAnswer>,
) {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { problem: name, detail, params } = error;
    return sendProblem(reply, {
      name,
      ...(detail !== undefined && { detail }),
      ...(params !== undefined && { params }),
    });
  }
  return await reply.header("cache-control", "no-store").send(await shown());
}
