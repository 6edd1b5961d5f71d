import { CODE_OK } from "@longarm/contract/call";
import { calls } from "@longarm/contract/http";
import { OwnId } from "@longarm/contract/ids";
import type { FastifyInstance, FastifyReply } from "fastify";
import * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Auth } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import { Refusal } from "../seat/index.ts";
import type { GameParts } from "./connection.ts";
import type { PlayParts } from "./deps.ts";
import { endSession } from "./end-session.ts";
import { grantSeat } from "./holder.ts";

/** POST /v1/player/kick and /v1/player/cancel: what the owner of a play session may do to it from elsewhere. */
export function playerRoutes(parts: GameParts, app: FastifyInstance, auth: Pick<Auth, "guard">): void {
  const own = (path: string, run: (machineId: string, playerId: string) => Promise<OwnOutcome>): void => {
    app.post(`/v1/${path}`, { onRequest: auth.guard }, async (request, reply) => {
      const body = z.safeParse(calls.kick.body, request.body);
      if (!body.success) return sendProblem(reply, { name: "request.invalid" });
      // No machine of ours has such an id, and the database cannot be queried for some.
      if (!z.safeParse(OwnId, body.data.machineId).success) return sendProblem(reply, { name: "session.terminated" });
      try {
        const outcome = await run(body.data.machineId, callerOf(request).playerId);
        if (outcome.is === "unknown") return sendProblem(reply, { name: "transfer.being_checked" });
        return reply.header("cache-control", "no-store").send({ code: CODE_OK, ...outcome.said });
      } catch (error) {
        return refuseOrThrow(reply, error);
      }
    });
  };
  own(calls.kick.path, async (machineId, playerId) => {
    await kick(parts, machineId, playerId);
    return { is: "done" };
  });
  own(calls.cancel.path, async (machineId, playerId) => {
    const command = {
      machineId,
      playerId,
      event: "playerEnds",
      reason: "cancelled",
      notYours: "session.terminated",
    } as const;
    const { outcome, amount } = await endSession(parts, command);
    return outcome === "unknown" ? { is: "unknown" } : { is: "done", said: { Params: { amount } } };
  });
}

/** What became of such a call, and what its answer says beside the code. */
type OwnOutcome =
  | { readonly is: "unknown" }
  | { readonly is: "done"; readonly said?: { readonly Params: { readonly amount: number } } };

function refuseOrThrow(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof Refusal)) throw error;
  // An unknown machine gets the same answer as another player's: ids cannot be found out here.
  const name = error.problem === "machine.not_available" ? "session.terminated" : error.problem;
  return sendProblem(reply, { name, ...(error.detail !== undefined && { detail: error.detail }) });
}

/**
 * Closes the other device of the caller's own play session: seat and credits stay, the epoch grows so that nothing the other device
 * still sends counts. Refuses with: session.terminated (not the caller's).
 */
async function kick(parts: PlayParts, machineId: string, playerId: string): Promise<void> {
  const grant = await parts.seats.within(machineId, async (seat) => {
    const { player_id: holder, play_session_id: playSessionId, epoch, ending } = seat.row;
    if (holder !== playerId || playSessionId === null) throw new Refusal("session.terminated");
    await seat.change({ epoch: epoch + 1, holder_socket: null, holder_node: null, holder_until: null });
    await seat.happen("holderGone");
    const who = `player:${playerId}`;
    const entry = {
      type: "kickedByPlayer",
      actor: who,
      subject: `machine:${machineId}`,
      facts: { playSessionId },
    } as const;
    await openAudit(seat.trx, parts.deps.config.play.NODE_ID).write(entry);
    seat.announce("seat.changed", { machineId, epoch: epoch + 1, closing: "kicked" });
    return ending === null ? { machineId, epoch: epoch + 1, playSessionId } : null;
  });
  if (grant !== null) await grantSeat(parts, grant);
}
