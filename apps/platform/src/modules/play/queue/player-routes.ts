import type { QueueAnswer } from "@longarm/contract/player-queue";
import { queueCalls as calls } from "@longarm/contract/player-queue";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import { Refusal } from "../seat/index.ts";
import type { Queue } from "./queue.ts";

const BODY_BYTES_MAX = 4_096;

/** A player's places in queues: to see them, and to take, leave, pass and move one. */
export function queueRoutes(
  queue: Pick<Queue, "join" | "leave" | "pass" | "move">,
  shown: (playerId: string) => Promise<QueueAnswer>,
  app: FastifyInstance,
  guard: Guard,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(`/v1/${calls.queue.path}`, { onRequest: guard }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await shown(callerOf(request).playerId)),
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
  for (const [{ path, body }, run] of [
    [calls.leaveQueue, queue.leave.bind(queue)],
    [calls.passQueue, queue.pass.bind(queue)],
    [calls.moveQueue, queue.move.bind(queue)],
  ] as const)
    typed.post(
      `/v1/${path}`,
      { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body } },
      async (request, reply) => {
        const { playerId } = callerOf(request);
        return await answer(
          reply,
          () => run(playerId, request.body.id),
          () => shown(playerId),
        );
      },
    );
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
