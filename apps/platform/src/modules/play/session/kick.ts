import { openAudit } from "../../audit/index.ts";
import { Refusal } from "../../seats/index.ts";
import type { PlayParts } from "../parts.ts";
import { grantSeat } from "./grants.ts";

/**
 * Closes the other device of the caller's own play session: seat and credits stay, the epoch grows so that nothing the other device
 * still sends counts. Refuses with: session.terminated (not the caller's).
 */
export async function kick(parts: PlayParts, machineId: string, playerId: string): Promise<void> {
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
