import type { PlayParts } from "./parts.ts";

export type Grant = { readonly machineId: string; readonly epoch: number; readonly playSessionId: string };

/**
 * Tells the agent who may press and move money now. Unheard, the seat is the player's all the same: an agent that is away hears it
 * at its `hello`, and refuses every command of an epoch it does not know.
 */
export async function grantSeat(
  { deps, agents }: PlayParts,
  { machineId, epoch, playSessionId }: Grant,
): Promise<void> {
  const leaseMs = deps.config.play.SEAT_LEASE_MS;
  const answer = await agents.ask("seat.grant", { machineId, epoch, playSessionId, leaseMs });
  if (answer.is === "refused")
    deps.log.error({ alarm: "seat", machineId, epoch, reason: answer.refusal.reason }, "an agent refused a grant");
}

/** Renews the grants of all held seats whose agent's link is on this node. A play session that ends presses nothing more. */
export async function renewGrants({ deps, agents }: PlayParts): Promise<void> {
  const machineIds = agents.machineIds();
  if (machineIds.length === 0) return;
  const held = await deps.db
    .selectFrom("seat")
    .select(["machine_id", "epoch", "play_session_id"])
    .where("machine_id", "in", machineIds)
    .where("play_session_id", "is not", null)
    .where("ending", "is", null)
    .execute();
  const leaseMs = deps.config.play.SEAT_LEASE_MS;
  for (const { machine_id: machineId, epoch, play_session_id: playSessionId } of held)
    void agents.ask("seat.renew", { machineId, epoch, playSessionId: playSessionId ?? "", leaseMs });
}
